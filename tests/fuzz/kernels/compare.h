// SPDX-License-Identifier: Apache-2.0
// Kernels with what a GPU made of them, beside gpuloom.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/kernels/check.h"

namespace gpuloom::fuzz {

// Of an output buffer: FNV-1a over its 64-bit words, as the driver's.
uint64_t hash_of(const std::vector<uint8_t>& bytes);

// A kernel, and the hash of what it left on a GPU.
struct Measured {
  RandomKernel kernel;
  uint64_t hash = 0;
};
// Of a text in which each kernel begins with its launch line, `// result HASH` behind it (gzip-compressed or
// not).
std::vector<Measured> measured_kernels(const std::string& path);

// For each kernel of an --emit folder of which bad/SEED.bin is there: the words that gpuloom leaves
// otherwise, up to `most` of each, and the line of the kernel's end that stored them. Returns how many
// differ.
uint64_t compare(const std::string& folder, uint64_t most, Checker& checker);

}  // namespace gpuloom::fuzz
