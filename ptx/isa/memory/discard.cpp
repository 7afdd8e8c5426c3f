// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.17 discard
//
//   discard{.global}.level  [a], size;    .level = { .L2 }, size = 128
//
// What the line holds afterwards is undefined; here it keeps its data.
#include "ptx/exec/fault.h"
#include "ptx/isa/memory/hint_lanes.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

constexpr unsigned kLine = 128;

void discard(Warp& w, const Instr& in, uint32_t lanes) {
  hint_lanes(w, in, lanes, kLine);
  for_lanes(lanes, [&](unsigned l) {
    if (w.access.address[l] % kLine != 0)
      fault_address(w, in, l, FaultKind::kMisaligned, "discards", Space::kGlobal, w.access.address[l], kLine);
  });
}
void encode(const FormUse& use, Instr& in) {
  encode_memory(use, in, 0);
  in.aux = 2;
}
std::string check(const FormUse& use) {
  return use.operand(1).value == kLine ? std::string() : "the size of discard is 128";
}

}  // namespace

void register_memory_discard(IsaBuilder& isa) {
  isa.instruction("discard", "9.7.9.17", "Discard a line of the cache without writing it back.");
  isa.form("discard{.global}.L2 [a], #size")
      .kind(InstrKind::kStore)
      .op(OpClass::ccctl)
      .check(check)
      .encode(encode)
      .meaning(discard)
      .since("7.4")
      .needs("sm_80");
}

}  // namespace gpuloom::ptx
