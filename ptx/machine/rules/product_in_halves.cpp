// SPDX-License-Identifier: Apache-2.0
// A class that stands for two of the tensor core's multiplications: one for each half of the result, which
// share the rows of one factor and none of the other's (SASS of wmma_gemm).
#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/rules/matrix_operands.h"

namespace gpuloom::ptx {

namespace {

bool match_product_in_halves(const Selection& s, uint32_t i) {
  if (s.instr(i).guard.present()) return false;
  const std::vector<OpClass> sequence = s.sequence_of(s.class_now(i));
  return sequence.size() == 2 && sequence[0] == sequence[1] && is(sequence[0], kMultipliesMatrices);
}

std::vector<uint32_t> half_of(const std::vector<uint32_t>& list, size_t k) {
  const size_t size = list.size(), middle = size / 2;
  const size_t from = size < 2 || k == 0 ? 0 : middle, end = size < 2 || k == 1 ? size : middle;
  std::vector<uint32_t> part;
  for (size_t j = from; j < end; ++j) part.push_back(list[j]);
  return part;
}

void apply_product_in_halves(const Selection& s, Emitter& out, uint32_t i) {
  constexpr uint8_t kFirst = 1, kSecond = 2;  // factors
  const uint8_t shared = s.use(i).has(".m32n8k16") ? kSecond : kFirst;
  const std::vector<uint32_t> made = results_of(s, i);
  const std::map<uint8_t, std::vector<Place>> tuples = factors(s, i);
  const std::vector<OpClass> sequence = s.sequence_of(s.class_now(i));
  for (size_t k = 0; k < 2; ++k) {
    Node& n = out.push(sequence[k]);
    out.keep_order(n);
    n.carries = k == 1;
    for (const auto& [operand, tuple] : tuples) {
      const std::vector<uint32_t> whole = row_of(s, tuple),
                                  row = operand == shared ? whole : half_of(whole, k);
      n.uses.insert(n.uses.end(), row.begin(), row.end());
      add_row(s, n, row);
    }
    n.defs = half_of(made, k);
    add_row(s, n, n.defs);
  }
}

}  // namespace

extern const Rule kProductInHalves{"product_in_halves", match_product_in_halves, apply_product_in_halves};

}  // namespace gpuloom::ptx
