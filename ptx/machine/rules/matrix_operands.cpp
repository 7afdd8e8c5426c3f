// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/matrix_operands.h"

#include <algorithm>

#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

std::map<uint8_t, std::vector<Place>> factors(const Selection& s, uint32_t i) {
  const Program& p = s.program();
  std::map<uint8_t, std::vector<Place>> tuples;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (!ref.defines && ref.element != 0xff) tuples[ref.operand].push_back(ref.place);
  }
  return tuples;
}

std::vector<uint32_t> results_of(const Selection& s, uint32_t i) {
  const Program& p = s.program();
  std::vector<uint32_t> values;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
    if (p.refs[r].defines) values.push_back(s.value(p.refs[r].place));
  return values;
}

std::vector<uint32_t> row_of(const Selection& s, const std::vector<Place>& tuple) {
  std::vector<uint32_t> row;
  for (const Place p : tuple) s.add_source(p, row);
  return row;
}

void add_row(const Selection& s, Node& n, const std::vector<uint32_t>& row) {
  const bool single = std::all_of(row.begin(), row.end(), [&](uint32_t v) { return s.words(v) == 1; });
  if (row.size() >= 2 && row.size() <= 4 && single) n.rows.push_back(row);
}

bool is_constant(const Selection& s, Place place) {
  if (place.constant()) return true;
  const uint32_t from = s.maker(place);
  return from != UINT32_MAX && s.folded(from) && s.shape(from) == Shape::kMove && s.moved(from).constant();
}

Place constant_of(const Selection& s, Place place) {
  return place.constant() ? place : s.moved(s.maker(place));
}

bool is_descriptor(const Selection& s, uint32_t i, const OperandRef& ref) {
  constexpr unsigned kBytes = 8;
  return is_warpgroup_product(s.class_now(i)) && !ref.defines && ref.element == 0xff && ref.bytes == kBytes;
}

}  // namespace gpuloom::ptx
