// SPDX-License-Identifier: Apache-2.0
// Functions that a library evaluates by polynomials (powers, exponentials, logarithms, sines). PTX has their
// instructions and not their names: a source line holds one where it multiplies and adds by Horner's rule,
// four steps and more. The switch ideal.functions gives such a line the time of a special function.
#pragma once
#include <vector>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

struct FoundFunctions {
  std::vector<bool> within;  // by decoded instruction: arithmetic of such a line
  std::vector<bool> last;    // the last step of a polynomial, which stands for the whole
};
FoundFunctions find_functions(const Program& program);

}  // namespace gpuloom::ptx
