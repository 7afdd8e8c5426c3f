// SPDX-License-Identifier: Apache-2.0
// The global address of LDGSTS has an offset of 12 bits with a sign. Beyond that ptxas adds the nearest
// multiple of 4096 to the base, once for all copies that it serves (ptxas 13.0, sm_80 and sm_90: cp.async at
// distances of 0x7f0 to 0x400000; 0x7ff0 and 0x8000 share base + 0x8000). So of the sums near a multiple, in
// a block, the nearest stays, and the others become that sum with an offset.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "ptx/passes/distances.h"
#include "ptx/passes/edit.h"

namespace gpuloom::ptx {

namespace {

class CopyDistances {
 public:
  explicit CopyDistances(Draft& d) : d_(d), p_(d.program), values_(p_), distances_(d, values_), edit_(p_) {}

  void run() {
    values_.for_each_block([&](const Block& block) { walk(block); });
    edit_.sort_insertions();
    if (!edit_.insert.empty()) apply(p_, edit_);
  }

 private:
  static constexpr unsigned kDeepest = 8;
  static constexpr int64_t kMultiple = 2 * kCopyReach;
  struct Sum {
    uint32_t at = 0;
    int64_t distance = 0;
  };

  using Groups = std::map<std::pair<int32_t, int64_t>, std::vector<Sum>>;  // by base and multiple

  void walk(const Block& block) {
    Groups groups;
    for (uint32_t i = block.first; i <= block.last; ++i) {
      if (serves_copies(i, kDeepest)) add(i, groups);
      // A pointer that moves on is another base from there on.
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
        if (p_.refs[r].defines) end_groups(p_.refs[r].place, groups);
    }
    for (const auto& [of, sums] : groups) join(Place{of.first}, of.second, sums);
  }

  void add(uint32_t i, Groups& groups) const {
    int64_t distance = 0;
    const Place base = base_of(i, distance);
    if (base.present() && !in_reach_of_copy(distance))
      groups[{base.at, multiple_near(distance)}].push_back({i, distance});
  }

  void end_groups(Place base, Groups& groups) {
    auto at = groups.lower_bound({base.at, std::numeric_limits<int64_t>::min()});
    for (; at != groups.end() && at->first.first == base.at; at = groups.erase(at))
      join(base, at->first.second, at->second);
  }

  // What sum i adds constants to; absent: nothing known. A pointer that a loop moves on may be one, too.
  Place base_of(uint32_t i, int64_t& distance) const {
    const Place base = distances_.root(p_.code[i].ops[0], distance);
    return base.at != p_.code[i].ops[0].at ? base : distances_.base(i, distance);
  }

  static int64_t multiple_near(int64_t distance) {
    return (distance + kCopyReach) & ~(kMultiple - 1);  // the nearest, of two the larger
  }

  // Whether i makes a sum that only copies read, as the address of what they read, and further such sums.
  bool serves_copies(uint32_t i, unsigned depth) const {
    if (depth == 0 || !distances_.adds64(i) || !values_.made_once(p_.code[i].ops[0])) return false;
    const SingleValues::Row& row = values_.row(p_.code[i].ops[0]);
    return row.made == i && !row.users.empty() && std::ranges::all_of(row.users, [&](uint32_t u) {
             return p_.code[u].kind == InstrKind::kAsyncCopy || serves_copies(u, depth - 1);
           });
  }

  // The sum nearest to the multiple comes first; the others are that one with an offset.
  void join(Place base, int64_t multiple, const std::vector<Sum>& sums) {
    const Sum near = *std::ranges::min_element(
        sums, {}, [&](const Sum& sum) { return std::abs(sum.distance - multiple); });
    write(near.at, base, near.distance);
    const Place nearest = p_.code[near.at].ops[0];
    for (const Sum& sum : sums) {
      if (const int64_t beyond = sum.distance - near.distance; sum.at != near.at && in_reach_of_copy(beyond))
        write(sum.at, nearest, beyond);
    }
    if (near.at == sums.front().at) return;
    edit_.erase[near.at] = 1;
    edit_.insert.push_back({sums.front().at, p_.code[near.at], refs_of(p_, near.at), true});
  }

  void write(uint32_t i, Place base, int64_t distance) {
    Instr& in = p_.code[i];
    const Place by = d_.constants.row(8, static_cast<uint64_t>(distance));
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      OperandRef& ref = p_.refs[r];
      if (!ref.defines && ref.operand == 1) ref.place = base;
      if (!ref.defines && ref.operand == 2) ref.place = by;
    }
    in.ops[1] = base;
    in.ops[2] = by;
  }

  Draft& d_;
  Program& p_;
  SingleValues values_;
  Distances distances_;
  Edit edit_;
};

}  // namespace

void share_distances_of_copies(Draft& d) { CopyDistances(d).run(); }

}  // namespace gpuloom::ptx
