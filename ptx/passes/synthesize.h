// SPDX-License-Identifier: Apache-2.0
// Instructions that a pass makes up, with the meaning that the instruction table gives them.
#pragma once
#include <string_view>
#include <vector>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

// A record of `mnemonic` with exactly these modifiers (".rn", ".ftz", ".f32"; any order) and plain operands
// of these register types. Places, guard and source are the caller's to fill in. Throws Error(kInternal)
// where the table has no such form.
Instr synthesize(std::string_view mnemonic, const std::vector<std::string_view>& modifiers,
                 const std::vector<Type>& operands);

}  // namespace gpuloom::ptx
