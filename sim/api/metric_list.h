// SPDX-License-Identifier: Apache-2.0
// Every metric that a result can hold, with unit and definition: the table's, and the counters of the
// hardware units, which describe themselves where they are declared.
#pragma once
#include <string>
#include <vector>

namespace gpuloom::sim {

struct KnownMetric {
  std::string name, unit, description;
  // Of a counter: its name without roll-up, and the roll-ups that stand for it beside `name`.
  std::string counter;
};

// For a name that is none of these: "did you mean 'dram__bytes.sum'?", or "gpuloom metrics lists them".
std::string near_metric(const std::string& word, const std::vector<KnownMetric>& known);

// Of a timed run on `config` and of functional ones; in the table's order, then by name.
std::vector<KnownMetric> known_metrics(const std::string& config);

}  // namespace gpuloom::sim
