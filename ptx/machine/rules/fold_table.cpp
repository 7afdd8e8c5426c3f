// SPDX-License-Identifier: Apache-2.0
// The rules of folding in the order in which they are asked. A rule is a file of this folder and two lines
// here.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

extern const FoldRule kConstantOfConstants;
extern const FoldRule kRenaming;
extern const FoldRule kCopiedValue;
extern const FoldRule kMovedConstant;
extern const FoldRule kPack;
extern const FoldRule kPackedRoundings;
extern const FoldRule kOppositePredicate;
extern const FoldRule kGuardedChoice;
extern const FoldRule kConditionalIncrement;
extern const FoldRule kZeroExtension;
extern const FoldRule kSignExtension;
extern const FoldRule kWideProductInSum;
extern const FoldRule kLongProductInSum;
extern const FoldRule kRotation;
extern const FoldRule kWideShiftInSum;
extern const FoldRule kSumWithZero;
extern const FoldRule kScaledAddress;
extern const FoldRule kUniformBase;
extern const FoldRule kAddressOffset;
extern const FoldRule kDistanceOfBase;
extern const FoldRule kProductInSum;
extern const FoldRule kShiftInSum;
extern const FoldRule kZerosInSum;
extern const FoldRule kChosenExtreme;
extern const FoldRule kMinimumOfSum;
extern const FoldRule kSumOfThree;
extern const FoldRule kWideSumOfThree;
extern const FoldRule kLogicOfThree;
extern const FoldRule kLogicInTest;
extern const FoldRule kUpperBitsInSum;
extern const FoldRule kComparisonInLogic;
extern const FoldRule kSizeOfCopy;
extern const FoldRule kSaturation;
extern const FoldRule kSignOfOperand;

std::span<const FoldRule* const> fold_rules() {
  static constexpr const FoldRule* kRules[] = {
      &kConstantOfConstants, &kRenaming,       &kCopiedValue,
      &kMovedConstant,       &kPack,           &kPackedRoundings,
      &kOppositePredicate,   &kGuardedChoice,  &kConditionalIncrement,
      &kZeroExtension,       &kSignExtension,  &kWideProductInSum,
      &kLongProductInSum,    &kRotation,       &kWideShiftInSum,
      &kSumWithZero,         &kScaledAddress,  &kUniformBase,
      &kAddressOffset,       &kDistanceOfBase, &kProductInSum,
      &kShiftInSum,          &kZerosInSum,     &kChosenExtreme,
      &kMinimumOfSum,        &kSumOfThree,     &kWideSumOfThree,
      &kLogicOfThree,        &kLogicInTest,    &kUpperBitsInSum,
      &kComparisonInLogic,   &kSizeOfCopy,     &kSaturation,
      &kSignOfOperand,
  };
  return kRules;
}

}  // namespace gpuloom::ptx
