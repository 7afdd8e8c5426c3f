// SPDX-License-Identifier: Apache-2.0
// How lanes that may be apart are brought together for what acts for those that are together.
#pragma once
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

// What acts for lanes that are together: they must be, whatever happened before.
bool exchanges(const Instr& in);
// What stands in front of the first exchange of a block where lanes may be apart.
void gather_lanes(const Selection& s, Emitter& out, uint32_t i);
// Whether all lanes have one mask and are together, as a branch.
void ask_for_lanes(const Selection& s, Emitter& out, uint32_t i, Place mask);

}  // namespace gpuloom::ptx
