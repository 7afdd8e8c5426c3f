// SPDX-License-Identifier: Apache-2.0
// Constants that all lanes read at one address: ptxas loads them to uniform registers (ULDC c[3][UR]), and
// keeps the address and what it comes from there too (SASS of constant_uniform), so neither takes a register
// of the vector file. The uniform datapath knows no lanes, so all of this must lie where no lanes are apart.
#pragma once
#include <vector>

#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

class UniformConstants {
 public:
  explicit UniformConstants(const Selection& s) : s_(s) {}
  void find();
  // What i was selected to, from `from` on, goes to the uniform datapath.
  void make_uniform(Graph& g, uint32_t i, std::vector<Node>& nodes, size_t from) const;

 private:
  bool may_be_uniform(Place place) const;
  bool makes_uniform(uint32_t i) const;
  bool loads_uniform(uint32_t i) const;
  bool keeps_uniform(uint32_t row) const;

  const Selection s_;
  std::vector<uint8_t> in_uniform_;  // by row: lives in the uniform file
};

}  // namespace gpuloom::ptx
