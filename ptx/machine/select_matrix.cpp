// SPDX-License-Identifier: Apache-2.0
// Operands of tensor-core multiplications are rows of consecutive registers. A constant in one takes a
// register, and a value that stands in several places takes one for each: ptxas makes them in front of the
// multiplication, in loops too, and once for all that have the same operand (SASS of mma_rate, lat_mma).
#include <algorithm>

#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

bool Selector::multiplies(uint32_t i) const {
  switch (static_cast<OpClass>(p_.code[i].op_class)) {
    case OpClass::hmma_884:
    case OpClass::hmma_1688:
    case OpClass::hmma_16816:
    case OpClass::qmma_16832:
    case OpClass::imma_8816:
    case OpClass::imma_16816:
    case OpClass::imma_16832:
    case OpClass::bmma:
      return true;
    default:
      return false;
  }
}

bool Selector::is_constant(Place place) const {
  if (place.constant()) return true;
  const uint32_t from = maker(place);
  return from != UINT32_MAX && folded(from) && shape(from) == Shape::kMove && moved(from).constant();
}

// The elements of one operand that need a register of their own.
std::vector<uint32_t> Selector::tuple_copies(const std::vector<Place>& tuple, std::vector<uint32_t>& taken) {
  std::vector<uint32_t> copies;
  const bool zero = std::all_of(tuple.begin(), tuple.end(), [&](Place p) {
    return is_constant(p) && is_zero(p.constant() ? p : moved(maker(p)));
  });
  if (zero) return copies;  // RZ
  for (uint32_t e = 0; e < tuple.size(); ++e) {
    if (is_constant(tuple[e])) {
      copies.push_back(e);
      continue;
    }
    const uint32_t v = find(virtual_of(tuple[e]));
    if (std::find(taken.begin(), taken.end(), v) != taken.end())
      copies.push_back(e);
    else
      taken.push_back(v);
  }
  return copies;
}

void Selector::emit_multiply(uint32_t i, std::vector<Node>& out) {
  std::map<uint8_t, std::vector<Place>> tuples;  // by operand
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (!ref.defines && ref.element != 0xff) tuples[ref.operand].push_back(ref.place);
  }
  std::vector<uint32_t> made, taken;
  for (const auto& [operand, tuple] : tuples) {
    std::vector<int32_t> key{static_cast<int32_t>(g_.flow.block_of[i]), operand};
    for (const Place p : tuple) {
      key.push_back(is_constant(p) ? (p.constant() ? p : moved(maker(p))).at
                                   : static_cast<int32_t>(find(virtual_of(p))));
    }
    const std::vector<uint32_t> copies = tuple_copies(tuple, taken);
    if (copies.empty()) continue;
    const auto [known, is_new] = tuples_.try_emplace(key);
    for (const uint32_t e : copies) {
      if (!is_new) break;
      std::vector<uint32_t> uses;
      add_source(tuple[e], uses, 0);
      Node& copy = push(out, OpClass::mov, i);
      copy.uses = uses;
      copy.defs = {temporary(1)};
      known->second.push_back(copy.defs[0]);
    }
    made.insert(made.end(), known->second.begin(), known->second.end());
  }
  const size_t begin = out.size();
  emit_sequence(i, sequence_of(class_of(i)), out);
  for (size_t k = begin; k < out.size(); ++k) out[k].uses.insert(out[k].uses.end(), made.begin(), made.end());
}

}  // namespace gpuloom::ptx
