// SPDX-License-Identifier: Apache-2.0
// Rules that hold for many instructions at once and that a form's syntax cannot say.
#pragma once
#include <string>
#include <string_view>

#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

// What is wrong with a use of a form in a module of this PTX ISA version (0: unknown) for this target, in
// words, or
// "". Each rule is what ptxas 13.0 demands; tests/fuzz/compare_ptxas.py compares.
std::string usage_problem(const FormUse& use, unsigned version, std::string_view target);

}  // namespace gpuloom::ptx
