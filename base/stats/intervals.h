// SPDX-License-Identifier: Apache-2.0
// Counters over time: what each unit counted in each of a launch's intervals.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/stats/stats.h"

namespace gpuloom::stats {

// All units of a kind. Counters that stayed zero everywhere are left out.
struct IntervalTable {
  struct Column {
    std::string name, unit, description;
    std::vector<uint32_t> values;  // [interval * units + unit]
    uint64_t sum() const;
  };
  std::string kind;  // "sm", "l2", "dram"
  size_t units = 0, intervals = 0;
  std::vector<Column> columns;
  const Column* find(std::string_view name) const;  // nullptr if there is none
};

// Of a launch. Interval i is [i * cycles_each, (i + 1) * cycles_each), from the launch's start; what moves
// after its end, such as a write that memory still takes, has intervals too.
struct Intervals {
  std::string kernel;
  uint64_t cycles_asked = 0;  // of an interval, as it was asked for
  uint64_t cycles_each = 0;   // as it is: twice that, or four times, ... where there were too many intervals
  uint64_t cycles = 0;        // of the launch
  std::vector<IntervalTable> tables;
};

// What one unit counts, by interval. The unit says to which cycle belongs what its groups have counted since
// it said so last. So the sum over all intervals is what was counted, whatever the unit says.
class IntervalLog {
 public:
  // More intervals are joined by two, and two, ...: 1,024 of 100 counters are 400 KiB a unit.
  static constexpr uint64_t kMost = 1024;

  // The groups' equal names are added up. Maxima are left out: they have no share in time.
  IntervalLog(const std::vector<const Group*>& groups, uint64_t cycles_each);
  // A launch begins: its cycles count from `cycle`.
  void start(uint64_t cycle);
  uint64_t begin() const { return start_; }
  uint64_t cycles_each() const { return each_; }
  size_t counters() const { return names_.size(); }
  size_t index_of(std::string_view name) const;  // throws Error (kInternal) where there is none
  // What was counted since the last call belongs to the interval of `cycle`. `ahead`: by counter, what its
  // group will count for the time before `cycle` and has not yet; null: nothing.
  void add(uint64_t cycle, const uint64_t* ahead = nullptr);
  // Joins intervals until each has `cycles`: as many as another unit's.
  void widen_to(uint64_t cycles);

 private:
  friend IntervalTable interval_table(std::string kind, const std::vector<const IntervalLog*>& units);
  void join();
  size_t intervals() const { return names_.empty() ? 0 : rows_.size() / names_.size(); }

  struct Source {
    const uint64_t* value;
    size_t counter;
  };
  std::vector<Declaration> names_;  // of the counters
  std::vector<Source> sources_;
  uint64_t asked_, each_, start_ = 0;
  std::vector<uint64_t> told_, now_;  // by counter: as far as the log has it; scratch
  std::vector<uint32_t> rows_;        // [interval * counters + counter]
};

// Of logs with intervals of the same length.
IntervalTable interval_table(std::string kind, const std::vector<const IntervalLog*>& units);

}  // namespace gpuloom::stats
