// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/tensor_operands.h"

#include <algorithm>

namespace gpuloom::ptx {

namespace {

// Header and last block of the innermost loop around a block; the same block twice where there is none.
struct Span {
  uint32_t first = 0, last = 0;
  bool loop = false;
};

Span loop_around(const Selection& s, uint32_t block) {
  const Flow& flow = s.flow();
  for (uint32_t header = block + 1; header-- > flow.first_block[s.function()];) {
    for (const uint32_t latch : flow.predecessors[header])
      if (latch >= block) return {header, latch, true};
  }
  return {block, block, false};
}

// Whether the address of a map is a parameter's, which cvta.param made of it.
bool names_parameter(const Selection& s, Place place, unsigned depth) {
  constexpr unsigned kDeepest = 6;
  const Program& p = s.program();
  const uint32_t from = place.present() && !place.constant() ? s.maker(place) : UINT32_MAX;
  if (from == UINT32_MAX || depth == kDeepest) return false;
  if (const Variable* v = s.symbol_of(from); v != nullptr) return v->space == Space::kParam;
  const Shape shape = s.shape(from);
  if (shape != Shape::kRename && shape != Shape::kMove && shape != Shape::kExtend) return false;
  for (uint32_t r = p.ref_begin[from]; r < p.ref_begin[from + 1]; ++r)
    if (!p.refs[r].defines && names_parameter(s, p.refs[r].place, depth + 1)) return true;
  return false;
}

bool is_tensor_copy(const Selection& s, uint32_t i) {
  return s.op_class(i) == OpClass::utma && s.instr(i).kind == InstrKind::kAsyncCopy;
}

// Operands of a tensor copy in PTX's order: [dst], [map, {c}], [mbar]; [map, {c}], [src]; [map, {c}].
struct Places {
  Place map, shared, barrier;
  uint32_t coordinates = 0;  // first, in Program::extra
};

Places places_of(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  const std::string_view syntax = s.use(i).form().syntax;
  const bool loads = syntax.find("[dst], [map") != std::string_view::npos;
  const auto list = static_cast<uint32_t>(in.ops[loads ? 1 : 0].at);
  Places places{s.program().extra[list], {}, {}, list + 1};
  if (loads) places.barrier = in.ops[2];
  if (loads) places.shared = in.ops[0];
  if (!loads && syntax.find("[src]") != std::string_view::npos) places.shared = in.ops[1];
  return places;
}

// ptxas loads the generic window's begin of parameters once, and where several blocks want it, to vector
// registers. Each copy then adds the map's offset anew and takes the sum twice through R2UR.
bool shares_window(const Selection& s, uint32_t i) {
  const Flow& flow = s.flow();
  const uint32_t f = s.function();
  for (uint32_t b = flow.first_block[f]; b < flow.first_block[f + 1]; ++b) {
    if (b == s.block_of(i)) continue;
    for (uint32_t k = flow.blocks[b].first; k <= flow.blocks[b].last; ++k)
      if (is_tensor_copy(s, k) && names_parameter(s, places_of(s, k).map, 0)) return true;
  }
  return false;
}

void add_map(const Selection& s, Emitter& out, uint32_t i, const Places& places, TensorOperands& operands) {
  if (!names_parameter(s, places.map, 0)) return;
  std::vector<uint32_t> halves = out.source(places.map);
  if (!shares_window(s, i)) {
    halves.push_back(out.make(OpClass::iadd, halves, 1, true));
    operands.made.push_back(out.make(OpClass::iadd, halves, 1, true));
    return;
  }
  const uint32_t low = out.make(OpClass::iadd, halves, 1);
  halves.push_back(low);
  for (uint32_t half : {low, out.make(OpClass::imad, halves, 1)}) {
    const uint32_t first = out.make(OpClass::mov, {half}, 1);  // R2UR
    out.make_uniform(first);
    half = out.make(OpClass::imad, {first}, 1);
    operands.made.push_back(out.make(OpClass::mov, {half}, 1));
    out.make_uniform(operands.made.back());
  }
}

}  // namespace

bool is_made_here(const Selection& s, uint32_t i) {
  const Span loop = loop_around(s, s.block_of(i));
  if (!loop.loop) return true;
  const Place guard = s.instr(i).guard;
  const uint32_t from = guard.present() ? s.maker(guard) : UINT32_MAX;
  return guard.present() && (from == UINT32_MAX || s.block_of(from) >= loop.first);
}

std::vector<uint32_t> vote_on_guard(const Selection& s, Emitter& out, uint32_t i) {
  if (!s.instr(i).guard.present()) return {};
  return {out.make(OpClass::vote, out.source(s.instr(i).guard), 1, true)};
}

TensorOperands add_tensor_operands(const Selection& s, Emitter& out, uint32_t i) {
  const Instr& in = s.instr(i);
  const Places places = places_of(s, i);
  TensorOperands operands;
  if (is_made_here(s, i)) {
    add_map(s, out, i, places, operands);
    vote_on_guard(s, out, i);
  }
  const auto add = [&](Place place, bool offset) {
    if (!place.present()) return;
    const std::vector<uint32_t> from = place.constant() ? std::vector<uint32_t>{} : out.source(place);
    const bool again = from.size() == 1 && std::find(operands.shared.begin(), operands.shared.end(),
                                                     from[0]) != operands.shared.end();
    if (from.size() == 1 && !offset && !again) {
      operands.shared.push_back(from[0]);
      return;
    }
    operands.made.push_back(out.make(offset ? OpClass::iadd : OpClass::mov, from, 1, true));
    out.last().descriptors = from;
  };
  add(places.shared, in.imm != 0);
  add(places.barrier, false);
  for (uint32_t d = 0; d < in.vec; ++d) add(s.program().extra[places.coordinates + d], false);
  const std::vector<uint32_t> guard = vote_on_guard(s, out, i);
  operands.made.insert(operands.made.end(), guard.begin(), guard.end());
  return operands;
}

void name_tensor_operands(const TensorOperands& operands, Node& copy) {
  copy.uses.insert(copy.uses.end(), operands.made.begin(), operands.made.end());
  copy.descriptors = operands.shared;
}

}  // namespace gpuloom::ptx
