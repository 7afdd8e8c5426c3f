// SPDX-License-Identifier: Apache-2.0
// One line of cases.txt, how it is launched, and its outcomes. Shared by probe.cpp (a GPU) and gpuloom's
// test.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace litmus_cases {

struct Case {
  std::string test, flavour, scope, space, placement, kernel, final, forbidden;
  unsigned roles = 0, registers = 0;
};

inline Case parse_case(const std::string& line) {
  Case c;
  std::istringstream in(line);
  in >> c.test >> c.flavour >> c.scope >> c.space >> c.placement >> c.kernel >> c.roles >> c.registers >>
      c.final >> c.forbidden;
  if (c.final == "-") c.final.clear();
  return c;
}

constexpr unsigned kSharedIterations = 32;  // what a block's words are enough for

inline unsigned placement_of(const Case& c) {
  return c.placement == "lane" ? 0 : c.placement == "warp" ? 1 : c.placement == "cluster" ? 2 : 3;
}

// A group is 32 instances of the test.
struct Shape {
  unsigned grid, block, cluster;  // cluster 0: launched without
};
inline Shape shape_of(const Case& c, unsigned groups) {
  if (placement_of(c) < 2) return {groups, 128, c.space == "shared" ? 1u : 0u};
  return {groups * 4, 32, placement_of(c) == 2 ? 4u : 0u};
}

// Outcomes of `count` runs: registers, then last values of the words in `final`. words: four a run; memory: x
// of all runs, then y, then z.
inline std::map<std::string, size_t> histogram(const Case& c, const uint32_t* words, const uint32_t* memory,
                                               size_t count) {
  std::map<std::array<uint32_t, 6>, size_t> seen;
  for (size_t i = 0; i < count; ++i) {
    std::array<uint32_t, 6> o{};
    unsigned n = 0;
    for (unsigned k = 0; k < c.registers; ++k) o[n++] = words[i * 4 + k];
    for (const char w : c.final) o[n++] = memory[static_cast<size_t>(w - 'x') * count + i];
    ++seen[o];
  }
  std::map<std::string, size_t> out;
  for (const auto& [o, n] : seen) {
    std::string key;
    for (unsigned k = 0; k < c.registers + c.final.size(); ++k) key += (k ? "," : "") + std::to_string(o[k]);
    out[key] = n;
  }
  return out;
}

// Does the outcome match one of the forbidden ones?
inline bool is_forbidden(const Case& c, const std::string& outcome) {
  std::istringstream alternatives(c.forbidden);
  for (std::string pattern; std::getline(alternatives, pattern, '|');) {
    std::istringstream a(pattern), b(outcome);
    std::string x, y;
    bool same = true;
    while (std::getline(b, y, ','))
      if (!std::getline(a, x, ',') || (x != "*" && x != y)) same = false;
    if (same) return true;
  }
  return false;
}

}  // namespace litmus_cases
