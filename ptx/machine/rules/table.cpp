// SPDX-License-Identifier: Apache-2.0
// The rules in the order in which they are asked. A rule is a file of this folder and two lines here.
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

extern const Rule kCallParameter;
extern const Rule kCall;
extern const Rule kFunctionReturn;
extern const Rule kParameterLoad;
extern const Rule kCountOfZeros;
extern const Rule kAbsoluteDifferences;
extern const Rule kExtension;
extern const Rule kUpperHalf;
extern const Rule kOtherName;
extern const Rule kScaledSum;
extern const Rule kIncremented;
extern const Rule kClock;
extern const Rule kUnpackedProduct;
extern const Rule kMatrixProduct;
extern const Rule kProductInHalves;
extern const Rule kMatrixFragment;
extern const Rule kWarpgroupProduct;
extern const Rule kSplitLanes;
extern const Rule kStoredPieces;
extern const Rule kLoadedPieces;

extern const Rule kWideZero;
extern const Rule kShortOperation;
extern const Rule kElectedBulkCopy;
extern const Rule kTensorCopy;
extern const Rule kBarrierInit;
extern const Rule kExpectedBytes;
extern const Rule kBulkWait;
extern const Rule kWaitForAllCopies;
extern const Rule kWaitParity;
extern const Rule kProxyFence;
extern const Rule kWarpReduction;
extern const Rule kBarrierInitFence;
extern const Rule kFenceBeyondBlock;
extern const Rule kClusterBarrier;
extern const Rule kAggregatedAtomic;
extern const Rule kUnreadAtomic;
extern const Rule kSharedDivisor;
extern const Rule kSharedReciprocal;
extern const Rule kLongProduct;

std::span<const Rule* const> rules_by_shape() {
  static constexpr const Rule* kRules[] = {
      &kCallParameter,    &kCall,
      &kFunctionReturn,   &kParameterLoad,
      &kCountOfZeros,     &kAbsoluteDifferences,
      &kExtension,        &kUpperHalf,
      &kOtherName,        &kScaledSum,
      &kIncremented,      &kClock,
      &kUnpackedProduct,  &kMatrixProduct,
      &kProductInHalves,  &kMatrixFragment,
      &kWarpgroupProduct, &kSplitLanes,
      &kStoredPieces,     &kLoadedPieces,
  };
  return kRules;
}

std::span<const Rule* const> rules_by_class() {
  static constexpr const Rule* kRules[] = {
      &kWideZero,         &kShortOperation,   &kElectedBulkCopy,  &kTensorCopy,       &kBarrierInit,
      &kExpectedBytes,    &kBulkWait,         &kWaitParity,       &kProxyFence,       &kWarpReduction,
      &kBarrierInitFence, &kFenceBeyondBlock, &kClusterBarrier,   &kAggregatedAtomic, &kUnreadAtomic,
      &kSharedDivisor,    &kLongProduct,      &kWaitForAllCopies, &kSharedReciprocal,
  };
  return kRules;
}

}  // namespace gpuloom::ptx
