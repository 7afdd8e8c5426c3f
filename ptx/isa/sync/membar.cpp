// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.4 membar
//
//   membar.level;              .level = { .cta, .gl, .sys }
//   membar.proxy.proxykind;    .proxykind = { .alias }
//
// Memory is sequentially consistent here, so nothing is left to do; time is the timed engine's.
// Instr::aux: enum Scope.
#include "ptx/exec/access.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void membar(Warp&, const Instr&, uint32_t) {}

void encode(const FormUse& use, Instr& in) {
  const Scope scope = use.has(".sys") ? Scope::kSys : use.has(".gl") ? Scope::kGpu : Scope::kCta;
  in.aux = static_cast<uint8_t>(scope);
}

}  // namespace

void register_sync_membar(IsaBuilder& isa) {
  isa.instruction("membar", "9.7.13.4", "Memory barrier.");
  isa.form("membar.level")
      .set(".level", ".cta .gl .sys@2.0,sm_20")
      .kind(InstrKind::kFence)
      .op(OpClass::membar)
      .encode(encode)
      .meaning(membar)
      .since("1.4");
  isa.form("membar.proxy.alias")
      .kind(InstrKind::kFence)
      .op(OpClass::membar)
      .encode(encode)
      .meaning(membar)
      .since("7.5")
      .needs("sm_70");
}

}  // namespace gpuloom::ptx
