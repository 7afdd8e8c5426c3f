// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.17.1 stacksave
//
//   stacksave.type  d;    .type = { .u32, .u64 }
#include "ptx/exec/memory_path.h"
#include "ptx/exec/simt.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class T>
void stacksave(Warp& w, const Instr& in, uint32_t lanes) {
  T* d = row<T>(w, in.ops[0]);
  const uint32_t* top = stack_tops(w);
  for_lanes(lanes, [&](unsigned l) { d[l] = top[l]; });
}
LaneFn pick(const FormUse& use) {
  return bits(use.type()) == 64 ? static_cast<LaneFn>(stacksave<uint64_t>) : stacksave<uint32_t>;
}

}  // namespace

void register_misc_stacksave(IsaBuilder& isa) {
  isa.instruction("stacksave", "9.7.17.1", "Save the stack pointer.");
  isa.form("stacksave.type d")
      .set(".type", ".u32 .u64")
      .op(OpClass::mov)
      .meaning(pick)
      .since("7.3")
      .needs("sm_52");
}

}  // namespace gpuloom::ptx
