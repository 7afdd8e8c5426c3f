// SPDX-License-Identifier: Apache-2.0
// One line of cases.txt, and the input of all cases. Shared by probe.cpp (a GPU) and gpuloom's test.
#pragma once
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace grid_cases {

struct Case {
  std::string id, module, kernel;
  unsigned grid[3] = {1, 1, 1}, block = 0, cluster[3] = {0, 0, 0};  // cluster 0: launched without
  unsigned cooperative = 0;
  size_t words = 0;  // of output
};

inline void three(const std::string& text, unsigned (&out)[3]) {
  std::istringstream in(text);
  char comma = 0;
  in >> out[0] >> comma >> out[1] >> comma >> out[2];
}

inline Case parse_case(const std::string& line) {
  Case c;
  std::string grid, cluster;
  std::istringstream in(line);
  in >> c.id >> c.module >> c.kernel >> grid >> c.block >> cluster >> c.cooperative >> c.words;
  three(grid, c.grid);
  three(cluster, c.cluster);
  return c;
}

constexpr size_t kInWords = 65536;
constexpr size_t kOutWords = (1 << 17) + (1 << 17);  // results, then what kernels keep for themselves

inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ull;
  return x ^ (x >> 32);
}

inline std::vector<uint64_t> input() {
  std::vector<uint64_t> words(kInWords);
  for (size_t i = 0; i < kInWords; ++i) words[i] = mix(i + 1);
  return words;
}

inline uint64_t hash_of(const uint64_t* words, size_t count) {  // FNV-1a by words
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < count; ++i) hash = (hash ^ words[i]) * 0x100000001b3ull;
  return hash;
}

// The tensor map of `in`: 64 rows of 64 words of 32 bits, boxes of 4 rows of 16.
constexpr unsigned kMapColumns = 64, kMapRows = 64, kBoxColumns = 16, kBoxRows = 4;

}  // namespace grid_cases
