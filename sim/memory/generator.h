// SPDX-License-Identifier: Apache-2.0
// Deterministic contents for buffers. Element i of a buffer with seed s comes from splitmix64(s *
// 0x9E3779B97F4A7C15 + i), so a launch file says in a word what a kernel's input was, and a run on silicon
// with the same generators has the same bytes.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/memory/element_type.h"

namespace gpuloom::sim {

enum class Fill : uint8_t {
  kZero,
  kIota,      // i
  kRaw,       // random bits (the upper half for 32-bit and narrower types wider than a byte)
  kRange,     // random integers below param
  kUniform,   // random in [-1, 1), multiples of 2^-23 (2^-10 for f16 and bf16)
  kPositive,  // random in [0.5, 1.5), multiples of 2^-24
  kPerm,      // a permutation of 0 .. count-1 (Fisher-Yates)
  kCsrRows,   // row starts: count-1 rows of splitmix64(base + r) % (2 * param + 1) entries
  kChase,     // one cycle through the slots 0, param, 2 * param, ...: each holds the index of the next
};

struct FillSpec {
  Fill kind = Fill::kZero;
  uint64_t seed = 1;
  uint64_t param = 0;
};

uint64_t splitmix64(uint64_t x);
// Name as in launch files: "zero", "iota", ..., "csr_rows". False where it is none of them.
bool fill_named(std::string_view name, Fill& kind);
std::string_view name(Fill kind);
std::vector<std::string> fill_names();
// "" where the generator makes sense for the type and the count, else what is wrong.
std::string fill_problem(const FillSpec& spec, ElementType type, uint64_t count);
// Fills `out`, a whole number of elements. Precondition: fill_problem() is "".
void generate(const FillSpec& spec, ElementType type, std::span<uint8_t> out);

}  // namespace gpuloom::sim
