// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.19.4 pmevent
//
//   pmevent       a;    index of one event, 0 to 15
//   pmevent.mask  a;    mask of events
//
// Triggers performance monitor events, which nothing here listens to.
#include <string>

#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void pmevent(Warp&, const Instr&, uint32_t) {}

std::string check(const FormUse& use) {
  const int64_t a = use.operand(0).value;
  return a >= 0 && a < (use.has(".mask") ? 1 << 16 : 16) ? std::string()
                                                         : "there are 16 performance monitor events";
}

}  // namespace

void register_misc_pmevent(IsaBuilder& isa) {
  isa.instruction("pmevent", "9.7.19.4", "Trigger performance monitor events.");
  isa.form("pmevent #a").op(OpClass::nop).check(check).meaning(pmevent).since("1.4");
  isa.form("pmevent.mask #a").op(OpClass::nop).check(check).meaning(pmevent).since("3.0").needs("sm_20");
}

}  // namespace gpuloom::ptx
