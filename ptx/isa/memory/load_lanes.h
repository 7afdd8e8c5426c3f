// SPDX-License-Identifier: Apache-2.0
// Moving bytes between located memory and rows of registers. M is the type in memory, R the row's; R is at
// least as wide (PTX ISA 9.4.1): loads extend by M's sign, stores drop the upper bits.
#pragma once
#include <type_traits>

#include "ptx/exec/cta.h"
#include "ptx/exec/memory_path.h"
#include "ptx/exec/store_order.h"

namespace gpuloom::ptx {

template <class R, class M>
inline R widened(M value) {
  if constexpr (std::is_same_v<M, Wide> || std::is_same_v<R, Wide>)
    return value;
  else
    return static_cast<R>(value);
}

// Row k of the value operand: the operand itself, or element k of a vector.
inline Place value_place(const Warp& w, const Instr& in, unsigned operand, unsigned k) {
  return in.vec == 1 ? in.ops[operand] : w.program->extra[static_cast<size_t>(in.ops[operand].at) + k];
}

template <class T>
inline void fill_lanes(T* to, uint32_t lanes, T value) {
  if (lanes == ~0u) {
    for (unsigned l = 0; l < 32; ++l) to[l] = value;
  } else {
    for_lanes(lanes, [&](unsigned l) { to[l] = value; });
  }
}

template <class M, class R>
inline void move_in(Warp& w, R* to, const Located& where, uint32_t lanes, uint32_t at) {
  const uint64_t* a = w.access.address;
  if (!where.linear) {
    for_lanes(lanes, [&](unsigned l) {
      if constexpr (sizeof(M) <= 4) {
        to[l] = widened<R>(load_as<M>(lane_pointer(w, l, at)));
      } else {
        M value;
        for (uint32_t b = 0; b < sizeof(M); b += 4)
          std::memcpy(reinterpret_cast<uint8_t*>(&value) + b, lane_pointer(w, l, at + b), 4);
        to[l] = widened<R>(value);
      }
    });
    return;
  }
  const uint8_t* base = reinterpret_cast<const uint8_t*>(where.base + at);
  if (where.pattern == Pattern::kUniform) {
    fill_lanes(to, lanes, widened<R>(load_as<M>(base + a[0])));
  } else if (lanes != ~0u) {
    for_lanes(lanes, [&](unsigned l) { to[l] = widened<R>(load_as<M>(base + a[l])); });
  } else if (where.pattern == Pattern::kConsecutive && w.access.lane_bytes == sizeof(M)) {
    const uint8_t* from = base + a[0];
    if constexpr (std::is_same_v<M, R>)
      std::memcpy(to, from, 32 * sizeof(M));
    else
      for (unsigned l = 0; l < 32; ++l) to[l] = widened<R>(load_as<M>(from + l * sizeof(M)));
  } else {
    for (unsigned l = 0; l < 32; ++l) to[l] = widened<R>(load_as<M>(base + a[l]));
  }
}

template <class M, class R>
inline void move_out(Warp& w, const R* from, const Located& where, uint32_t lanes, uint32_t at) {
  const auto narrowed = [](R v) {
    if constexpr (std::is_same_v<R, M>)
      return v;
    else
      return static_cast<M>(v);
  };
  const uint64_t* a = w.access.address;
  if (!where.linear) {
    for_storing_lanes(lanes, w.access.lane_bytes, [&](unsigned l) {
      const M value = narrowed(from[l]);
      if constexpr (sizeof(M) <= 4) {
        store_as(lane_pointer(w, l, at), value);
      } else {
        for (uint32_t b = 0; b < sizeof(M); b += 4)
          std::memcpy(lane_pointer(w, l, at + b), reinterpret_cast<const uint8_t*>(&value) + b, 4);
      }
    });
    return;
  }
  uint8_t* base = reinterpret_cast<uint8_t*>(where.base + at);
  if (lanes == ~0u && where.pattern == Pattern::kConsecutive && w.access.lane_bytes == sizeof(M)) {
    uint8_t* to = base + a[0];
    if constexpr (std::is_same_v<M, R>)
      std::memcpy(to, from, 32 * sizeof(M));
    else
      for (unsigned l = 0; l < 32; ++l) store_as(to + l * sizeof(M), narrowed(from[l]));
  } else {
    for_storing_lanes(lanes, w.access.lane_bytes,
                      [&](unsigned l) { store_as(base + a[l], narrowed(from[l])); });
  }
}

// Calls pick(M{}, R{}) for a memory type and a register width; nullptr for what the manual does not allow.
template <class M, class Pick>
LaneFn by_register(unsigned register_bits, Pick pick) {
  if constexpr (sizeof(M) == 1)
    if (register_bits == 8) return pick(M{}, uint8_t{});
  if constexpr (sizeof(M) <= 2)
    if (register_bits == 16) return pick(M{}, uint16_t{});
  if constexpr (sizeof(M) <= 4)
    if (register_bits == 32) return pick(M{}, uint32_t{});
  if (register_bits == 64) return pick(M{}, uint64_t{});
  return nullptr;
}
template <class Pick>
LaneFn by_memory_type(Type type, unsigned register_bits, Pick pick) {
  const bool sign = is_signed(type);
  const unsigned width = bits(type);
  if (register_bits == 0) register_bits = width;
  if (width == 128) return register_bits == 128 ? pick(Wide{}, Wide{}) : nullptr;
  if (register_bits == width) {  // no extension: one instantiation for both signs
    switch (width) {
      case 8:
        return pick(uint8_t{}, uint8_t{});
      case 16:
        return pick(uint16_t{}, uint16_t{});
      case 32:
        return pick(uint32_t{}, uint32_t{});
      default:
        return pick(uint64_t{}, uint64_t{});
    }
  }
  switch (width) {
    case 8:
      return sign ? by_register<int8_t>(register_bits, pick) : by_register<uint8_t>(register_bits, pick);
    case 16:
      return sign ? by_register<int16_t>(register_bits, pick) : by_register<uint16_t>(register_bits, pick);
    case 32:
      return sign ? by_register<int32_t>(register_bits, pick) : by_register<uint32_t>(register_bits, pick);
    default:
      return nullptr;
  }
}

// Nobody looks at Warp::access: neither time is modelled, nor are there checks or an observer, who captures
// copies too (warp_runs.cpp).
inline bool unwatched(const Warp& w) {
  return w.launch->timeless && w.launch->checks == nullptr && w.async == nullptr;
}

// A parameter at a place of its own, without the memory path: each thread begins with such loads. False: it
// is otherwise, or the memory path has to say what is wrong with it.
template <class M, class R>
inline bool load_parameter(Warp& w, const Instr& in, uint32_t lanes) {
  const std::vector<uint8_t>& parameters = w.launch->params;
  const uint64_t bytes = sizeof(M) * in.vec;
  const auto at = static_cast<uint64_t>(in.imm);
  const bool based = (in.target & 3) != 0;
  if (based || at > parameters.size() || bytes > parameters.size() - at || (at & (bytes - 1)) != 0)
    return false;
  for (unsigned k = 0; k < in.vec; ++k) {
    const Place d = value_place(w, in, 0, k);
    if (d.present())
      fill_lanes(row<R>(w, d), lanes, widened<R>(load_as<M>(parameters.data() + at + k * sizeof(M))));
  }
  return true;
}

// Lane functions of loads: [ops[1] + imm] -> ops[0].
template <class M, class R>
void load_lanes(Warp& w, const Instr& in, uint32_t lanes) {
  if (in.space == Space::kParam && unwatched(w) && load_parameter<M, R>(w, in, lanes)) return;
  const Located where = locate(w, in, in.ops[1], lanes, sizeof(M) * in.vec, AccessOp::kLoad);
  if (in.ops[2].present()) w.access.policy = source<uint64_t>(w, in.ops[2])[std::countr_zero(lanes)];
  if (takes_effect_late(w, in)) {
    const uint32_t late = global_lanes(w);
    if (late != 0) {
      capture_load(w, in, late, sizeof(M), sizeof(R), std::is_signed_v<M>);
      lanes &= ~late;
      if (lanes == 0) return;
    }
  } else if (must_wait_for_late(w, in, lanes)) {
    return;
  }
  for (unsigned k = 0; k < in.vec; ++k) {
    const Place d = value_place(w, in, 0, k);
    if (d.present()) move_in<M>(w, row<R>(w, d), where, lanes, k * static_cast<uint32_t>(sizeof(M)));
  }
}

// [ops[0] + imm] <- ops[1].
template <class M, class R>
void store_lanes(Warp& w, const Instr& in, uint32_t lanes) {
  using Memory = std::conditional_t<std::is_same_v<M, Wide>, Wide, M>;
  const Located where = locate(w, in, in.ops[0], lanes, sizeof(M) * in.vec, AccessOp::kStore);
  if (in.ops[2].present()) w.access.policy = source<uint64_t>(w, in.ops[2])[std::countr_zero(lanes)];
  if (takes_effect_late(w, in)) {
    const uint32_t late = global_lanes(w);
    if (late != 0) {
      const unsigned size = sizeof(M) * in.vec;
      uint8_t* to = capture_store(w, late, size);
      for (unsigned k = 0; k < in.vec; ++k) {
        const R* from = source<R>(w, value_place(w, in, 1, k));
        for_lanes(late, [&](unsigned l) {
          std::memcpy(to + l * kOperandBytes + k * sizeof(M), &from[l], sizeof(M));
        });
      }
      lanes &= ~late;
      if (lanes == 0) return;
    }
  } else if (must_wait_for_late(w, in, lanes)) {
    return;
  }
  for (unsigned k = 0; k < in.vec; ++k)
    move_out<Memory>(w, source<R>(w, value_place(w, in, 1, k)), where, lanes,
                     k * static_cast<uint32_t>(sizeof(M)));
}

}  // namespace gpuloom::ptx
