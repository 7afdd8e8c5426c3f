// SPDX-License-Identifier: Apache-2.0
// LEA.HI.X.SX32 extends what it adds; for several sums of the same block the upper half is made once (SASS of
// copy_u8: SHF.R.S32.HI, IADD3, IADD3.X, IADD3, IADD3.X) and not kept for others. For what is shifted it is
// made in any case (ptxas 13.0, 7.5 to 9.0: SHF.R.S32.HI R7; LEA R2, P0, R0, c[0x0][0x160], 0x2; LEA.HI.X R3,
// R0, c[0x0][0x164], R7, 0x2, P0), and for a sum of three.
#include <algorithm>

#include "ptx/machine/rules/uniform_base.h"
#include "ptx/machine/rules/wide_sum_of_three.h"

namespace gpuloom::ptx {

namespace {

unsigned sums_beside(const Selection& s, const Candidate& c) {
  return static_cast<unsigned>(
      std::count_if(c.result->uses.begin(), c.result->uses.end(), [&](const auto& use) {
        return (s.shape(use.first) == Shape::kAdd64 || s.shape(use.first) == Shape::kSub64) &&
               s.block_of(use.first) == s.block_of(c.i);
      }));
}

bool match_sign_extension(const Selection& s, const Candidate& c) {
  if (c.shape != Shape::kExtend || !c.steady || !s.extends_sign(c.i)) return false;
  // A distance from a base in a uniform register is a pair of registers.
  if (all_uses(*c.result, [&](uint32_t u, const OperandRef&) { return adds_uniform_base(s, u); }))
    return false;
  return sums_beside(s, c) <= 1 && all_uses(*c.result, [&](uint32_t u, const OperandRef&) {
           const Shape user = s.shape(u);
           return (user == Shape::kSub64 || (user == Shape::kAdd64 && !adds_product(s, u))) &&
                  !is_of_three(s, u);
         });
}

void apply_sign_extension(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kSignExtension{"sign_extension", match_sign_extension, apply_sign_extension};

}  // namespace gpuloom::ptx
