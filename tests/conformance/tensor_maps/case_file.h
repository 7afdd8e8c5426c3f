// SPDX-License-Identifier: Apache-2.0
// One line of cases.txt, and the data that a case starts from. Shared by probe.cpp (a GPU) and gpuloom's
// test.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace tensor_map_cases {

struct Case {
  std::map<std::string, std::string> fields;
  const std::string& text(const char* key) const { return fields.at(key); }
  int64_t number(const char* key) const { return std::strtoll(text(key).c_str(), nullptr, 0); }
  std::vector<int64_t> list(const char* key) const {
    std::vector<int64_t> out;
    const auto found = fields.find(key);
    if (found == fields.end()) return out;
    const char* at = found->second.c_str();
    while (*at != 0) {
      char* end = nullptr;
      out.push_back(std::strtoll(at, &end, 0));
      at = *end == ',' ? end + 1 : end;
      if (end == at && *end != 0) break;
    }
    return out;
  }
};

inline Case parse_case(const std::string& line) {
  Case c;
  size_t at = 0;
  while (at < line.size()) {
    size_t end = line.find(' ', at);
    if (end == std::string::npos) end = line.size();
    const size_t equals = line.find('=', at);
    if (equals < end) c.fields[line.substr(at, equals - at)] = line.substr(equals + 1, end - equals - 1);
    at = end + 1;
  }
  return c;
}

inline unsigned element_size(const std::string& type) {
  if (type == "u8") return 1;
  if (type == "u16" || type == "f16" || type == "bf16") return 2;
  return type == "u64" || type == "s64" || type == "f64" ? 8 : 4;
}

inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ull;
  return x ^ (x >> 29);
}

// iota: the index of the element; number: small multiples of 1/4; special: all kinds of bit patterns.
inline uint64_t element(const std::string& pattern, const std::string& type, uint64_t index) {
  if (pattern == "iota") return type == "u8" ? index ^ index >> 8 : index;
  const uint64_t random = mix(index + 1);
  if (pattern == "number") {
    const double value = static_cast<double>(static_cast<int64_t>(random >> 40 & 255) - 128) * 0.25;
    const auto single = static_cast<float>(value);
    uint64_t bits = 0;
    if (type == "f64") {
      std::memcpy(&bits, &value, 8);
      return bits;
    }
    uint32_t word = 0;
    std::memcpy(&word, &single, 4);
    if (type == "bf16") return word >> 16;
    if (type != "f16") return word;
    if (word << 1 == 0) return word >> 16;
    return (word >> 16 & 0x8000) | (((word >> 23 & 255) - 112) << 10) | (word >> 13 & 0x3ff);
  }
  const unsigned bits = element_size(type) * 8;
  uint64_t value = mix(random);
  // Every other one is special for a float: exponent all ones, zero, or with a mantissa of few bits.
  const unsigned mantissa = type == "f16" ? 10 : type == "bf16" ? 7 : bits == 64 ? 52 : 23;
  if (bits >= 16) {
    const uint64_t exponent = ((uint64_t{1} << ((bits - 1 - mantissa) & 63)) - 1) << mantissa;
    switch (random >> 33 & 7) {
      case 0:
        value |= exponent;
        break;
      case 1:
        value &= ~exponent;
        break;
      case 2:
        value &= ~((uint64_t{1} << mantissa) - 1);
        break;
      case 3:
        value = (value | 0x1000) & ~uint64_t{0xfff};
        break;
      case 4:
        value &= (uint64_t{1} << (bits - 1)) | 7;
        break;
      default:
        break;
    }
  }
  return value;
}

// What a buffer of the case holds at first; `salt` tells the source of stores from the tensor.
inline std::vector<uint8_t> data_of(const Case& c, size_t bytes, uint64_t salt) {
  std::vector<uint8_t> data(bytes);
  const std::string& type = c.text("type");
  const unsigned size = element_size(type);
  for (size_t i = 0; i * size < bytes; ++i) {
    const uint64_t value = element(c.text("pat"), type, i + salt);
    std::memcpy(&data[i * size], &value, size);
  }
  return data;
}

inline uint64_t fnv1a(const std::vector<uint8_t>& data) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const uint8_t byte : data) hash = (hash ^ byte) * 0x100000001b3ull;
  return hash;
}

inline bool writes_tensor(const std::string& kernel) {
  return kernel.find("store") != std::string::npos || kernel.find("red_") != std::string::npos;
}

constexpr uint64_t kStoreSalt = 12345;
constexpr size_t kOutBytes = 65536 + 256;  // what loads dump, and their status behind it

}  // namespace tensor_map_cases
