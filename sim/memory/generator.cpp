// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/generator.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace gpuloom::sim {
namespace {

constexpr std::array<std::string_view, 9> kNames = {"zero",     "iota", "raw",      "range", "uniform",
                                                    "positive", "perm", "csr_rows", "chase"};

bool is_float(ElementType t) {
  return t == ElementType::kF16 || t == ElementType::kBf16 || t == ElementType::kF32 ||
         t == ElementType::kF64;
}

// Calls value(i, splitmix64(base + i)) for each element of type T.
template <class T, class Value>
void each(std::span<uint8_t> out, uint64_t base, Value value) {
  for (size_t i = 0; i < out.size() / sizeof(T); ++i) {
    const T v = value(i, splitmix64(base + i));
    std::memcpy(out.data() + i * sizeof(T), &v, sizeof(T));
  }
}

// The same for integers of any width: the low bits of a 64-bit value.
template <class Value>
void each_integer(ElementType type, std::span<uint8_t> out, uint64_t base, Value value) {
  switch (bytes_of(type)) {
    case 1:
      return each<uint8_t>(out, base,
                           [&](size_t i, uint64_t u) { return static_cast<uint8_t>(value(i, u)); });
    case 2:
      return each<uint16_t>(out, base,
                            [&](size_t i, uint64_t u) { return static_cast<uint16_t>(value(i, u)); });
    case 4:
      return each<uint32_t>(out, base,
                            [&](size_t i, uint64_t u) { return static_cast<uint32_t>(value(i, u)); });
    default:
      return each<uint64_t>(out, base, [&](size_t i, uint64_t u) { return value(i, u); });
  }
}

void raw(ElementType type, std::span<uint8_t> out, uint64_t base) {
  switch (bytes_of(type)) {
    case 1:
      return each<uint8_t>(out, base, [](size_t, uint64_t u) { return static_cast<uint8_t>(u); });
    case 2:
      return each<uint16_t>(out, base, [](size_t, uint64_t u) { return static_cast<uint16_t>(u >> 48); });
    case 4:
      return each<uint32_t>(out, base, [](size_t, uint64_t u) { return static_cast<uint32_t>(u >> 32); });
    default:
      return each<uint64_t>(out, base, [](size_t, uint64_t u) { return u; });
  }
}

void iota(ElementType type, std::span<uint8_t> out) {
  if (!is_float(type)) return each_integer(type, out, 0, [](size_t i, uint64_t) { return uint64_t{i}; });
  const size_t size = bytes_of(type);
  for (size_t i = 0; i < out.size() / size; ++i)
    store_element(type, static_cast<double>(i), out.data() + i * size);
}

// uniform and positive: 24 random bits, exact in f32 and f64.
void real(ElementType type, std::span<uint8_t> out, uint64_t base, double step, double from) {
  if (type == ElementType::kF32) {
    const auto s = static_cast<float>(step), f = static_cast<float>(from);
    return each<float>(out, base, [=](size_t, uint64_t u) { return static_cast<float>(u >> 40) * s + f; });
  }
  if (type == ElementType::kF64)
    return each<double>(out, base,
                        [=](size_t, uint64_t u) { return static_cast<double>(u >> 40) * step + from; });
  // Eleven bits for the halves: k / 1024 is exact in f16 and rounds in bf16.
  const size_t size = bytes_of(type);
  for (size_t i = 0; i < out.size() / size; ++i)
    store_element(type, static_cast<double>(splitmix64(base + i) % 2048) * (step * 0x1p13) + from,
                  out.data() + i * size);
}

void permutation(std::span<uint8_t> out, uint64_t base) {
  const size_t n = out.size() / 4;
  auto* p = reinterpret_cast<uint32_t*>(out.data());
  for (size_t i = 0; i < n; ++i) p[i] = static_cast<uint32_t>(i);
  for (size_t i = n; i-- > 1;) std::swap(p[i], p[splitmix64(base + i) % (i + 1)]);
}

void csr_rows(std::span<uint8_t> out, uint64_t base, uint64_t param) {
  auto* p = reinterpret_cast<uint32_t*>(out.data());
  uint32_t sum = 0;
  for (size_t r = 0; r < out.size() / 4; ++r) {
    p[r] = sum;
    sum += static_cast<uint32_t>(splitmix64(base + r) % (2 * param + 1));
  }
}

void chase(std::span<uint8_t> out, uint64_t stride) {
  std::fill(out.begin(), out.end(), uint8_t{0});
  auto* p = reinterpret_cast<uint32_t*>(out.data());
  const size_t n = out.size() / 4 / stride;
  for (size_t i = 0; i < n; ++i) p[i * stride] = static_cast<uint32_t>((i + 1) % n * stride);
}

}  // namespace

uint64_t splitmix64(
    uint64_t x) {  // Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014)
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

bool fill_named(std::string_view text, Fill& kind) {
  if (text == "zeros") text = "zero";
  const auto at = std::find(kNames.begin(), kNames.end(), text);
  if (at == kNames.end()) return false;
  kind = static_cast<Fill>(at - kNames.begin());
  return true;
}

std::string_view name(Fill kind) { return kNames[static_cast<size_t>(kind)]; }

std::vector<std::string> fill_names() { return {kNames.begin(), kNames.end()}; }

std::string fill_problem(const FillSpec& spec, ElementType type, uint64_t count) {
  const auto wrong_type = [&](const char* wanted) {
    return fmt::format("'{}' makes {}, not {}", name(spec.kind), wanted, info(type).name);
  };
  switch (spec.kind) {
    case Fill::kZero:
    case Fill::kIota:
    case Fill::kRaw:
      return {};
    case Fill::kRange:
      if (is_float(type)) return wrong_type("integers");
      return spec.param == 0 ? "'range' needs a param above 0: values are below it" : std::string();
    case Fill::kUniform:
    case Fill::kPositive:
      return is_float(type) ? std::string() : wrong_type("floating-point numbers");
    case Fill::kPerm:
    case Fill::kCsrRows:
    case Fill::kChase:
      if (type != ElementType::kU32 && type != ElementType::kS32) return wrong_type("32-bit integers");
      if (count > UINT32_MAX) return fmt::format("'{}' is limited to 2^32 elements", name(spec.kind));
      if (spec.kind == Fill::kChase && (spec.param == 0 || spec.param > count))
        return "'chase' needs a param between 1 and the count: the stride in elements";
      return {};
  }
  return {};
}

void generate(const FillSpec& spec, ElementType type, std::span<uint8_t> out) {
  const uint64_t base = spec.seed * 0x9E3779B97F4A7C15ull;
  switch (spec.kind) {
    case Fill::kZero:
      std::fill(out.begin(), out.end(), uint8_t{0});
      return;
    case Fill::kIota:
      return iota(type, out);
    case Fill::kRaw:
      return raw(type, out, base);
    case Fill::kRange:
      return each_integer(type, out, base, [&](size_t, uint64_t u) { return u % spec.param; });
    case Fill::kUniform:
      return real(type, out, base, 0x1p-23, -1.0);
    case Fill::kPositive:
      return real(type, out, base, 0x1p-24, 0.5);
    case Fill::kPerm:
      return permutation(out, base);
    case Fill::kCsrRows:
      return csr_rows(out, base, spec.param);
    case Fill::kChase:
      return chase(out, spec.param);
  }
}

}  // namespace gpuloom::sim
