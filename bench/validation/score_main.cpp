// SPDX-License-Identifier: Apache-2.0
// gpuloom-score, which `gpuloom score` becomes.
#include "bench/validation/program.h"
#include "bench/validation/score_command.h"

int main(int argc, char** argv) {
  return gpuloom::validation::run_as_command("score", gpuloom::validation::add_score_command, argc, argv);
}
