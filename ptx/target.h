// SPDX-License-Identifier: Apache-2.0
// Compute capabilities as the targets of PTX name them ("sm_90a"), each with the targets that it includes.
// What a target has is a question of membership in that set, never of comparing numbers: sm_90a features are
// not in sm_100, sm_100f ones not in sm_120.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom::ptx {

struct TargetInfo {
  std::string_view name;      // "sm_90a"
  std::string_view since;     // PTX ISA version that introduced it
  std::string_view includes;  // what it adds to, blank-separated; inclusion is transitive
};

const std::vector<TargetInfo>& all_targets();

// "9.0" for sm_90, sm_90a: the compute capability that a target is for. "" for what is not a target.
std::string capability_of(std::string_view target);

// nullptr where no PTX version knows the name.
const TargetInfo* find_target(std::string_view name);

// Whether code that needs `needed` runs on `target`: every target covers itself and what it includes,
// transitively. False where either name is unknown.
bool covers(std::string_view target, std::string_view needed);

// Whether `target` covers one of `needed`; true for an empty list, which asks for nothing.
bool covers_any(std::string_view target, const std::vector<std::string>& needed);

// Of the targets that a GPU runs natively, the one that covers the others: sm_100a of sm_100, sm_100f,
// sm_100a.
std::string widest_target(const std::vector<std::string>& targets);

// Versions of the PTX ISA, "8.6", ordered: 806. 0 for what is not a version.
unsigned ptx_version(std::string_view text);
constexpr unsigned ptx_version(unsigned major, unsigned minor) { return major * 100 + minor; }

constexpr unsigned kNewestPtxMajor = 9, kNewestPtxMinor = 0;

}  // namespace gpuloom::ptx
