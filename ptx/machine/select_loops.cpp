// SPDX-License-Identifier: Apache-2.0
// What ptxas computes once before a loop.
#include <algorithm>

#include "ptx/isa/table/form.h"
#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

uint32_t Selector::divisor_part(uint32_t i, uint8_t steps, std::vector<Node>& out) {
  const Place divisor = p_.code[i].ops[2];
  const OpClass op = class_of(i);
  const uint32_t own = g_.flow.block_of[i];
  uint32_t at = before_invariant_loop(own, divisor);
  // Of several signed divisions in a loop the first one's part goes in front of it; the others share one
  // inside. Unsigned ones share the first (SASS of hot_and_stream, int_divide).
  const bool is_second = at != own && reciprocals_.count({at, divisor.at, steps}) != 0;
  if (is_second && is_signed(p_.code[i].type)) at = own;
  const auto [known, is_new] = reciprocals_.try_emplace({at, divisor.at, steps}, 0);
  if (!is_new) return known->second;
  std::vector<Node> part;
  std::vector<uint32_t> uses;
  add_source(divisor, uses, 0);
  uint32_t result = kNoVirtual;
  for (uint8_t k = 0; k < steps; ++k) {
    Node& n =
        push(part, g_.model->sequence[static_cast<size_t>(op)][k], at == own ? i : g_.flow.blocks[at].last);
    n.uses = uses;
    if (result != kNoVirtual) n.uses.push_back(result);
    result = temporary(1);
    n.defs = {result};
  }
  std::vector<Node>& nodes = at == own ? out : g_.blocks[at];
  const bool before_end = !nodes.empty() && nodes.back().ends;
  nodes.insert(nodes.end() - (before_end ? 1 : 0), part.begin(), part.end());
  return known->second = result;
}

// Out of the loop around b that has no loop inside, and of no other (SASS of two nested loops around a
// division by a parameter: I2F, MUFU, F2I stand in the outer one).
uint32_t Selector::before_invariant_loop(uint32_t b, Place place) const {
  const RowFacts* row = facts(place);
  const uint32_t made = row != nullptr && row->def != UINT32_MAX ? g_.flow.block_of[row->def] : 0;
  uint32_t found = b;
  for (uint32_t header = g_.flow.first_block[f_]; header <= b; ++header) {
    for (const uint32_t latch : g_.flow.predecessors[header]) {
      if (latch < header || b > latch) continue;
      found = b;  // a loop inside the last one
      if (row != nullptr && row->def != UINT32_MAX && made >= header) continue;
      for (const uint32_t outside : g_.flow.predecessors[header]) {
        if (outside < header && found == b) found = outside;
      }
    }
  }
  return found;
}

}  // namespace gpuloom::ptx
