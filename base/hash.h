// SPDX-License-Identifier: Apache-2.0
// Hashes: FNV-1a for comparing outputs with the silicon reference, SHA-256 for provenance.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuloom {

// Starting value of the reference outputs' hashes. It is not the published FNV-1a offset basis
// (14695981039346656037): the reference collection lost the last digit, and the hashes must compare equal.
inline constexpr uint64_t kFnvStart = 1469598103934665603ull;

// FNV-1a, 64 bits; pass an earlier result as `start` to continue.
uint64_t fnv1a64(const void* data, size_t bytes, uint64_t start = kFnvStart);

// SHA-256 (FIPS 180-4) in pieces.
class Sha256 {
 public:
  Sha256();
  void add(const void* data, size_t bytes);
  void add(std::string_view text) { add(text.data(), text.size()); }
  std::array<uint8_t, 32> finish();  // once
  std::string finish_hex();          // once

 private:
  void block(const uint8_t* data);
  std::array<uint32_t, 8> state_;
  std::array<uint8_t, 64> pending_{};
  size_t pending_bytes_ = 0;
  uint64_t total_bytes_ = 0;
};

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view data);

}  // namespace gpuloom
