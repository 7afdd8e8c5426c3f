// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

// `gpuloom explain`: what each mechanism costs a launch, and what to change.
void add_explain_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
