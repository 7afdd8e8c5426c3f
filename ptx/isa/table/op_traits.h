// SPDX-License-Identifier: Apache-2.0
// What lowering and timing ask about an operation class, one record a class: a new class is a line of
// op_class.h, and a row of op_traits.cpp where it is more than the default.
#pragma once
#include <array>
#include <cstdint>

#include "ptx/isa/table/op_class.h"

namespace gpuloom::ptx {

enum OpFlag : uint32_t {
  kTakesConstant = 1u << 0,       // has an operand in the constant bank or a uniform register
  kOnUniformPath = 1u << 1,       // the uniform datapath computes it, too
  kChecksDivision = 1u << 2,      // may be a step of the check beside a division or root
  kHalfArithmetic = 1u << 3,      // takes pairs of halves
  kMultipliesMatrices = 1u << 4,  // of the tensor pipe (mma, wmma.mma)
  kTakesFragments = 1u << 5,      // ...whose operands stand in registers by place
  kSpacedSpecial = 1u << 6,       // of a unit that a warp asks again only after some cycles (control.cpp)
  kMovesControl = 1u << 7,        // the warp goes on elsewhere, or waits for others
  kWaitsByItself = 1u << 8,       // of the rest, what holds its warp whatever its stall count
  kStallsItsLatency = 1u << 9,    // its stall count is at least its latency
  kPartsCopies = 1u << 10,        // cp.async must not overtake it
  kExchanges = 1u << 11,          // acts for lanes that are together
  kOrdersLanes = 1u << 12,        // keeps its order with all that is ordered
  kLoadsMatrix = 1u << 13,        // ldmatrix
  kStoresMatrix = 1u << 14,       // stmatrix
  kTuple = 1u << 15,              // stores consecutive registers
  kReadsAsGuard = 1u << 16,       // reads a predicate as late as a guard
  kLeavesBlock = 1u << 17,        // where it goes, the next operation is elsewhere
  kCallsSlowPath = 1u << 18,      // ptxas expands it with a branch around a call for rare operands
  kEndsContraction = 1u << 19,    // ptxas contracts no product over it (contract.cpp)
  kLongScoreboard = 1u << 20,     // its result comes from beyond the SM's own arrays
  kSharedAccess = 1u << 21,       // passes the shared-memory path even where that is off for all lanes
  kTakesPredicate = 1u << 22,     // behind a comparison in a composite operation, not guarded by it
  kSharedPass = 1u << 23,         // a pass of the shared-memory path beside those of accesses
  kConverts = 1u << 24,           // between kinds of numbers: what cvt may be, but for integers' widths
  kDivides = 1u << 25,            // a quotient, a remainder or a reciprocal
  kWideInteger = 1u << 26,        // computes with an integer of 64 bits
  kMakesAddress = 1u << 27,       // may stand between a base, an index and the address that they make
  kNoFunction = 1u << 28,         // is not a step of a function: integers of 64 bits are addresses
  kPairsHalves = 1u << 29,        // computes with pairs of halves, of which it takes one for both places
  kF64 = 1u << 30,                // of the f64 unit, which takes constants from uniform registers
};

// Where an operation of variable latency waits until it reads its registers.
enum class ReadPath : uint8_t { kLoad, kStore, kSpecial, kOther };
constexpr uint32_t kReadPaths = 4;

// What issuing an operation sets going, beside its pipe: by class, or as the timed SM finds out (kQueued,
// those of warps and matrices).
enum class Action : uint8_t {
  kPlain,
  kMemory,  // an access that its decoded instruction described
  kQueued,  // goes through the memory input/output queue, no access (shfl, match, s2r, ...)
  kConstantLoad,
  kCopyCommit,  // cp.async.commit_group
  kCopyWait,    // cp.async.wait_group, wait_all
  kBulk,        // bulk and tensor copies
  kBulkCommit,  // cp.async.bulk.commit_group, wait_group
  kMbarrier,
  kBarrier,
  kClusterBarrier,
  kFence,
  kBranch,
  kExit,
  kSleep,
  kWarpSync,       // WARPSYNC under masks from a register
  kMatrix,         // wgmma: its result is there later, and wgmma.wait_group waits for it
  kMatrixCommit,   // wgmma.commit_group
  kMatrixWait,     // wgmma.wait_group
  kLetDependents,  // griddepcontrol.launch_dependents
  kGridWait,       // griddepcontrol.wait
};

// Which pipe an operation keeps busy, of the two that additions and moves can choose from.
enum class PipeSide : uint8_t { kNeither, kAlu, kFma };

struct OpTraits {
  uint32_t flags = 0;
  uint8_t result_words = 1;         // registers of an intermediate result: 0 for a predicate
  uint8_t slow_path_registers = 0;  // that a slow path takes beside its arguments (op_traits.cpp)
  uint8_t unroll_units = 1;         // of the budget of unrolling, where it calls no slow path
  uint8_t product_steps =
      1;  // at the end of a division's sequence, that a product with the reciprocal takes too
  Action action = Action::kPlain;
  ReadPath read_path = ReadPath::kOther;
  PipeSide side = PipeSide::kNeither;
};

extern const std::array<OpTraits, static_cast<size_t>(OpClass::count)> kOpTraits;  // by class
inline const OpTraits& traits(OpClass op) { return kOpTraits[static_cast<size_t>(op)]; }
inline bool is(OpClass op, OpFlag flag) { return (traits(op).flags & flag) != 0; }

}  // namespace gpuloom::ptx
