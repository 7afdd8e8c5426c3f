// SPDX-License-Identifier: Apache-2.0
// Addresses (base + C) + i with several constants C, each sum made in front of a loop, and one i are one sum
// base + i with the constants as offsets of the accesses (ptxas 13.0, sm_90: a loop of eight such loads has
// one IMAD.WIDE and takes 17 registers). So are those of arrays in a lane's local memory, whose base is the
// frame (SASS of queens: four arrays of a thread, one LEA). A sum without a constant joins others. Only sums
// that nothing but accesses read change, so that every access goes where it went.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/distances.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

namespace {

class Reassociation {
 public:
  explicit Reassociation(Draft& d) : p_(d.program), values_(p_), distances_(d, values_), edit_(p_) {}

  bool run() {
    values_.for_each_block([&](const Block& block) { walk(block); });
    if (changed_) apply(p_, edit_);
    return changed_;
  }

 private:
  struct Sum {
    uint32_t at;       // the instruction
    int64_t distance;  // from the base that is left
  };
  // Base, what is added, and how: sums that differ in their distance alone.
  using Key = std::tuple<int32_t, int32_t, int32_t, uint16_t>;

  void walk(const Block& block) {
    std::map<Key, std::vector<Sum>> groups;
    for (uint32_t i = block.first; i <= block.last; ++i) add(block, i, groups, Which::kOthers);
    for (uint32_t i = block.first; i <= block.last; ++i) add(block, i, groups, Which::kZero);
    for (auto& [key, sums] : groups) {
      std::ranges::sort(sums, {}, &Sum::at);
      if (sums.size() >= 2) join(key, sums);
    }
  }

  enum class Which : uint8_t { kOthers, kZero };

  // Sums at no distance join groups; they do not begin one.
  void add(const Block& block, uint32_t i, std::map<Key, std::vector<Sum>>& groups, Which which) {
    const bool wide =
        is_plain(p_, i, "mad") && bits(p_.code[i].type) == 32 && use_of(p_, p_.code[i]).has(".wide");
    if (!wide && !distances_.adds64(i)) return;
    const Instr& in = p_.code[i];
    if (!in.ops[0].present() || in.ops[0].constant() || !fits(block, i)) return;
    for (const size_t operand : wide ? std::vector<size_t>{3} : std::vector<size_t>{1, 2}) {
      int64_t distance = 0;
      const Place base = distances_.root(in.ops[operand], distance);
      if ((distance == 0) != (which == Which::kZero)) continue;
      const Place other = in.ops[wide ? 1 : 3 - operand], factor = wide ? in.ops[2] : Place{};
      if (!other.present() || other.constant() || !within(i, distance)) continue;
      const Key key{base.at, other.at, factor.at, in.op_class};
      if (distance == 0 && !groups.contains(key)) continue;
      groups[key].push_back({i, distance});
      return;
    }
  }

  // Whether i is all that makes its result, which accesses behind it in the block alone read, as their
  // address.
  bool fits(const Block& block, uint32_t i) const {
    const Place sum = p_.code[i].ops[0];
    const SingleValues::Row& row = values_.row(sum);
    return row.made == i && row.movable && !row.users.empty() &&
           std::all_of(row.users.begin(), row.users.end(),
                       [&](uint32_t u) { return u > i && u <= block.last && accesses_at(u, sum); });
  }

  bool accesses_at(uint32_t i, Place place) const {
    const Instr& in = p_.code[i];
    const bool accesses =
        in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore || in.kind == InstrKind::kAtomic;
    if (!accesses || (in.space != Space::kGlobal && in.space != Space::kGeneric && in.space != Space::kLocal))
      return false;
    return std::all_of(p_.refs.begin() + p_.ref_begin[i], p_.refs.begin() + p_.ref_begin[i + 1],
                       [&](const OperandRef& ref) {
                         return ref.place.at != place.at || (ref.address && ref.element == 0xff);
                       });
  }

  // Offsets have 24 bits with a sign (SASS of LDG).
  bool within(uint32_t i, int64_t distance) const {
    constexpr int64_t kMost = (1 << 23) - 1;
    const SingleValues::Row& row = values_.row(p_.code[i].ops[0]);
    return std::all_of(row.users.begin(), row.users.end(), [&](uint32_t u) {
      const int64_t offset = p_.code[u].imm + distance;
      return offset >= -kMost && offset <= kMost;
    });
  }

  void join(const Key& key, const std::vector<Sum>& sums) {
    const uint32_t first = sums.front().at;
    // What is added must be the same for all of them.
    for (const int32_t place : {std::get<1>(key), std::get<2>(key)}) {
      if (!SingleValues::is_row(Place{place})) continue;
      const uint32_t made = values_.row(Place{place}).made;
      if (made == SingleValues::kMany) return;
      if (made != SingleValues::kNobody && made > first && made < sums.back().at) return;
    }
    const Place sum = p_.code[first].ops[0];
    for (const Sum& s : sums) {
      const Place own = p_.code[s.at].ops[0];
      for (const uint32_t u : values_.row(own).users) {
        p_.code[u].imm += s.distance;
        read_instead(p_, u, own, sum);
      }
      if (s.at != first) edit_.erase[s.at] = 1;
    }
    Instr& in = p_.code[first];
    int64_t distance = 0;
    for (const size_t operand : {size_t{3}, size_t{1}, size_t{2}}) {
      distance = 0;
      if (!in.ops[operand].present() || in.ops[operand].constant()) continue;
      const Place base = distances_.root(in.ops[operand], distance);
      if (base.at != std::get<0>(key) || distance != sums.front().distance) continue;
      for (uint32_t r = p_.ref_begin[first]; r < p_.ref_begin[first + 1]; ++r) {
        if (!p_.refs[r].defines && p_.refs[r].operand == operand) p_.refs[r].place = base;
      }
      in.ops[operand] = base;
      break;
    }
    changed_ = true;
  }

  Program& p_;
  SingleValues values_;
  Distances distances_;
  Edit edit_;
  bool changed_ = false;
};

}  // namespace

void reassociate_addresses(Draft& d) {
  if (Reassociation(d).run() && d.options.runs("dead_code")) remove_dead_code(d);
}

}  // namespace gpuloom::ptx
