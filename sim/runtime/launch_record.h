// SPDX-License-Identifier: Apache-2.0
// What a run launched, as a launch file that lies beside its result: whoever has the folder can run it again,
// or make a case of a suite of it.
#pragma once
#include <functional>
#include <string>

#include "base/config/config_node.h"
#include "sim/report/result.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {

// The launch file of `run` as it stands in `folder`: paths start there, kernels have their names in the PTX,
// and what was compiled or linked is the module.ptx of that folder.
ConfigNode launch_record(const LaunchFile& file, const RunReport& run, const std::string& folder);

// Every path of a launch file's tree that is read: PTX, linked files, data, expected values.
void visit_launch_paths(ConfigNode& tree, const std::function<void(ConfigNode&)>& visit);

}  // namespace gpuloom::sim
