// SPDX-License-Identifier: Apache-2.0
// How an operation reads a value of the constant bank. Not for users of lower().
#pragma once
#include <cstdint>
#include <optional>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

enum class ConstantUse : uint8_t {
  kUniform,  // as an operand: ptxas puts it in a uniform register
  kVector,   // the operand's place is taken by an immediate or a uniform register: a vector register
  kData,     // a register whatever else there is: addresses, what is stored or exchanged
};

// What an operation names beside registers, if it is not 0.
std::optional<uint64_t> immediate_of(const Program& program, const Node& node);

ConstantUse constant_use(const Graph& graph, const Node& node, uint32_t value);

}  // namespace gpuloom::ptx
