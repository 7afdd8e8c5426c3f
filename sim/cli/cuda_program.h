// SPDX-License-Identifier: Apache-2.0
// Commands that become a CUDA program on the simulated GPU: `gpuloom exec`, `gpuloom extract`.
#pragma once
#include <string>
#include <vector>

#include "sim/host/settings.h"

namespace CLI {
class App;
}

namespace gpuloom::cli {

// -c, -s, --no-contract, --max-seconds, -q; and that what follows is the program's.
void add_common_options(CLI::App& command, host::Settings& settings, bool& no_contract, bool& quiet);

// What stands behind the options. Throws Error (kUsage) where that is nothing, or an option that is not
// there.
std::vector<std::string> program_and_arguments(const CLI::App& command);

// Looks at the program first. Throws Error: kInput where there is none, kUnsupported for what cannot be
// served.
[[noreturn]] void become_cuda_program(host::Settings settings, std::vector<std::string> command);

}  // namespace gpuloom::cli
