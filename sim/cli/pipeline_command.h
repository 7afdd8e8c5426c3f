// SPDX-License-Identifier: Apache-2.0
// gpuloom pipeline: what asynchronous copies and those who wait for them do in time.
#pragma once

namespace CLI {
class App;
}

namespace gpuloom::cli {

void add_pipeline_command(CLI::App& app, int& exit_code);

}  // namespace gpuloom::cli
