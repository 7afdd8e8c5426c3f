// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.17.2 stackrestore
//
//   stackrestore.type  a;    .type = { .u32, .u64 }; a comes from stacksave in the same function
#include "ptx/exec/memory_path.h"
#include "ptx/exec/simt.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class T>
void stackrestore(Warp& w, const Instr& in, uint32_t lanes) {
  const T* a = source<T>(w, in.ops[0]);
  uint32_t* top = stack_tops(w);
  for_lanes(lanes, [&](unsigned l) { top[l] = static_cast<uint32_t>(a[l]); });
}
LaneFn pick(const FormUse& use) {
  return bits(use.type()) == 64 ? static_cast<LaneFn>(stackrestore<uint64_t>) : stackrestore<uint32_t>;
}

}  // namespace

void register_misc_stackrestore(IsaBuilder& isa) {
  isa.instruction("stackrestore", "9.7.17.2", "Restore the stack pointer.");
  isa.form("stackrestore.type a")
      .set(".type", ".u32 .u64")
      .op(OpClass::mov)
      .meaning(pick)
      .since("7.3")
      .needs("sm_52");
}

}  // namespace gpuloom::ptx
