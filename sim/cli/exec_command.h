// SPDX-License-Identifier: Apache-2.0
// `gpuloom exec`: runs a CUDA program on the simulated GPU.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

void add_exec_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
