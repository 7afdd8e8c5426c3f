// SPDX-License-Identifier: Apache-2.0
// Statistics: plain integers that know their name, unit and meaning.
//
//   struct Stats : stats::Group {
//     stats::Counter inst_executed{this, "smsp__inst_executed", "inst", "Warp instructions executed."};
//   };
//   Stats stats;  ++stats.inst_executed;
//
// A counter is eight bytes and counting is one addition; names live in a list beside it. Units of which there
// are several (SMs, sub-cores, slices) each own a group; a Collector puts equal names together, one value an
// instance.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom::stats {

class Group;

// How values of several instances make one: counts add up, high-water marks take the largest.
enum class Combine : uint8_t { kSum, kMax };

// What a group knows of one of its members. The texts are literals that outlive everything.
struct Declaration {
  const char* name;
  const char* unit;
  const char* description;
  const char*
      bucket;  // of a Vector, else nullptr; the metric is then called name_bucket, or name with "{}" replaced
  uint64_t* value;
  Combine combine;
};

// The name of its metric: the bucket's filled in.
std::string metric_name(const Declaration& declaration);

// Members in the order of their declaration. Not copyable: its counters point back here.
class Group {
 public:
  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  const std::vector<Declaration>& declarations() const { return declarations_; }
  void reset();  // all values to zero

 private:
  friend class Counter;
  friend class Maximum;
  template <size_t N>
  friend class Vector;
  void declare(const Declaration& declaration) { declarations_.push_back(declaration); }
  std::vector<Declaration> declarations_;
};

// Counts events.
class Counter {
 public:
  Counter(Group* group, const char* name, const char* unit, const char* description) {
    group->declare({name, unit, description, nullptr, &value_, Combine::kSum});
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  Counter& operator++() {
    ++value_;
    return *this;
  }
  Counter& operator+=(uint64_t n) {
    value_ += n;
    return *this;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

// Keeps the largest value seen.
class Maximum {
 public:
  Maximum(Group* group, const char* name, const char* unit, const char* description) {
    group->declare({name, unit, description, nullptr, &value_, Combine::kMax});
  }
  Maximum(const Maximum&) = delete;
  Maximum& operator=(const Maximum&) = delete;
  void see(uint64_t value) {
    if (value > value_) value_ = value;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

// N counters that share a unit and a sentence, one for each of `buckets`: stall reasons, opcode classes,
// operand widths.
// "{}" in the name stands for the bucket: "smsp__warps_issue_stalled_{}"; without it the bucket is appended
// after "_".
template <size_t N>
class Vector {
 public:
  Vector(Group* group, const char* name, const char* unit, const char* description,
         const std::array<const char*, N>& buckets) {
    for (size_t i = 0; i < N; ++i)
      group->declare({name, unit, description, buckets[i], &values_[i], Combine::kSum});
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  uint64_t& operator[](size_t bucket) { return values_[bucket]; }
  uint64_t operator[](size_t bucket) const { return values_[bucket]; }
  static constexpr size_t size() { return N; }

 private:
  std::array<uint64_t, N> values_{};
};

// One metric of all instances, at one moment.
struct Metric {
  std::string name, unit, description;
  Combine combine = Combine::kSum;
  std::vector<uint64_t> values;  // one an instance, in the order in which the groups were added
  // Their labels: "sm0", "sm0.sub_core1".
  std::shared_ptr<const std::vector<std::string>> instances;
  uint64_t sum() const;
  double avg() const;  // 0 without instances
  uint64_t min() const;
  uint64_t max() const;
  // The one number that stands for all: the sum, or the largest of a Maximum.
  uint64_t total() const { return combine == Combine::kSum ? sum() : max(); }
};

struct Frozen;  // the values of all groups, and where they belong: stats.cpp
struct Layout;

// A frozen list of metrics, in the order of declaration. It is made of its groups' values when somebody asks
// for it: most launches of a long program are never asked.
class Snapshot {
 public:
  const std::vector<Metric>& metrics() const;
  const Metric* find(std::string_view name) const;  // nullptr if there is none
  // The metric; an Error of kind kInternal if there is none.
  const Metric& at(std::string_view name) const;
  // What happened since an earlier snapshot of the same collector: counts subtract, maxima stay.
  Snapshot since(const Snapshot& earlier) const;

 private:
  friend class Collector;
  std::shared_ptr<const Frozen> now_, before_;  // before_: null where nothing is subtracted
  mutable std::shared_ptr<const std::vector<Metric>> metrics_;
};

// The groups of a simulation. Groups must outlive it. Adding a counter to a group makes every output show it.
class Collector {
 public:
  // `instance` labels this group's values. Two groups may declare the same name only with the same unit,
  // description and kind; otherwise freeze() throws an Error of kind kInternal.
  void add(Group& group, std::string instance = {});
  // Copies the groups that have counted since the last one; the others' values are shared with it.
  Snapshot freeze();
  void reset();  // every group

 private:
  struct Member {
    Group* group;
    std::string instance;
  };
  std::shared_ptr<const Layout> layout() const;
  std::vector<Member> members_;
  std::shared_ptr<const Frozen> last_;
};

}  // namespace gpuloom::stats
