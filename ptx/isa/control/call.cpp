// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.12.5 call
//
//   call{.uni} (ret-param), func, (param-list);           direct
//   call{.uni} func, (param-list);
//   call{.uni} func;
//   call{.uni} (ret-param), fptr, (param-list), flist;    indirect, with .calltargets
//   call{.uni} (ret-param), fptr, (param-list), fproto;   indirect, with .callprototype
#include <bit>
#include <string>

#include "ptx/exec/fault.h"
#include "ptx/exec/simt.h"
#include "ptx/exec/syscalls.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

constexpr uint64_t kFunctionStride = 16;

// Lanes with the same target call together; all meet behind the call.
void call_by_address(Warp& w, const Instr& in, uint32_t lanes, const CallSite& site) {
  const uint64_t* address = source<uint64_t>(w, site.address);
  const std::vector<uint32_t>& function_of = w.program->function_of;
  uint32_t functions[32];
  for (uint32_t m = lanes; m; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    const uint64_t target = address[lane];
    const uint64_t in_module = (target - kFunctionBase) / kFunctionStride;
    const bool known =
        target >= kFunctionBase && target % kFunctionStride == 0 && in_module < function_of.size();
    functions[lane] = known ? function_of[in_module] : UINT32_MAX;
    if (functions[lane] == UINT32_MAX || functions[lane] == 0)
      fault(w, in, lane, FaultKind::kIllegal,
            "calls address " + std::to_string(target) + ", where no function that it could reach begins");
  }
  call_functions(w, lanes, site, functions);
}

void call(Warp& w, const Instr& in, uint32_t lanes) {
  const CallSite& site = w.program->calls[in.extra];
  if (!site.external.empty())
    call_external(w, in, lanes, site);
  else if (site.address.present())
    call_by_address(w, in, lanes, site);
  else
    call_function(w, lanes, site, site.function);
}

FormBuilder common(FormBuilder form) { return form.kind(InstrKind::kCall).op(OpClass::call).meaning(call); }

}  // namespace

void register_control_call(IsaBuilder& isa) {
  isa.instruction("call", "9.7.12.5", "Call a function, recording the return location.");
  common(isa.form("call{.uni} (ret), &func{, (param)}{, $proto}"));
  common(isa.form("call{.uni} &func{, (param)}{, $proto}"));
}

}  // namespace gpuloom::ptx
