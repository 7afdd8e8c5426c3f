// SPDX-License-Identifier: Apache-2.0
// Operands of tensor-core multiplications are rows of consecutive registers. A constant in one takes a
// register, and a value that stands in several places takes one for each: ptxas makes them in front of the
// multiplication, in loops too, and once for all that have the same operand (SASS of mma_rate, lat_mma).
#include <algorithm>

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/latency.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

bool Selector::multiplies(uint32_t i) const {
  return is(static_cast<OpClass>(p_.code[i].op_class), kTakesFragments);
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

// A class that stands for two of the tensor core's multiplications.
bool Selector::multiplies_twice(uint32_t i) const {
  const std::vector<OpClass> sequence = sequence_of(class_of(i));
  return sequence.size() == 2 && sequence[0] == sequence[1] && is(sequence[0], kMultipliesMatrices) &&
         !p_.code[i].guard.present();
}

std::map<uint8_t, std::vector<Place>> Selector::factors(uint32_t i) const {
  std::map<uint8_t, std::vector<Place>> tuples;  // by operand
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (!ref.defines && ref.element != 0xff) tuples[ref.operand].push_back(ref.place);
  }
  return tuples;
}

void Selector::emit_multiply(uint32_t i, std::vector<Node>& out) {
  const std::map<uint8_t, std::vector<Place>> tuples = factors(i);
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
  for (const auto& [operand, tuple] : tuples) add_row(out.back(), row_of(tuple));
  add_row(out.back(), out.back().defs);
  for (size_t k = begin; k < out.size(); ++k) out[k].uses.insert(out[k].uses.end(), made.begin(), made.end());
}

// Each register of an operand once, in order.
std::vector<uint32_t> Selector::row_of(const std::vector<Place>& tuple) {
  std::vector<uint32_t> row;
  for (const Place p : tuple) add_source(p, row, 0);
  return row;
}

void Selector::add_row(Node& n, const std::vector<uint32_t>& row) const {
  const bool single =
      std::all_of(row.begin(), row.end(), [&](uint32_t v) { return g_.registers[v].words == 1; });
  if (row.size() >= 2 && row.size() <= 4 && single) n.rows.push_back(row);
}

// Two multiplications, one for each half of the result, which share the rows of one factor and none of the
// other's (SASS of wmma_gemm).
void Selector::emit_halves(uint32_t i, std::vector<Node>& out) {
  constexpr uint8_t kFirst = 1, kSecond = 2;  // factors
  const uint8_t shared = use_of(p_, p_.code[i]).has(".m32n8k16") ? kSecond : kFirst;
  std::vector<uint32_t> results;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (p_.refs[r].defines) results.push_back(find(virtual_of(p_.refs[r].place)));
  }
  const auto half = [](const std::vector<uint32_t>& list, size_t k) {
    const size_t size = list.size(), middle = size / 2;
    const size_t from = size < 2 || k == 0 ? 0 : middle, end = size < 2 || k == 1 ? size : middle;
    std::vector<uint32_t> part;
    for (size_t j = from; j < end; ++j) part.push_back(list[j]);
    return part;
  };
  const std::map<uint8_t, std::vector<Place>> tuples = factors(i);
  const std::vector<OpClass> sequence = sequence_of(class_of(i));
  for (size_t k = 0; k < 2; ++k) {
    Node& n = push(out, sequence[k], i);
    set_order(n, p_.code[i]);
    n.carries = k == 1;
    for (const auto& [operand, tuple] : tuples) {
      const std::vector<uint32_t> whole = row_of(tuple), row = operand == shared ? whole : half(whole, k);
      n.uses.insert(n.uses.end(), row.begin(), row.end());
      add_row(n, row);
    }
    n.defs = half(results, k);
    add_row(n, n.defs);
  }
}

// Products of bytes in floating point where the hardware has none of its own.
bool Selector::unpacks(uint32_t i) const {
  return class_of(i) == OpClass::qmma_16832 && mnemonic(i) == "mma" &&
         sequence_of(OpClass::qmma_16832).size() == 4;
}

// The halves that the lower or the upper two bytes of each register become; once for all multiplications of a
// block that have the register.
std::vector<uint32_t> Selector::unpacked(uint32_t i, const std::vector<Place>& tuple, bool high,
                                         std::vector<Node>& out) {
  constexpr int32_t kUnpacked = 16;  // beside the operands' numbers in the keys of emit_multiply
  std::vector<uint32_t> row;
  for (const Place p : tuple) {
    const int32_t value = is_constant(p) ? -1 : static_cast<int32_t>(find(virtual_of(p)));
    const std::vector<int32_t> key{static_cast<int32_t>(g_.flow.block_of[i]), kUnpacked + (high ? 1 : 0),
                                   value, static_cast<int32_t>(maker(p))};
    const auto [known, is_new] = tuples_.try_emplace(key);
    if (is_new) {
      std::vector<uint32_t> uses;
      add_source(p, uses, 0);
      Node& half = push(out, sequence_of(OpClass::qmma_16832)[0], i);
      half.uses = uses;
      half.defs = {temporary(1)};
      known->second = half.defs;
    }
    row.push_back(known->second[0]);
  }
  return row;
}

// Two multiplications of halves, the first from zero, and an addition for each register of the sums (SASS of
// sm_90; of k = 16 the short multiplication, of sums in halves HADD2).
void Selector::emit_unpacked(uint32_t i, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  const FormUse use = use_of(p_, in);
  const std::vector<OpClass> sequence = sequence_of(OpClass::qmma_16832);
  std::map<uint8_t, std::vector<Place>> tuples = factors(i);
  std::vector<uint32_t> results, sums;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
    if (p_.refs[r].defines) results.push_back(find(virtual_of(p_.refs[r].place)));
  const bool guarded = in.guard.present();
  for (const bool high : {false, true}) {
    const std::vector<uint32_t> a = unpacked(i, tuples[1], high, out), b = unpacked(i, tuples[2], high, out);
    Node& n = push(out, use.has(".m16n8k16") ? OpClass::hmma_1688 : sequence[high ? 2 : 1], i);
    n.guarded = guarded;
    for (const auto& row : {a, b, sums}) {
      n.uses.insert(n.uses.end(), row.begin(), row.end());
      add_row(n, row);
    }
    sums.clear();
    for (size_t e = 0; e < results.size(); ++e) sums.push_back(temporary(1));
    n.defs = sums;
    add_row(n, n.defs);
  }
  const bool halves = use.has(".f16");
  for (size_t e = 0; e < results.size(); ++e) {
    Node& n = push(out, halves ? OpClass::hadd2 : sequence[3], i);
    n.guarded = guarded;
    n.uses = {sums[e]};
    if (e < tuples[3].size()) add_source(tuples[3][e], n.uses, 0);
    if (guarded) n.uses.push_back(results[e]);
    n.defs = {results[e]};
    n.carries = e + 1 == results.size();
    if (n.carries) set_order(n, in);
  }
}

}  // namespace gpuloom::ptx
