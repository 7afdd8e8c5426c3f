// SPDX-License-Identifier: Apache-2.0
#include "base/stats/intervals.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace gpuloom::stats {

uint64_t IntervalTable::Column::sum() const {
  return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

const IntervalTable::Column* IntervalTable::find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

IntervalLog::IntervalLog(const std::vector<const Group*>& groups, uint64_t cycles_each)
    : asked_(std::max<uint64_t>(cycles_each, 1)), each_(asked_) {
  for (const Group* group : groups)
    for (const Declaration& d : group->declarations()) {
      if (d.combine == Combine::kMax) continue;
      const auto text = [](const char* literal) { return std::string_view(literal ? literal : ""); };
      const auto same = [&](const Declaration& other) {
        return text(other.name) == text(d.name) && text(other.bucket) == text(d.bucket);
      };
      const auto known = std::find_if(names_.begin(), names_.end(), same);
      sources_.push_back({d.value, static_cast<size_t>(known - names_.begin())});
      if (known == names_.end()) names_.push_back(d);
    }
  told_.resize(names_.size());
  now_.resize(names_.size());
}

size_t IntervalLog::index_of(std::string_view name) const {
  for (size_t i = 0; i < names_.size(); ++i)
    if (metric_name(names_[i]) == name) return i;
  throw Error(ErrorKind::kInternal, "no counter '" + std::string(name) + "' is kept over time");
}

void IntervalLog::start(uint64_t cycle) {
  start_ = cycle;
  each_ = asked_;
  rows_.clear();
  std::fill(told_.begin(), told_.end(), 0);
  for (const Source& s : sources_) told_[s.counter] += *s.value;
}

// Two intervals become one of twice the length.
void IntervalLog::join() {
  each_ *= 2;
  const size_t width = names_.size(), count = intervals();
  for (size_t i = 0; i < count; ++i)
    for (size_t c = 0; c < width; ++c) {
      const uint32_t value = rows_[i * width + c];
      uint32_t& place = rows_[i / 2 * width + c];
      place = i % 2 == 0 ? value : place + value;
    }
  rows_.resize((count + 1) / 2 * width);
}

void IntervalLog::widen_to(uint64_t cycles) {
  while (each_ < cycles) join();
}

void IntervalLog::add(uint64_t cycle, const uint64_t* ahead) {
  std::fill(now_.begin(), now_.end(), 0);
  for (const Source& s : sources_) now_[s.counter] += *s.value;
  const uint64_t since = cycle - std::min(cycle, start_);
  while (since / each_ >= kMost) join();
  const size_t width = names_.size(), row = since / each_ * width;
  bool some = false;
  for (size_t c = 0; c < width; ++c) {
    if (ahead != nullptr) now_[c] += ahead[c];
    now_[c] = std::max(now_[c], told_[c]);  // what was told ahead and came out less is made up for later
    some |= now_[c] != told_[c];
  }
  if (!some) return;
  if (rows_.size() < row + width) rows_.resize(row + width);
  for (size_t c = 0; c < width; ++c) rows_[row + c] += static_cast<uint32_t>(now_[c] - told_[c]);
  told_.swap(now_);
}

IntervalTable interval_table(std::string kind, const std::vector<const IntervalLog*>& units) {
  IntervalTable table;
  table.kind = std::move(kind);
  table.units = units.size();
  for (const IntervalLog* log : units) table.intervals = std::max(table.intervals, log->intervals());
  if (units.empty()) return table;
  const IntervalLog& first = *units[0];
  for (size_t c = 0; c < first.counters(); ++c) {
    const Declaration& d = first.names_[c];
    IntervalTable::Column column{metric_name(d), d.unit, d.description, {}};
    column.values.assign(table.intervals * table.units, 0);
    bool some = false;
    for (size_t u = 0; u < units.size(); ++u)
      for (size_t i = 0; i < units[u]->intervals(); ++i) {
        const uint32_t value = units[u]->rows_[i * first.counters() + c];
        column.values[i * table.units + u] = value;
        some |= value != 0;
      }
    if (some) table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace gpuloom::stats
