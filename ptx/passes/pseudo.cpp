// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/pseudo.h"

#include <bit>

#include "ptx/exec/simt.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

namespace {

template <class T, class Value>
void fill(Warp& warp, const Instr& in, uint32_t lanes, Value value) {
  T* out = row<T>(warp, in.ops[0]);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1u) != 0) out[lane] = static_cast<T>(value(lane));
  }
}

}  // namespace

void local_address(Warp& warp, const Instr& in, uint32_t lanes) {
  const uint64_t at = warp.local_frame + static_cast<uint64_t>(in.imm);
  if (in.type == Type::kU32) {
    fill<uint32_t>(warp, in, lanes, [&](unsigned) { return at; });
  } else {
    fill<uint64_t>(warp, in, lanes, [&](unsigned) { return at; });
  }
}

void offset_address(Warp& warp, const Instr& in, uint32_t lanes) {
  const uint64_t offset = static_cast<uint64_t>(in.imm);
  if (in.type == Type::kU32) {
    const uint32_t* base = source<uint32_t>(warp, in.ops[1]);
    fill<uint32_t>(warp, in, lanes, [&](unsigned lane) { return base[lane] + offset; });
  } else {
    const uint64_t* base = source<uint64_t>(warp, in.ops[1]);
    fill<uint64_t>(warp, in, lanes, [&](unsigned lane) { return base[lane] + offset; });
  }
}

void split_lanes(Warp& warp, const Instr& in, uint32_t) { split_by(warp, source<uint32_t>(warp, in.ops[0])); }

void skip_split(Warp& warp, const Instr& in, uint32_t lanes) {
  const uint32_t* masks = source<uint32_t>(warp, in.ops[0]);
  const uint32_t all = masks[std::countr_zero(lanes)] & ~warp.exited;
  bool together = all == warp.lanes;
  for (uint32_t m = lanes; m != 0 && together; m &= m - 1)
    together = (masks[std::countr_zero(m)] & ~warp.exited) == all;
  if (together) branch(warp, lanes, in.target);
}

void end_split(Warp& warp, const Instr& in, uint32_t lanes) { branch(warp, lanes, in.target); }

void reconverge_lanes(Warp& warp, const Instr&, uint32_t) { reconverge(warp); }

}  // namespace gpuloom::ptx
