// SPDX-License-Identifier: Apache-2.0
// gpuloom config: what configurations there are, what they say, and whether they are right.
#pragma once
#include <functional>

namespace CLI {
class App;
}

namespace gpuloom {
class Config;
}

namespace gpuloom::cli {

// Reads a configuration with everything that the model reads from one, so that Config::check() can tell what
// is wrong. Throws gpuloom::Error like any reader.
using ConfigReading = std::function<void(const Config&)>;

// Adds the subcommand `config` with list, show, validate and diff. Its callback stores the exit code of
// error.h in `exit_code`, which must outlive the parsing. Without `reading`, `validate` checks syntax,
// merging and units but no names or ranges.
void add_config_command(CLI::App& app, int& exit_code, ConfigReading reading = {});

}  // namespace gpuloom::cli
