// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.6 shfl.sync, 9.7.9.5 shfl (deprecated, sm_6x and earlier)
//
//   shfl.sync.mode.b32  d[|p], a, b, c, membermask;    .mode = { .up, .down, .bfly, .idx }
//   shfl.mode.b32       d[|p], a, b, c;
//
// What a lane reads from one that does not take part is undefined (PTX ISA); here it is that lane's register.
#include "ptx/exec/warp_sync.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

enum class Mode : uint8_t { kUp, kDown, kBfly, kIdx };

// Source lane; `in_range` is the predicate result.
template <Mode M>
unsigned source_lane(unsigned lane, uint32_t b, uint32_t c, bool& in_range) {
  const uint32_t value = b & 31, clamp = c & 31, mask = c >> 8 & 31;
  const uint32_t most = (lane & mask) | (clamp & ~mask & 31), least = lane & mask;
  int j;
  if constexpr (M == Mode::kUp) {
    j = static_cast<int>(lane) - static_cast<int>(value);
    in_range = j >= static_cast<int>(most);
  } else {
    if constexpr (M == Mode::kDown) j = static_cast<int>(lane + value);
    if constexpr (M == Mode::kBfly) j = static_cast<int>(lane ^ value);
    if constexpr (M == Mode::kIdx) j = static_cast<int>(least | (value & ~mask));
    in_range = j <= static_cast<int>(most);
  }
  return in_range ? static_cast<unsigned>(j) : lane;
}

template <Mode M>
void shuffle(Warp& w, const Instr& in, uint32_t lanes) {
  uint32_t values[32];
  std::memcpy(values, source<uint32_t>(w, in.ops[2]), sizeof values);
  const uint32_t* b = source<uint32_t>(w, in.ops[3]);
  const uint32_t* c = source<uint32_t>(w, in.ops[4]);
  uint32_t* d = row<uint32_t>(w, in.ops[0]);
  uint32_t ranges = 0;
  // The destination may be the row of b or c: lanes read theirs before they write.
  if (lanes == ~0u) {
    uint32_t results[32];
    for (unsigned l = 0; l < 32; ++l) {
      bool in_range;
      results[l] = values[source_lane<M>(l, b[l], c[l], in_range)];
      ranges |= uint32_t(in_range) << l;
    }
    std::memcpy(d, results, sizeof results);
  } else {
    for_lanes(lanes, [&](unsigned l) {
      bool in_range;
      d[l] = values[source_lane<M>(l, b[l], c[l], in_range)];
      ranges |= uint32_t(in_range) << l;
    });
  }
  if (in.ops[1].present()) set_predicate(w, in.ops[1], lanes, ranges);
}

template <Mode M>
void shuffle_sync(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_members(w, in, lanes, in.ops[5]);
  if (lanes != 0) shuffle<M>(w, in, lanes);
}

template <bool Sync, Mode M>
constexpr LaneFn kFn = Sync ? shuffle_sync<M> : shuffle<M>;

template <bool Sync>
LaneFn pick(const FormUse& use) {
  const std::string_view mode = use.mod(".mode");
  if (mode == ".up") return kFn<Sync, Mode::kUp>;
  if (mode == ".down") return kFn<Sync, Mode::kDown>;
  if (mode == ".bfly") return kFn<Sync, Mode::kBfly>;
  return kFn<Sync, Mode::kIdx>;
}

constexpr std::string_view kModes = ".up .down .bfly .idx";

}  // namespace

void register_warp_shfl(IsaBuilder& isa) {
  isa.instruction("shfl", "9.7.9.6", "Exchange registers between the threads of a warp.");
  isa.form("shfl.sync.mode.b32 d{|p}, a, b:u32, c:u32, membermask:u32")
      .set(".mode", kModes)
      .kind(InstrKind::kWarpSync)
      .op(OpClass::shfl)
      .meaning(pick<true>)
      .since("6.0")
      .needs("sm_30");
  isa.form("shfl.mode.b32 d{|p}, a, b:u32, c:u32")
      .set(".mode", kModes)
      .op(OpClass::shfl)
      .meaning(pick<false>)
      .since("3.0")
      .needs("sm_30");
}

}  // namespace gpuloom::ptx
