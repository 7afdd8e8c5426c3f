// SPDX-License-Identifier: Apache-2.0
// gpuloom score: the cases of bench/silicon beside what an H200 did with them.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::validation {

void add_score_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::validation
