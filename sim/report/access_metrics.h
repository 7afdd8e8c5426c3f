// SPDX-License-Identifier: Apache-2.0
// What an access report says in Nsight Compute's metrics: those that need no time.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/access_report.h"

namespace gpuloom {

// Metric and value, in a fixed order.
std::vector<std::pair<std::string_view, double>> access_metrics(const AccessReport& report);

}  // namespace gpuloom
