// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.16.11 mbarrier.expect_tx, .12 mbarrier.complete_tx
//
//   mbarrier.expect_tx{.relaxed.scope}{.shared{::cta, ::cluster}}.b64    [addr], txCount;
//   mbarrier.complete_tx{.relaxed.scope}{.shared{::cta, ::cluster}}.b64  [addr], txCount;
#include "ptx/isa/async/mbarrier_lanes.h"

namespace gpuloom::ptx {
namespace {

template <bool Complete>
void transactions(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t* bytes = source<uint32_t>(w, in.ops[1]);
  for_mbarriers(w, in, lanes, 0, true, [&](unsigned l, const MbarrierPlace& m) {
    (Complete ? mbarrier_complete_tx : mbarrier_expect_tx)(w, in, l, m, bytes[l]);
  });
}

void encode(const FormUse& use, Instr& in) { in.target = memory_flags(use, 0).pack(); }

FormBuilder common(FormBuilder form) {
  return mbarrier_form(form)
      .set(".scope", ".cta .cluster")
      .set(".ss", kAnyShared)
      .encode(encode)
      .since("8.0")
      .needs("sm_90");
}

}  // namespace

void register_async_mbarrier_tx(IsaBuilder& isa) {
  isa.instruction("mbarrier.expect_tx", "9.7.13.16.11",
                  "Expect transactions in the current phase of an mbarrier.");
  common(isa.form("mbarrier.expect_tx{.relaxed}{.scope}{.ss}.b64 [a], tx:u32")).meaning(transactions<false>);
  isa.instruction("mbarrier.complete_tx", "9.7.13.16.12", "Complete transactions of an mbarrier.");
  common(isa.form("mbarrier.complete_tx{.relaxed}{.scope}{.ss}.b64 [a], tx:u32")).meaning(transactions<true>);
}

}  // namespace gpuloom::ptx
