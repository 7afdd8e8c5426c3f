// SPDX-License-Identifier: Apache-2.0
// gpuloom metrics and gpuloom compare: what the numbers mean, and how those of two runs differ.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

void add_metrics_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
