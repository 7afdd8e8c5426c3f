// SPDX-License-Identifier: Apache-2.0
#include "ptx/target.h"

#include <bitset>
#include <charconv>
#include <unordered_map>

namespace gpuloom::ptx {
namespace {

// Versions: PTX ISA 9.0, table "PTX ISA release history", and the notes on .target (11.1.2). A plain target
// includes its predecessor; `a` (architecture-specific) includes its family and its plain target; `f`
// (family-specific) its plain target and the family's members before it. sm_101 was renamed sm_110 in
// PTX 9.0.
constexpr TargetInfo kTargets[] = {
    {"sm_10", "1.0", ""},
    {"sm_11", "1.0", "sm_10"},
    {"sm_12", "1.2", "sm_11"},
    {"sm_13", "1.2", "sm_12"},
    {"sm_20", "2.0", "sm_13"},
    {"sm_21", "2.0", "sm_20"},
    {"sm_30", "3.0", "sm_21"},
    {"sm_32", "4.0", "sm_30"},
    {"sm_35", "3.1", "sm_32"},
    {"sm_37", "4.1", "sm_35"},
    {"sm_50", "4.0", "sm_37"},
    {"sm_52", "4.1", "sm_50"},
    {"sm_53", "4.2", "sm_52"},
    {"sm_60", "5.0", "sm_53"},
    {"sm_61", "5.0", "sm_60"},
    {"sm_62", "5.0", "sm_61"},
    {"sm_70", "6.0", "sm_62"},
    {"sm_72", "6.1", "sm_70"},
    {"sm_75", "6.3", "sm_72"},
    {"sm_80", "7.0", "sm_75"},
    {"sm_86", "7.1", "sm_80"},
    {"sm_87", "7.4", "sm_86"},
    {"sm_88", "9.0", "sm_87"},
    {"sm_89", "7.8", "sm_88"},
    {"sm_90", "7.8", "sm_89"},
    {"sm_90a", "8.0", "sm_90"},
    {"sm_100", "8.6", "sm_90"},
    {"sm_100f", "8.8", "sm_100"},
    {"sm_100a", "8.6", "sm_100f"},
    {"sm_101", "8.6", "sm_100"},
    {"sm_101f", "8.8", "sm_101"},
    {"sm_101a", "8.6", "sm_101f sm_110a"},
    {"sm_103", "8.8", "sm_101"},
    {"sm_103f", "8.8", "sm_103 sm_100f"},
    {"sm_103a", "8.8", "sm_103f"},
    {"sm_110", "9.0", "sm_103"},
    {"sm_110f", "9.0", "sm_110 sm_101f"},
    {"sm_110a", "9.0", "sm_110f sm_101a"},
    {"sm_120", "8.7", "sm_110"},
    {"sm_120f", "8.8", "sm_120"},
    {"sm_120a", "8.7", "sm_120f"},
    {"sm_121", "8.8", "sm_120"},
    {"sm_121f", "8.8", "sm_121 sm_120f"},
    {"sm_121a", "8.8", "sm_121f"},
};
constexpr size_t kCount = sizeof(kTargets) / sizeof(kTargets[0]);
using Set = std::bitset<kCount>;

struct Inclusion {
  std::unordered_map<std::string_view, size_t> index;
  Set of[kCount];

  Inclusion() {
    for (size_t k = 0; k < kCount; ++k) index.emplace(kTargets[k].name, k);
    for (size_t k = 0; k < kCount; ++k) visit(k, of[k]);
  }
  void visit(size_t k, Set& seen) const {
    if (seen[k]) return;
    seen[k] = true;
    std::string_view rest = kTargets[k].includes;
    while (!rest.empty()) {
      const size_t blank = rest.find(' ');
      visit(index.at(rest.substr(0, blank)), seen);
      rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
    }
  }
};

const Inclusion& inclusion() {
  static const Inclusion kInclusion;
  return kInclusion;
}

}  // namespace

const std::vector<TargetInfo>& all_targets() {
  static const std::vector<TargetInfo> kAll(std::begin(kTargets), std::end(kTargets));
  return kAll;
}

std::string capability_of(std::string_view target) {
  if (find_target(target) == nullptr) return {};
  std::string digits(target.substr(3));
  while (digits.back() > '9') digits.pop_back();  // the letter of sm_90a
  return digits.substr(0, digits.size() - 1) + "." + digits.back();
}

const TargetInfo* find_target(std::string_view name) {
  const auto found = inclusion().index.find(name);
  return found == inclusion().index.end() ? nullptr : &kTargets[found->second];
}

bool covers(std::string_view target, std::string_view needed) {
  const auto& index = inclusion().index;
  const auto a = index.find(target), b = index.find(needed);
  return a != index.end() && b != index.end() && inclusion().of[a->second][b->second];
}

bool covers_any(std::string_view target, const std::vector<std::string>& needed) {
  if (needed.empty()) return true;
  for (const std::string& name : needed)
    if (covers(target, name)) return true;
  return false;
}

std::string widest_target(const std::vector<std::string>& targets) {
  std::string widest;
  for (const std::string& target : targets)
    if (widest.empty() || covers(target, widest)) widest = target;
  return widest;
}

unsigned ptx_version(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return 0;
  unsigned major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), text.data() + dot, major);
  const auto second = std::from_chars(text.data() + dot + 1, end, minor);
  if (first.ec != std::errc() || second.ec != std::errc() || first.ptr != text.data() + dot ||
      second.ptr != end)
    return 0;
  return ptx_version(major, minor);
}

}  // namespace gpuloom::ptx
