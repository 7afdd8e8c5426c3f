// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.14 st.bulk
//
//   st.bulk{.weak}{.shared::cta}  [a], size, initval;    initval = 0
//
// Writes zeros; address and size are multiples of 8.
#include "ptx/exec/check/checks.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/exec/memory_path.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class Size>
void st_bulk(Warp& w, const Instr& in, uint32_t lanes) {
  const Size* size = source<Size>(w, in.ops[1]);
  locate(w, in, in.ops[0], lanes, 8, AccessOp::kStore);
  for_lanes(lanes, [&](unsigned l) {
    if (w.access.space != Space::kShared || w.access.mixed_spaces)
      fault_address(w, in, l, FaultKind::kWrongSpace, "zeroes", Space::kGeneric, w.access.address[l],
                    size[l]);
    if (size[l] % 8 != 0)
      fault(w, in, l, FaultKind::kIllegal,
            "zeroes " + std::to_string(size[l]) + " bytes, not a multiple of 8");
    std::memset(host_of(w, in, l, Space::kShared, w.access.address[l], size[l], AccessOp::kStore), 0,
                size[l]);
    if (Checks* checks = w.launch->checks)
      checks->touched(w, in, l, Space::kShared, w.access.address[l], size[l], true);
  });
}

LaneFn pick(const FormUse& use) {
  return use.register_bits(1) == 32 ? static_cast<LaneFn>(st_bulk<uint32_t>) : st_bulk<uint64_t>;
}
void encode(const FormUse& use, Instr& in) { encode_memory(use, in, 0); }
std::string check(const FormUse& use) {
  return use.operand(2).value == 0 ? std::string() : "the initial value of st.bulk is 0";
}

}  // namespace

void register_memory_st_bulk(IsaBuilder& isa) {
  isa.instruction("st.bulk", "9.7.9.14", "Initialise a region of shared memory.");
  isa.form("st.bulk{.weak}{.ss} [a], size:u64, #initval")
      .set(".ss", ".shared::cta")
      .kind(InstrKind::kStore)
      .op(OpClass::sts)
      .check(check)
      .encode(encode)
      .meaning(pick)
      .since("8.6")
      .needs("sm_100");
}

}  // namespace gpuloom::ptx
