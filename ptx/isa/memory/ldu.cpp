// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.10 ldu
//
//   ldu{.ss}.type      d, [a];       .ss = { .global }
//   ldu{.ss}.vec.type  d, [a];
//
// Loads read-only data from an address that is common across the warp; hardware since sm_70 treats it as ld.
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/memory/load_lanes.h"
#include "ptx/isa/memory/memory_sets.h"

namespace gpuloom::ptx {
namespace {

LaneFn pick(const FormUse& use) {
  return by_memory_type(use.type(), use.register_bits(0),
                        []<class M, class R>(M, R) -> LaneFn { return load_lanes<M, R>; });
}
OpClass op_of(const FormUse& use) { return use.space() == Space::kGlobal ? OpClass::ldg : OpClass::ldgen; }
void encode(const FormUse& use, Instr& in) { encode_memory(use, in, 1); }

std::string check(const FormUse& use) {
  return use.vec() * bits(use.type()) > 128 ? "vectors of memory accesses have at most 128 bits"
                                            : std::string();
}

}  // namespace

void register_memory_ldu(IsaBuilder& isa) {
  isa.instruction("ldu", "9.7.9.10", "Load read-only data that is the same for all threads of a warp.");
  isa.form("ldu{.ss}{.vec}.type d*, [a]")
      .set(".ss", ".global")
      .set(".vec", ".v2 .v4")
      .set(".type", kMemoryTypes)
      .relaxed()
      .kind(InstrKind::kLoad)
      .op(op_of)
      .check(check)
      .encode(encode)
      .meaning(pick)
      .since("2.0")
      .needs("sm_20");
}

}  // namespace gpuloom::ptx
