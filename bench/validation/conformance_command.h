// SPDX-License-Identifier: Apache-2.0
// gpuloom conformance: instructions against the results of silicon.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::validation {

void add_conformance_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::validation
