// SPDX-License-Identifier: Apache-2.0
// One line of cases.txt, the texels it starts from and the coordinates it fetches. Shared by probe.cpp (a
// GPU) and gpuloom's test. gen.py explains the fields.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace texture_cases {

struct Case {
  std::map<std::string, std::string> fields;
  const std::string& text(const char* key) const { return fields.at(key); }
  std::string get(const char* key, const char* otherwise) const {
    const auto found = fields.find(key);
    return found == fields.end() ? otherwise : found->second;
  }
  int64_t number(const char* key, int64_t otherwise = 0) const {
    const auto found = fields.find(key);
    return found == fields.end() ? otherwise : std::strtoll(found->second.c_str(), nullptr, 0);
  }
  double real(const char* key, double otherwise = 0) const {
    const auto found = fields.find(key);
    return found == fields.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
  }
};

inline std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == by) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

inline Case parse_case(const std::string& line) {
  Case c;
  for (const std::string& field : split(line, ' ')) {
    const size_t equals = field.find('=');
    if (equals != std::string::npos) c.fields[field.substr(0, equals)] = field.substr(equals + 1);
  }
  return c;
}

inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ull;
  return x ^ (x >> 32);
}

inline uint32_t bits_of(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  return bits;
}

inline unsigned channel_bytes(const std::string& format) {
  return format == "u8" || format == "s8" ? 1 : format == "u16" || format == "s16" || format == "f16" ? 2 : 4;
}

// Shape of one mipmap level as it lies in host memory: rows of texels, slices, layers, without gaps.
struct Shape {
  size_t width = 1, height = 1, slices = 1;  // slices: depth, layers, or cube faces
  size_t texels() const { return width * height * slices; }
};

inline bool has_depth(const std::string& kind) { return kind == "3d"; }

// kind: 1d 2d 3d a1d a2d cube acube; linear and pitch memory are 1d and 2d. w, h, d as the driver's array
// descriptor has them, where d is the depth, the layers, 6, or 6 * layers.
inline Shape shape_of(const Case& c, unsigned level) {
  const auto extent = [&](const char* key, bool shrinks) {
    const int64_t full = c.number(key);
    if (full == 0) return size_t{1};
    return static_cast<size_t>(shrinks ? std::max<int64_t>(1, full >> level) : full);
  };
  return {extent("w", true), extent("h", true), extent("d", has_depth(c.text("kind")))};
}

// One channel of a texel. Patterns: random; wide (floats of all magnitudes); hot:k (texel k is 1, others 0);
// hots:k (every k-th texel); level (the level's number); index (of the texel); small (multiples of 1/8).
inline uint32_t channel(const Case& c, size_t texel, unsigned number, unsigned level) {
  const std::vector<std::string> pattern = split(c.text("data"), ':');
  const std::string& format = c.text("fmt");
  const uint64_t random =
      mix(mix(static_cast<uint64_t>(c.number("seed")) * 1000003 + level) + texel * 4 + number);
  const bool real = format[0] == 'f';
  const auto as_real = [&](double value) -> uint32_t {
    const uint32_t word = bits_of(static_cast<float>(value));
    if (format == "f32") return word;
    if (word << 1 == 0) return word >> 16;
    return (word >> 16 & 0x8000) | (((word >> 23 & 255) - 112) << 10) |
           (word >> 13 & 0x3ff);  // normal halves only
  };
  const uint32_t mask = channel_bytes(format) == 4 ? ~0u : (1u << (8 * channel_bytes(format))) - 1;
  const uint32_t one = real ? as_real(1) : format[0] == 's' ? mask >> 1 : mask;
  if (pattern[0] == "hot") return texel == static_cast<size_t>(std::atoi(pattern[1].c_str())) ? one : 0;
  if (pattern[0] == "hots")
    return texel % static_cast<size_t>(std::atoi(pattern[1].c_str())) == number ? one : 0;
  if (pattern[0] == "one") return one;
  if (pattern[0] == "level") return real ? as_real(level) : level & mask;
  if (pattern[0] == "index") {
    const auto value = static_cast<uint32_t>(texel + level * 1000 + number * 7);
    return real ? as_real(value) : value & mask;
  }
  if (pattern[0] == "small" && real)
    return as_real(static_cast<double>(static_cast<int64_t>(random & 127) - 64) / 8);
  if (pattern[0] == "wide" && real) {
    if (format == "f16") return static_cast<uint32_t>(random >> 20 & 0xffff);  // all bit patterns
    const uint32_t word = static_cast<uint32_t>(random >> 16);
    if ((random & 31) == 0) return word;
    return (word & 0x807fffff) | (static_cast<uint32_t>(127 - 12 + (random >> 5 & 15)) << 23);
  }
  if (real) return as_real((static_cast<double>(random >> 40) / 16777216.0 - 0.5) * 2 + 0.0001);
  return static_cast<uint32_t>(random >> 24) & mask;
}

inline std::vector<uint8_t> texels_of(const Case& c, unsigned level) {
  const size_t texels = shape_of(c, level).texels();
  const auto channels = static_cast<unsigned>(c.number("ch"));
  const unsigned size = channel_bytes(c.text("fmt"));
  std::vector<uint8_t> out(texels * channels * size);
  for (size_t t = 0; t < texels; ++t)
    for (unsigned k = 0; k < channels; ++k) {
      const uint32_t value = channel(c, t, k, level);
      std::memcpy(&out[(t * channels + k) * size], &value, size);
    }
  return out;
}

constexpr unsigned kWords = 16;   // input words of a fetch
constexpr unsigned kResults = 5;  // output words of a fetch: four values and the predicate

inline float special(uint64_t random) {
  static const uint32_t kSpecial[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
                                      0x00000001, 0x80000001, 0x4b000000, 0xcb000000, 0x4f000000, 0xcf000000,
                                      0x7f7fffff, 0xff7fffff, 0x47000000, 0xc7000000, 0x46fffe00, 0x4b800001,
                                      0x3f7fffff, 0x3f800001, 0xbf7fffff, 0x33800000, 0xb3800000, 0x5f000000};
  float value = 0;
  std::memcpy(&value, &kSpecial[random % 24], 4);
  return value;
}

// Word `k` of fetch `i`, made by the generator in field "c<k>":
//   f:lo:hi     a float between          i:lo:hi  an integer between, both included
//   w:lo:hi:s   s times such an integer
//   s:a:b:d:m   the float a + b * ((i / d) % m)
//   e:n:scale   near a texel's edge or centre of n texels, a few ulps off, times scale
//   g:n:scale   a multiple of 1/512 of n texels, a few ulps off, times scale
//   m:lo:hi     +-2^x, x between         x        a special value
//   k:v, n:v    a constant float, integer
inline uint32_t word_of(const Case& c, size_t i, unsigned k) {
  const std::string key = "c" + std::to_string(k);
  const auto found = c.fields.find(key);
  if (found == c.fields.end()) return 0;
  const std::vector<std::string> g = split(found->second, ':');
  const uint64_t random = mix(mix(static_cast<uint64_t>(c.number("seed")) * 7919 + k + 17) + i);
  const auto real = [&](size_t n) { return std::strtod(g[n].c_str(), nullptr); };
  const auto whole = [&](size_t n) { return std::strtoll(g[n].c_str(), nullptr, 0); };
  const double unit = static_cast<double>(random >> 40) / 16777216.0;
  switch (g[0][0]) {
    case 'f':
      return bits_of(static_cast<float>(real(1) + (real(2) - real(1)) * unit));
    case 'i':
      return static_cast<uint32_t>(
          whole(1) + static_cast<int64_t>((random >> 8) % static_cast<uint64_t>(whole(2) - whole(1) + 1)));
    case 'w':
      return static_cast<uint32_t>(
          (whole(1) + static_cast<int64_t>((random >> 8) % static_cast<uint64_t>(whole(2) - whole(1) + 1))) *
          whole(3));
    case 's':
      return bits_of(
          static_cast<float>(real(1) + real(2) * static_cast<double>((i / static_cast<size_t>(whole(3))) %
                                                                     static_cast<size_t>(whole(4)))));
    case 'e':
    case 'g': {
      const auto n = static_cast<uint64_t>(whole(1));
      const double texel = static_cast<double>((random >> 8) % (n + 4)) - 2;
      const double part = g[0][0] == 'e' ? static_cast<double>(random >> 32 & 1) * 0.5
                                         : static_cast<double>(random >> 32 & 511) / 512;
      const float value = static_cast<float>((texel + part) * real(2));
      const uint32_t word = bits_of(value);
      return word << 1 == 0 ? word : word + static_cast<uint32_t>(random >> 48 & 3) - 1;
    }
    case 'm': {
      const auto exponent = static_cast<int>(std::floor(real(1) + (real(2) - real(1)) * unit));
      const double value = std::ldexp(1 + static_cast<double>(random & 0x3fffff) / 4194304.0, exponent);
      return bits_of(static_cast<float>(random >> 39 & 1 ? -value : value));
    }
    case 'x':
      return bits_of(special(random >> 8));
    case 'k':
      return bits_of(static_cast<float>(real(1)));
    default:
      return static_cast<uint32_t>(whole(1));
  }
}

inline std::vector<uint32_t> inputs_of(const Case& c) {
  const auto n = static_cast<size_t>(c.number("n"));
  std::vector<uint32_t> words(n * kWords);
  for (size_t i = 0; i < n; ++i)
    for (unsigned k = 0; k < kWords; ++k) words[i * kWords + k] = word_of(c, i, k);
  return words;
}

inline uint64_t fnv1a(const void* data, size_t bytes, uint64_t hash = 0xcbf29ce484222325ull) {
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const uint8_t*>(data)[i]) * 0x100000001b3ull;
  return hash;
}

inline bool writes_surface(const std::string& kernel) {
  return kernel.rfind("sust", 0) == 0 || kernel.rfind("sured", 0) == 0;
}
inline bool is_surface(const std::string& kernel) { return kernel.rfind("su", 0) == 0; }

}  // namespace texture_cases
