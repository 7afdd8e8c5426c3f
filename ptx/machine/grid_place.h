// SPDX-License-Identifier: Apache-2.0
// Whether an operation reads where its block stands in the grid: S2UR gives that to the uniform datapath.
// Not for users of lower().
#pragma once
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

inline bool reads_place_in_grid(const Program& program, const Node& n) {
  if (n.op != OpClass::s2r || shape_of(program, program.code[n.decoded]) != Shape::kMoveSpecial) return false;
  switch (static_cast<SpecialRegister>(use_of(program, program.code[n.decoded]).operand(1).id)) {
    case SpecialRegister::ctaid_x:
    case SpecialRegister::ctaid_y:
    case SpecialRegister::ctaid_z:
      return true;
    default:
      return false;
  }
}

}  // namespace gpuloom::ptx
