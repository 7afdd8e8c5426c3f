// SPDX-License-Identifier: Apache-2.0
// metrics.csv of a suite (what a GPU measured, a row a case), with rows added from a profile.
#pragma once
#include <string>
#include <vector>

#include "sim/report/csv.h"
#include "sim/report/ncu/ncu_compare.h"

namespace gpuloom::validation {

class MeasuredTable {
 public:
  // Reads the table, or begins one. Throws Error (kInput) where it is compressed, since it is to be written.
  explicit MeasuredTable(std::string path);
  // Cycles, their spread over the launches, and every metric with a number. Throws Error (kUsage) where the
  // case has a row or the profile has no cycles.
  void add(const std::string& name, const NcuPair& pair);
  // Metrics that the score compares and some added row has not got.
  std::vector<std::string> missing() const;
  void write() const;

 private:
  void set(size_t row, const std::string& column, double value);
  std::string path_;
  CsvTable csv_;
  size_t first_added_ = 0;
};

}  // namespace gpuloom::validation
