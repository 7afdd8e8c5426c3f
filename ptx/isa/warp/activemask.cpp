// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.11 activemask
//
//   activemask.b32 d;
//
// The lanes that execute it together; which ones do under divergence is up to the implementation.
#include "ptx/exec/memory_path.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void activemask(Warp& w, const Instr& in, uint32_t lanes) {
  uint32_t* d = row<uint32_t>(w, in.ops[0]);
  for_lanes(lanes, [&](unsigned l) { d[l] = lanes; });
}

}  // namespace

void register_warp_activemask(IsaBuilder& isa) {
  isa.instruction("activemask", "9.7.13.11", "Query the active threads of the warp.");
  isa.form("activemask.b32 d").op(OpClass::vote).meaning(activemask).since("6.2").needs("sm_30");
}

}  // namespace gpuloom::ptx
