// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.16.13 mbarrier.arrive, .14 mbarrier.arrive_drop
//
//   mbarrier.arrive{.sem.scope}{.shared{::cta, ::cluster}}.b64            state, [addr]{, count};
//   mbarrier.arrive{.sem.scope}{.shared::cluster}.b64                     _, [addr]{, count};
//   mbarrier.arrive.expect_tx{.sem.scope}{.shared{::cta, ::cluster}}.b64  state, [addr], txCount;
//   mbarrier.arrive.noComplete{.release.cta}{.shared{::cta}}.b64          state, [addr], count;
//   and the same with mbarrier.arrive_drop
//
// The state is undefined for an mbarrier of another block (PTX ISA); ours returns it all the same.
#include "ptx/exec/fault.h"
#include "ptx/isa/async/mbarrier_lanes.h"

namespace gpuloom::ptx {
namespace {

enum class Kind : uint8_t { kPlain, kExpect, kNoComplete };

template <Kind K, bool Drop>
void arrive(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t* number = in.ops[2].present() ? source<uint32_t>(w, in.ops[2]) : nullptr;
  uint64_t* state = in.ops[0].present() ? row<uint64_t>(w, in.ops[0]) : nullptr;
  for_mbarriers(w, in, lanes, 1, true, [&](unsigned l, const MbarrierPlace& m) {
    const uint64_t before = load_as<uint64_t>(m.at);
    if constexpr (K == Kind::kExpect) mbarrier_expect_tx(w, in, l, m, number[l]);
    const uint32_t count = K == Kind::kExpect || number == nullptr ? 1 : number[l];
    mbarrier_arrive(w, in, l, m, count, Drop);
    if (K == Kind::kNoComplete &&
        MbarrierWord(load_as<uint64_t>(m.at)).parity() != MbarrierWord(before).parity())
      fault(w, in, l, FaultKind::kBarrier, "completes an mbarrier's phase with .noComplete");
    if (state != nullptr) state[l] = before;
  });
}

template <Kind K>
LaneFn pick(const FormUse& use) {
  return use.form().instruction->mnemonic == "mbarrier.arrive_drop" ? static_cast<LaneFn>(arrive<K, true>)
                                                                    : arrive<K, false>;
}

void encode(const FormUse& use, Instr& in) { in.target = memory_flags(use, 1).pack(); }

void declare(IsaBuilder& isa, const std::string& word, std::string_view section, std::string_view summary) {
  isa.instruction(word, section, summary);
  const auto common = [](FormBuilder form) { return mbarrier_form(form).encode(encode); };
  const auto ordered = [&](FormBuilder form) {
    return common(form)
        .set(".sem", ".release@8.0 .relaxed@8.0,sm_90")
        .set(".scope", ".cta .cluster@8.0,sm_90")
        .set(".ss", kAnyShared);
  };
  ordered(isa.form(word + "{.sem}{.scope}{.ss}.b64 d, [a]")).meaning(pick<Kind::kPlain>);
  ordered(isa.form(word + "{.sem}{.scope}{.ss}.b64 d, [a], count:u32"))
      .meaning(pick<Kind::kPlain>)
      .since("7.8")
      .needs("sm_90");
  ordered(isa.form(word + ".expect_tx{.sem}{.scope}{.ss}.b64 d, [a], tx:u32"))
      .meaning(pick<Kind::kExpect>)
      .since("8.0")
      .needs("sm_90");
  common(isa.form(word + ".noComplete{.release}{.cta}{.ss}.b64 d, [a], count:u32"))
      .set(".release", ".release@8.0")
      .set(".ss", kOwnShared)
      .meaning(pick<Kind::kNoComplete>);
}

}  // namespace

void register_async_mbarrier_arrive(IsaBuilder& isa) {
  declare(isa, "mbarrier.arrive", "9.7.13.16.13", "Arrive at an mbarrier.");
  declare(isa, "mbarrier.arrive_drop", "9.7.13.16.14", "Arrive at an mbarrier and take part no longer.");
}

}  // namespace gpuloom::ptx
