// SPDX-License-Identifier: Apache-2.0
// gpuloom analyze: how every memory instruction of a kernel uses sectors and banks.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

void add_analyze_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
