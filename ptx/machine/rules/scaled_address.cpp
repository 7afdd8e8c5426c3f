// SPDX-License-Identifier: Apache-2.0
// An access of shared memory multiplies the register of its address by 4, 8 or 16, whatever its own width
// (ptxas 13.0 for sm_75 to sm_89: STS.64 [R3.X8], R4; LDS.64 R6, [R3.X8+0x400]; LDS.128 R4, [R0.X4]). A shift
// whose result all go into such addresses vanishes.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

constexpr uint64_t kLeastShift = 2, kMostShift = 4;

bool is_shared_address(const Selection& s, uint32_t i, const OperandRef& ref) {
  const Instr& in = s.instr(i);
  const bool accesses =
      in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore || in.kind == InstrKind::kAtomic;
  return accesses && in.space == Space::kShared && ref.address;
}

// Whether i adds a constant to the operand, for addresses alone.
bool adds_offset(const Selection& s, uint32_t i, const OperandRef& ref) {
  if (s.shape(i) != Shape::kAdd32 || s.has_taken(i) || !s.stable_sources(i)) return false;
  const RowFacts* sum = s.single_result(i);
  if (sum == nullptr || !known_operand(s, s.instr(i).ops[ref.operand == 1 ? 2 : 1], 4)) return false;
  return all_uses(*sum, [&](uint32_t u, const OperandRef& at) { return is_shared_address(s, u, at); });
}

bool match_scaled_address(const Selection& s, const Candidate& c) {
  if (!s.profile().scaled_addresses || c.shape != Shape::kShl32 || c.result == nullptr) return false;
  const Place by = s.instr(c.i).ops[2];
  if (!by.constant() || (!c.steady && !s.made_anew(c.i))) return false;
  const uint64_t shift = s.constant_bits(by, 4);
  if (shift < kLeastShift || shift > kMostShift) return false;
  return all_uses(*c.result, [&](uint32_t u, const OperandRef& ref) {
    return is_shared_address(s, u, ref) || adds_offset(s, u, ref);
  });
}

void apply_scaled_address(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kScaledAddress{"scaled_address", match_scaled_address, apply_scaled_address};

}  // namespace gpuloom::ptx
