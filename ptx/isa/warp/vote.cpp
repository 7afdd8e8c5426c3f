// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.9 vote.sync, 9.7.13.8 vote (deprecated, sm_6x and earlier)
//
//   vote.sync.mode.pred   d, {!}a, membermask;    .mode = { .all, .any, .uni }
//   vote.sync.ballot.b32  d, {!}a, membermask;
//   vote.mode.pred        d, {!}a;
//   vote.ballot.b32       d, {!}a;
//
// ptxas also takes the mode before .sync (vote.ballot.sync.b32); both are accepted.
#include "ptx/exec/warp_sync.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

enum class Mode : uint8_t { kAll, kAny, kUni, kBallot };

// Instr::aux: the predicate is negated.
template <Mode M>
void vote_group(Warp& w, const Instr& in, uint32_t group) {
  const uint32_t p = predicate(w, in.ops[1]);
  const uint32_t yes = (in.aux ? ~p : p) & group;
  if constexpr (M == Mode::kBallot) {
    uint32_t* d = row<uint32_t>(w, in.ops[0]);
    for_lanes(group, [&](unsigned l) { d[l] = yes; });
  } else {
    const bool result = M == Mode::kAll   ? yes == group
                        : M == Mode::kAny ? yes != 0
                                          : yes == group || yes == 0;
    set_predicate(w, in.ops[0], group, result ? ~0u : 0);
  }
}

template <Mode M>
void vote_sync(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_members(w, in, lanes, in.ops[2]);
  if (lanes != 0)
    for_groups(w, lanes, in.ops[2], [&](uint32_t group, uint32_t) { vote_group<M>(w, in, group); });
}
template <Mode M>
void vote(Warp& w, const Instr& in, uint32_t lanes) {
  vote_group<M>(w, in, lanes);
}

template <bool Sync, Mode M>
constexpr LaneFn kFn = Sync ? vote_sync<M> : vote<M>;

template <bool Sync>
LaneFn pick(const FormUse& use) {
  if (use.has(".all")) return kFn<Sync, Mode::kAll>;
  if (use.has(".any")) return kFn<Sync, Mode::kAny>;
  if (use.has(".uni")) return kFn<Sync, Mode::kUni>;
  return kFn<Sync, Mode::kBallot>;
}

void encode(const FormUse& use, Instr& in) {
  in.aux = use.operand(1).negated;
  in.uniform = 0;  // .uni is a mode here
}

FormBuilder common(FormBuilder form) { return form.op(OpClass::vote).encode(encode); }
FormBuilder synced(FormBuilder form) {
  return common(form).kind(InstrKind::kWarpSync).meaning(pick<true>).since("6.0").needs("sm_30");
}

}  // namespace

void register_warp_vote(IsaBuilder& isa) {
  isa.instruction("vote", "9.7.13.9", "Vote across the threads of a warp.");
  synced(isa.form("vote.sync.mode.pred d, {!}a, membermask:u32")).set(".mode", ".all .any .uni");
  synced(isa.form("vote.sync.ballot.b32 d, {!}a:pred, membermask:u32"));
  synced(isa.form("vote.mode.sync.pred d, {!}a, membermask:u32")).set(".mode", ".all .any .uni");
  synced(isa.form("vote.ballot.sync.b32 d, {!}a:pred, membermask:u32"));
  common(isa.form("vote.mode.pred d, {!}a"))
      .set(".mode", ".all .any .uni")
      .meaning(pick<false>)
      .since("1.2")
      .needs("sm_12");
  common(isa.form("vote.ballot.b32 d, {!}a:pred")).meaning(pick<false>).since("2.0").needs("sm_20");
}

}  // namespace gpuloom::ptx
