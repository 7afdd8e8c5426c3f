// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.19.4 pmevent
//
//   pmevent       a;    index of one event, 0 to 15
//   pmevent.mask  a;    mask of events
//
// Triggers performance monitor events: counted by warp, as the profiler's prof_trigger_00 ... do. NVVM's
// __prof_trigger becomes it.
// Instr::imm: the mask of events.
#include <bit>
#include <string>

#include "ptx/exec/cta.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void pmevent(Warp& w, const Instr& in, uint32_t) {
  PmEvents* events = w.launch->pm_events.get();
  if (events == nullptr) return;
  for (auto mask = static_cast<uint32_t>(in.imm); mask != 0; mask &= mask - 1)
    (*events)[static_cast<size_t>(std::countr_zero(mask))].fetch_add(1, std::memory_order_relaxed);
}

void encode(const FormUse& use, Instr& in) {
  in.imm = use.has(".mask") ? use.operand(0).value : int64_t{1} << use.operand(0).value;
}

std::string check(const FormUse& use) {
  const int64_t a = use.operand(0).value;
  return a >= 0 && a < (use.has(".mask") ? 1 << 16 : 16) ? std::string()
                                                         : "there are 16 performance monitor events";
}

}  // namespace

void register_misc_pmevent(IsaBuilder& isa) {
  isa.instruction("pmevent", "9.7.19.4", "Trigger performance monitor events.");
  isa.form("pmevent #a").op(OpClass::nop).check(check).encode(encode).meaning(pmevent).since("1.4");
  isa.form("pmevent.mask #a")
      .op(OpClass::nop)
      .check(check)
      .encode(encode)
      .meaning(pmevent)
      .since("3.0")
      .needs("sm_20");
}

}  // namespace gpuloom::ptx
