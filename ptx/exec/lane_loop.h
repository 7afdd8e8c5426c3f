// SPDX-License-Identifier: Apache-2.0
// Turns the meaning of an instruction for one lane into the loop over a warp that the compiler vectorises.
//
//   LaneFn fn = per_lane([](uint32_t a, uint32_t b) { return a + b; });
//
// The lambda's signature says everything: the result type is the element of the destination row (ops[0]), the
// parameters are the elements of the source rows (ops[1], ops[2], ...). `bool` is a predicate: a parameter
// reads bit l of a mask, a result makes one. Immediates are constant rows, so they need no case of their own.
//
// - per_lane: for functions that may run for lanes that are switched off (they must not trap and have no side
//   effect). One vector loop; with a partial mask its results go through a buffer and are merged.
// - per_active_lane: for long functions (a library call, a loop): visits the lanes of the mask only.
// - per_half: for pairs of 16-bit values: the lambda does one half.
// - on_masks: for predicates, all lanes in one operation: on_masks([](uint32_t a, uint32_t b) { return a & b;
// }).
//
// A destination row may be one of the source rows, never part of one: a lane reads its own element before it
// is written, so the loops need no check for aliasing.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ptx/exec/warp.h"

#if defined(__clang__)
#define GPULOOM_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define GPULOOM_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace gpuloom::ptx {

constexpr unsigned kLanes = 32;
constexpr uint32_t kAllLanes = ~0u;

namespace lane {

// A source operand: element l of a row, or bit l of a predicate.
template <class T>
struct Source {
  const T* at;
  Source(const Warp& w, Place p) : at(source<T>(w, p)) {}
  T operator[](unsigned l) const { return at[l]; }
};
template <>
struct Source<bool> {  // spread out to one byte a lane, which vectorises where a shift by l and a select do
                       // not
  uint8_t flag[kLanes];
  Source(const Warp& w, Place p) {
    const uint32_t mask = predicate(w, p);
    for (unsigned l = 0; l < kLanes; ++l) flag[l] = static_cast<uint8_t>((mask >> l) & 1u);
  }
  bool operator[](unsigned l) const { return flag[l] != 0; }
};

// 1 << l, for each lane.
template <class Word>
struct LaneBits {
  Word lane[kLanes];
  constexpr LaneBits() : lane() {
    for (unsigned l = 0; l < kLanes; ++l) lane[l] = Word{1} << l;
  }
};
template <class Word>
constexpr LaneBits<Word> kBitOf;

// Bit l is F of lane l. The mask is gathered in words as wide as the widest source, so that nothing is
// repacked.
template <class F, class... T>
inline uint32_t mask_of(Source<T>... sources) {
  using Word = std::conditional_t<((sizeof(T) == 8) || ...), uint64_t, uint32_t>;
  Word mask = 0;
  GPULOOM_LANE_LOOP
  for (unsigned l = 0; l < kLanes; ++l) mask |= F{}(sources[l]...) ? kBitOf<Word>.lane[l] : Word{0};
  return static_cast<uint32_t>(mask);
}

template <size_t Bytes>
struct Bits;  // an unsigned integer of this size, which may look at any row
template <>
struct Bits<1> {
  using type [[gnu::may_alias]] = uint8_t;
};
template <>
struct Bits<2> {
  using type [[gnu::may_alias]] = uint16_t;
};
template <>
struct Bits<4> {
  using type [[gnu::may_alias]] = uint32_t;
};
template <>
struct Bits<8> {
  using type [[gnu::may_alias]] = uint64_t;
};

template <size_t Bytes>
[[gnu::noinline]] void merge_bits(void* destination, const void* from, uint32_t lanes) {
  using Word = typename Bits<Bytes>::type;
  Word* d = static_cast<Word*>(destination);
  const Word* f = static_cast<const Word*>(from);
  GPULOOM_LANE_LOOP
  for (unsigned l = 0; l < kLanes; ++l) {
    const Word taken = f[l], kept = d[l];
    d[l] = ((lanes >> l) & 1u) != 0 ? taken : kept;
  }
}

// Copies the lanes of `lanes` from a buffer to a row.
template <class T>
inline void merge(T* destination, const T* from, uint32_t lanes) {
  if constexpr (sizeof(T) <= 8) {
    merge_bits<sizeof(T)>(destination, from, lanes);
  } else {
    for (uint32_t left = lanes; left != 0; left &= left - 1)
      destination[std::countr_zero(left)] = from[std::countr_zero(left)];
  }
}

// Stores a buffer in a row for the lanes of `lanes`; for instructions with several results, whose rows may be
// sources.
template <class T>
inline void store(T* destination, const T* from, uint32_t lanes) {
  if (lanes == kAllLanes)
    std::memcpy(destination, from, kLanes * sizeof(T));
  else
    merge(destination, from, lanes);
}

template <class T, class F, class... Sources>
inline void fill_row(T* destination, uint32_t lanes, Sources... sources) {
  alignas(64) T partial[kLanes];
  T* out = lanes == kAllLanes ? destination : partial;
  GPULOOM_LANE_LOOP
  for (unsigned l = 0; l < kLanes; ++l) out[l] = F{}(sources[l]...);
  if (lanes != kAllLanes) merge(destination, partial, lanes);
}

template <class T, class F, class... Sources>
inline void fill_halves(T* destination, uint32_t lanes, Sources... sources) {
  static_assert(sizeof(T) == 2);
  alignas(64) T partial[2 * kLanes];
  T* out = lanes == kAllLanes ? destination : partial;
  GPULOOM_LANE_LOOP
  for (unsigned h = 0; h < 2 * kLanes; ++h) out[h] = F{}(sources[h]...);
  if (lanes != kAllLanes) merge_bits<4>(destination, partial, lanes);
}

template <class Function, class Signature>
struct Loops;

template <class F, class C, class R, class... A>
struct Loops<F, R (C::*)(A...) const> {
  template <size_t... K>
  static void all(Warp& w, const Instr& in, uint32_t lanes, std::index_sequence<K...>) {
    if constexpr (std::is_same_v<R, bool>)
      set_predicate(w, in.ops[0], lanes, mask_of<F>(Source<A>(w, in.ops[K + 1])...));
    else
      fill_row<R, F>(row<R>(w, in.ops[0]), lanes, Source<A>(w, in.ops[K + 1])...);
  }
  template <size_t... K>
  static void active(Warp& w, const Instr& in, uint32_t lanes, std::index_sequence<K...>) {
    R* destination = row<R>(w, in.ops[0]);
    const auto one = [&](unsigned l, Source<A>... sources) { destination[l] = F{}(sources[l]...); };
    for (uint32_t left = lanes; left != 0; left &= left - 1)
      one(static_cast<unsigned>(std::countr_zero(left)), Source<A>(w, in.ops[K + 1])...);
  }
  template <size_t... K>
  static void masks(Warp& w, const Instr& in, uint32_t lanes, std::index_sequence<K...>) {
    set_predicate(w, in.ops[0], lanes, F{}(predicate(w, in.ops[K + 1])...));
  }

  template <size_t... K>
  static void halves(Warp& w, const Instr& in, uint32_t lanes, std::index_sequence<K...>) {
    fill_halves<R, F>(row<R>(w, in.ops[0]), lanes, Source<A>(w, in.ops[K + 1])...);
  }

  static void run_halves(Warp& w, const Instr& in, uint32_t lanes) {
    halves(w, in, lanes, std::index_sequence_for<A...>{});
  }
  static void run_all(Warp& w, const Instr& in, uint32_t lanes) {
    all(w, in, lanes, std::index_sequence_for<A...>{});
  }
  static void run_active(Warp& w, const Instr& in, uint32_t lanes) {
    active(w, in, lanes, std::index_sequence_for<A...>{});
  }
  static void run_masks(Warp& w, const Instr& in, uint32_t lanes) {
    masks(w, in, lanes, std::index_sequence_for<A...>{});
  }
};

}  // namespace lane

template <class F>
constexpr LaneFn per_lane(F) {
  return &lane::Loops<F, decltype(&F::operator())>::run_all;
}
template <class F>
constexpr LaneFn per_active_lane(F) {
  return &lane::Loops<F, decltype(&F::operator())>::run_active;
}
// For pairs of halves in 32-bit registers: F of one half, and a row is 64 of them.
template <class F>
constexpr LaneFn per_half(F) {
  return &lane::Loops<F, decltype(&F::operator())>::run_halves;
}
template <class F>
constexpr LaneFn on_masks(F) {
  return &lane::Loops<F, decltype(&F::operator())>::run_masks;
}

}  // namespace gpuloom::ptx
