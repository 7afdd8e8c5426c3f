// SPDX-License-Identifier: Apache-2.0
// `gpuloom extract`: launches of a CUDA program as launch files.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

void add_extract_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
