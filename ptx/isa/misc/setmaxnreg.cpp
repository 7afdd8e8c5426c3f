// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.19.6 setmaxnreg
//
//   setmaxnreg.action.sync.aligned.u32  imm-reg-count;    .action = { .inc, .dec }
//
// Changes how many registers the warp may use, not what it computes. Instr::imm: the count; aux: 1 for .inc.
#include <string>

#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void setmaxnreg(Warp&, const Instr&, uint32_t) {}

std::string check(const FormUse& use) {
  const int64_t n = use.operand(0).value;
  return n >= 24 && n <= 256 && n % 8 == 0 ? std::string()
                                           : "the register count is a multiple of 8 from 24 to 256";
}
void encode(const FormUse& use, Instr& in) {
  in.imm = use.operand(0).value;
  in.aux = use.has(".inc");
}

}  // namespace

void register_misc_setmaxnreg(IsaBuilder& isa) {
  isa.instruction("setmaxnreg", "9.7.19.6", "Change the number of registers of the warp.");
  isa.form("setmaxnreg.action.sync.aligned.u32 #n")
      .set(".action", ".inc .dec")
      .op(OpClass::setmaxreg)
      .check(check)
      .encode(encode)
      .meaning(setmaxnreg)
      .since("8.0")
      .needs("sm_90a sm_100f sm_120f");
}

}  // namespace gpuloom::ptx
