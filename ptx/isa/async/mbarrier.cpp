// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.16.9 mbarrier.init, .10 mbarrier.inval, .17 mbarrier.pending_count
//
//   mbarrier.init{.shared{::cta}}.b64   [addr], count;
//   mbarrier.inval{.shared{::cta}}.b64  [addr];
//   mbarrier.pending_count.b64          count, state;
#include "ptx/exec/fault.h"
#include "ptx/isa/async/mbarrier_lanes.h"

namespace gpuloom::ptx {
namespace {

void init(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t* count = source<uint32_t>(w, in.ops[1]);
  for_mbarriers(w, in, lanes, 0, false, [&](unsigned l, const MbarrierPlace& m) {
    if (count[l] == 0 || count[l] > MbarrierWord::kCount)
      fault(w, in, l, FaultKind::kBarrier,
            "initialises an mbarrier with a count of " + std::to_string(count[l]) + ", not in 1 to 2^20 - 1");
    store_as(m.at, MbarrierWord::initial(count[l]).word());
    if (Checks* checks = w.launch->checks) checks->mbarrier_initialised(w, in, l, m);
  });
}

void inval(Warp& w, const Instr& in, uint32_t lanes) {
  for_mbarriers(w, in, lanes, 0, true,
                [&](unsigned, const MbarrierPlace& m) { store_as(m.at, uint64_t{0}); });
}

void pending_count(Warp& w, const Instr& in, uint32_t lanes) {
  const uint64_t* state = source<uint64_t>(w, in.ops[1]);
  uint32_t* d = row<uint32_t>(w, in.ops[0]);
  for_lanes(lanes, [&](unsigned l) { d[l] = MbarrierWord(state[l]).pending(); });
}

void encode(const FormUse& use, Instr& in) { in.target = memory_flags(use, 0).pack(); }

}  // namespace

void register_async_mbarrier(IsaBuilder& isa) {
  isa.instruction("mbarrier", "9.7.13.16", "Create, end and query mbarrier objects.");
  mbarrier_form(isa.form("mbarrier.init{.ss}.b64 [a], count:u32"))
      .set(".ss", kOwnShared)
      .encode(encode)
      .meaning(init);
  mbarrier_form(isa.form("mbarrier.inval{.ss}.b64 [a]")).set(".ss", kOwnShared).encode(encode).meaning(inval);
  isa.form("mbarrier.pending_count.b64 d:u32, state:b64")
      .op(OpClass::sgxt)
      .meaning(pending_count)
      .since("7.0")
      .needs("sm_80");
}

}  // namespace gpuloom::ptx
