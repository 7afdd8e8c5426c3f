// SPDX-License-Identifier: Apache-2.0
// Operands of tensor-core multiplications are rows of consecutive registers. A constant in one takes a
// register, and a value that stands in several places takes one for each: ptxas makes them in front of the
// multiplication, in loops too, and once for all that have the same operand (SASS of mma_rate, lat_mma).
#include <algorithm>

#include "ptx/machine/rules/matrix_operands.h"

namespace gpuloom::ptx {

namespace {

// The elements of one operand that need a register of their own.
std::vector<uint32_t> tuple_copies(const Selection& s, const std::vector<Place>& tuple,
                                   std::vector<uint32_t>& taken) {
  std::vector<uint32_t> copies;
  const bool zero = std::all_of(tuple.begin(), tuple.end(),
                                [&](Place p) { return is_constant(s, p) && s.is_zero(constant_of(s, p)); });
  if (zero) return copies;  // RZ
  for (uint32_t e = 0; e < tuple.size(); ++e) {
    if (is_constant(s, tuple[e])) {
      copies.push_back(e);
      continue;
    }
    const uint32_t v = s.value(tuple[e]);
    if (std::find(taken.begin(), taken.end(), v) != taken.end())
      copies.push_back(e);
    else
      taken.push_back(v);
  }
  return copies;
}

bool match_matrix_product(const Selection& s, uint32_t i) { return s.takes_fragments(i); }

void apply_matrix_product(const Selection& s, Emitter& out, uint32_t i) {
  const std::map<uint8_t, std::vector<Place>> tuples = factors(s, i);
  std::vector<uint32_t> made, taken;
  for (const auto& [operand, tuple] : tuples) {
    std::vector<int64_t> key{s.block_of(i), operand};
    for (const Place p : tuple)
      key.push_back(is_constant(s, p) ? constant_of(s, p).at : static_cast<int64_t>(s.value(p)));
    const std::vector<uint32_t> copies = tuple_copies(s, tuple, taken);
    if (copies.empty()) continue;
    const auto [known, is_new] = out.once(Made::kTuple, std::move(key));
    for (const uint32_t e : copies) {
      if (is_new) known.push_back(out.make(OpClass::mov, out.source(tuple[e]), 1));
    }
    made.insert(made.end(), known.begin(), known.end());
  }
  const std::span<Node> nodes = out.sequence(s.sequence_of(s.class_now(i)));
  for (const auto& [operand, tuple] : tuples) add_row(s, nodes.back(), row_of(s, tuple));
  add_row(s, nodes.back(), nodes.back().defs);
  for (Node& n : nodes) n.uses.insert(n.uses.end(), made.begin(), made.end());
}

}  // namespace

extern const Rule kMatrixProduct{"matrix_product", match_matrix_product, apply_matrix_product};

}  // namespace gpuloom::ptx
