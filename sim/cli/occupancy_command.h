// SPDX-License-Identifier: Apache-2.0
// gpuloom occupancy: what limits a kernel's blocks on an SM, and tables of such questions.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

void add_occupancy_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
