// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.16.16 mbarrier.test_wait, mbarrier.try_wait
//
//   mbarrier.test_wait{.sem.scope}{.shared{::cta}}.b64         waitComplete, [addr], state;
//   mbarrier.test_wait.parity{.sem.scope}{.shared{::cta}}.b64  waitComplete, [addr], phaseParity;
//   mbarrier.try_wait{.sem.scope}{.shared{::cta}}.b64          waitComplete, [addr], state{,
//   suspendTimeHint}; mbarrier.try_wait.parity{...}.b64                          waitComplete, [addr],
//   phaseParity{, suspendTimeHint};
//
// try_wait suspends the lanes (Wait::kMbarrier) until the phase completes or the engine says that the time is
// up (Warp::suspend_expired). Lanes of different phases: it suspends only where none of them is complete.
#include <algorithm>

#include "ptx/isa/async/mbarrier_lanes.h"

namespace gpuloom::ptx {
namespace {

// Time limit without a hint. The manual says "system-dependent"; 10 ms is a guess: long against any pipeline,
// short against a hang.
constexpr uint64_t kDefaultLimitNs = 10'000'000;

template <bool Parity>
uint32_t completed(Warp& w, const Instr& in, uint32_t lanes) {
  uint32_t result = 0;
  for_mbarriers(w, in, lanes, 1, true, [&](unsigned l, const MbarrierPlace& m) {
    const MbarrierWord now(load_as<uint64_t>(m.at));
    const unsigned parity = Parity ? source<uint32_t>(w, in.ops[2])[l] & 1
                                   : MbarrierWord(source<uint64_t>(w, in.ops[2])[l]).parity();
    if (now.parity() == parity) return;
    result |= 1u << l;
    if (Checks* checks = w.launch->checks) checks->mbarrier_waited(w, l, m);
  });
  return result;
}

template <bool Parity>
void test_wait(Warp& w, const Instr& in, uint32_t lanes) {
  set_predicate(w, in.ops[0], lanes, completed<Parity>(w, in, lanes));
}

template <bool Parity>
void try_wait(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t done = completed<Parity>(w, in, lanes);
  if (done == 0 && !w.suspend_expired) {
    --w.executed;  // counted when it is carried out
    narrow_set(w, lanes);
    w.pc = static_cast<uint32_t>(&in - w.code);
    w.sleep_ns =
        in.ops[3].present() ? source<uint32_t>(w, in.ops[3])[std::countr_zero(lanes)] : kDefaultLimitNs;
    block_set(w, Wait::kMbarrier);
    return;
  }
  w.suspend_expired = false;
  set_predicate(w, in.ops[0], lanes, done);
}

void encode(const FormUse& use, Instr& in) { in.target = memory_flags(use, 1).pack(); }

FormBuilder common(FormBuilder form) {
  return mbarrier_form(form)
      .set(".sem", ".acquire@8.0 .relaxed@8.0,sm_90")
      .set(".scope", ".cta@8.0 .cluster@8.0,sm_90")
      .set(".ss", kOwnShared)
      .encode(encode);
}

}  // namespace

#define TAIL "{.sem}{.scope}{.ss}.b64 p, [a], "

void register_async_mbarrier_wait(IsaBuilder& isa) {
  isa.instruction("mbarrier.test_wait", "9.7.13.16.16", "Test whether a phase of an mbarrier has completed.");
  common(isa.form("mbarrier.test_wait" TAIL "state:b64")).meaning(test_wait<false>);
  common(isa.form("mbarrier.test_wait.parity" TAIL "parity:u32")).meaning(test_wait<true>).since("7.1");
  isa.instruction("mbarrier.try_wait", "9.7.13.16.16",
                  "Wait, for a while, until a phase of an mbarrier completes.");
  common(isa.form("mbarrier.try_wait" TAIL "state:b64{, hint:u32}"))
      .meaning(try_wait<false>)
      .since("7.8")
      .needs("sm_90");
  common(isa.form("mbarrier.try_wait.parity" TAIL "parity:u32{, hint:u32}"))
      .meaning(try_wait<true>)
      .since("7.8")
      .needs("sm_90");
}

}  // namespace gpuloom::ptx
