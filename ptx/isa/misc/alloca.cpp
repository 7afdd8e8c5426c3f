// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.17.3 alloca
//
//   alloca.type  ptr, size{, immAlign};    .type = { .u32, .u64 }
//
// ptr is an address in .local, aligned to immAlign (8 without it). The memory lives until the function
// returns or stackrestore takes it back.
#include <bit>
#include <string>

#include "ptx/exec/memory_path.h"
#include "ptx/exec/simt.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class T>
void alloca_lanes(Warp& w, const Instr& in, uint32_t lanes) {
  T* d = row<T>(w, in.ops[0]);
  const T* size = source<T>(w, in.ops[1]);
  const uint32_t align = in.extra;
  uint32_t* top = stack_tops(w);
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t at = (uint64_t(top[l]) + align - 1) / align * align;
    reserve_local(w, at + size[l]);
    top[l] = static_cast<uint32_t>(at + size[l]);
    d[l] = static_cast<T>(at);
  });
}

LaneFn pick(const FormUse& use) {
  return bits(use.type()) == 64 ? static_cast<LaneFn>(alloca_lanes<uint64_t>) : alloca_lanes<uint32_t>;
}
void encode(const FormUse& use, Instr& in) {
  constexpr uint32_t kDefault = 8;
  const int64_t align = use.operand(2).kind == OperandKind::kNone ? kDefault : use.operand(2).value;
  in.extra = static_cast<uint32_t>(align);
}
std::string check(const FormUse& use) {
  const Operand& align = use.operand(2);
  if (align.kind == OperandKind::kNone) return {};
  const bool good =
      align.value > 0 && align.value <= (1 << 23) && std::has_single_bit(static_cast<uint64_t>(align.value));
  return good ? std::string() : "the alignment is a power of two, at most 2^23";
}

}  // namespace

void register_misc_alloca(IsaBuilder& isa) {
  isa.instruction("alloca", "9.7.17.3", "Allocate stack memory.");
  isa.form("alloca.type d, size{, #align}")
      .set(".type", ".u32 .u64")
      .op(OpClass::iadd)
      .check(check)
      .encode(encode)
      .meaning(pick)
      .since("7.3")
      .needs("sm_52");
}

}  // namespace gpuloom::ptx
