// SPDX-License-Identifier: Apache-2.0
// intervals.json as a page needs it: the counters that are worth a picture, as fine as a picture can show.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace gpuloom::sim {

// A list, an entry for each launch of `result` ("null" where its counters were not kept): {interval, cycles,
// kinds: [{kind, units, intervals, counters: [{name, unit, sum, values}]}]}; values are [interval * units +
// unit]. Intervals are joined until a picture's numbers take some 60 kB.
nlohmann::ordered_json intervals_page(const nlohmann::ordered_json& intervals,
                                      const nlohmann::ordered_json& result);

}  // namespace gpuloom::sim
