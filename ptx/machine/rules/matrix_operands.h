// SPDX-License-Identifier: Apache-2.0
// What rules of tensor-core multiplications share: their operands stand in rows of consecutive registers.
#pragma once
#include <map>

#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

// The elements of each factor and of the sum, by the operand's number.
std::map<uint8_t, std::vector<Place>> factors(const Selection& s, uint32_t i);
std::vector<uint32_t> results_of(const Selection& s, uint32_t i);
// Each register of an operand once, in order.
std::vector<uint32_t> row_of(const Selection& s, const std::vector<Place>& tuple);
// Says that these stand side by side, where they may.
void add_row(const Selection& s, Node& n, const std::vector<uint32_t>& row);
// Whether an element is a constant, which no register holds.
bool is_constant(const Selection& s, Place place);
Place constant_of(const Selection& s, Place place);
// Whether the operand is the descriptor of a matrix in shared memory (wgmma).
bool is_descriptor(const Selection& s, uint32_t i, const OperandRef& ref);

}  // namespace gpuloom::ptx
