// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.16 applypriority
//
//   applypriority{.global}.level::eviction_priority  [a], size;    .L2::evict_normal, size = 128
#include "ptx/isa/memory/hint_lanes.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

constexpr unsigned kLine = 128;

void applypriority(Warp& w, const Instr& in, uint32_t lanes) { hint_lanes(w, in, lanes, kLine); }
void encode(const FormUse& use, Instr& in) {
  encode_memory(use, in, 0);
  in.aux = 2;
}
std::string check(const FormUse& use) {
  return use.operand(1).value == kLine ? std::string() : "the size of applypriority is 128";
}

}  // namespace

void register_memory_applypriority(IsaBuilder& isa) {
  isa.instruction("applypriority", "9.7.9.16", "Apply an eviction priority to a line of the L2 cache.");
  isa.form("applypriority{.global}.L2::evict_normal [a], #size")
      .kind(InstrKind::kLoad)
      .op(OpClass::ccctl)
      .check(check)
      .encode(encode)
      .meaning(applypriority)
      .since("7.4")
      .needs("sm_80");
}

}  // namespace gpuloom::ptx
