// SPDX-License-Identifier: Apache-2.0
// Many small jobs in a few processes: a crash or a job without end costs its own result only, and says which
// job it was.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace gpuloom::tests::keys {

// Runs work(0) to work(count - 1), each in one of `processes`; results in order. A job that crashes or takes
// more than `seconds` leaves "crashed: ..." instead. `scratch` is a folder for results on their way. `done`
// hears of them as they come.
std::vector<std::string> run_in_processes(size_t count, unsigned processes, unsigned seconds,
                                          const std::string& scratch,
                                          const std::function<std::string(size_t)>& work);

}  // namespace gpuloom::tests::keys
