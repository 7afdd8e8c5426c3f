// SPDX-License-Identifier: Apache-2.0
// `gpuloom report`: results as one HTML file.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

void add_report_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
