// SPDX-License-Identifier: Apache-2.0
// gpuloom-conformance, which `gpuloom conformance` becomes.
#include "bench/validation/conformance_command.h"
#include "bench/validation/program.h"

int main(int argc, char** argv) {
  return gpuloom::validation::run_as_command("conformance", gpuloom::validation::add_conformance_command,
                                             argc, argv);
}
