// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "ptx/ir/types.h"

namespace gpuloom::ptx {

// The state space of a modifier with its dot, ".shared::cta"; kGeneric where it names none.
Space space_named(std::string_view text);

}  // namespace gpuloom::ptx
