// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/element_type.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace gpuloom::sim {
namespace {

constexpr ElementInfo kTypes[] = {
    {ElementType::kU8, "u8", 1, "u1"},   {ElementType::kS8, "s8", 1, "i1"},
    {ElementType::kU16, "u16", 2, "u2"}, {ElementType::kS16, "s16", 2, "i2"},
    {ElementType::kU32, "u32", 4, "u4"}, {ElementType::kS32, "s32", 4, "i4"},
    {ElementType::kU64, "u64", 8, "u8"}, {ElementType::kS64, "s64", 8, "i8"},
    {ElementType::kF16, "f16", 2, "f2"}, {ElementType::kBf16, "bf16", 2, "V2"},
    {ElementType::kF32, "f32", 4, "f4"}, {ElementType::kF64, "f64", 8, "f8"},
};

// A small IEEE-like format of `fraction` fraction bits and exponents that end at 2^max_exponent, from double.
uint16_t narrow(double value, int fraction, int max_exponent) {
  const int exponent_bits = 15 - fraction;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint16_t infinity = static_cast<uint16_t>(((1 << exponent_bits) - 1) << fraction);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | infinity | (1 << (fraction - 1)));
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const int min_exponent = 1 - max_exponent;
  const int exponent =
      std::max(std::isinf(magnitude) ? max_exponent + 1 : std::ilogb(magnitude), min_exponent);
  if (exponent > max_exponent) return static_cast<uint16_t>(sign | infinity);
  // Units of the last place; the default rounding mode is to nearest even.
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, fraction - exponent)));
  const uint32_t biased = static_cast<uint32_t>(exponent - min_exponent) << fraction;
  return static_cast<uint16_t>(sign | std::min<uint32_t>(biased + units, infinity));
}

double widen(uint16_t bits, int fraction, int max_exponent) {
  const int exponent_bits = 15 - fraction;
  const int field = (bits >> fraction) & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << fraction) - 1);
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (field == (1 << exponent_bits) - 1) return mantissa != 0 ? std::copysign(NAN, sign) : sign * INFINITY;
  if (field == 0) return sign * std::ldexp(mantissa, 1 - max_exponent - fraction);
  return sign * std::ldexp(mantissa + (1 << fraction), field - max_exponent - fraction);
}

template <class T>
T load(const void* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class T>
void store(void* p, T v) {
  std::memcpy(p, &v, sizeof v);
}

// C's and CUDA's names on Linux, where long has 64 bits, those of <cstdint> and NumPy's.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"float", "f32"},    {"double", "f64"},    {"half", "f16"},
    {"__half", "f16"},   {"bfloat16", "bf16"}, {"__nv_bfloat16", "bf16"},
    {"bool", "u8"},      {"char", "s8"},       {"short", "s16"},
    {"int", "s32"},      {"long", "s64"},      {"signed", "s32"},
    {"unsigned", "u32"}, {"uchar", "u8"},      {"ushort", "u16"},
    {"uint", "u32"},     {"ulong", "u64"},     {"size_t", "u64"},
    {"float16", "f16"},  {"float32", "f32"},   {"float64", "f64"},
    {"int8", "s8"},      {"int16", "s16"},     {"int32", "s32"},
    {"int64", "s64"},    {"uint8", "u8"},      {"uint16", "u16"},
    {"uint32", "u32"},   {"uint64", "u64"},    {"int8_t", "s8"},
    {"int16_t", "s16"},  {"int32_t", "s32"},   {"int64_t", "s64"},
    {"uint8_t", "u8"},   {"uint16_t", "u16"},  {"uint32_t", "u32"},
    {"uint64_t", "u64"},
};

// "unsigned long long" -> "u64", "float" -> "f32"; other names as they are.
std::string c_type(std::string_view name) {
  bool is_unsigned = false, is_signed = false;
  size_t longs = 0;
  std::string base;
  for (size_t at = 0; at < name.size();) {
    const size_t begin = name.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    const size_t end = std::min(name.find(' ', begin), name.size());
    const std::string_view word = name.substr(begin, end - begin);
    at = end;
    if (word == "unsigned") {
      is_unsigned = true;
    } else if (word == "signed") {
      is_signed = true;
    } else if (word == "long") {
      ++longs;
    } else if (word != "int" || (longs == 0 && base.empty())) {
      base = base.empty() ? std::string(word) : base + " " + std::string(word);
    }
  }
  if (longs > 2 || (longs != 0 && !base.empty() && base != "int")) return std::string(name);
  if (longs != 0) base = "long";
  if (base.empty()) base = is_unsigned || is_signed ? "int" : "";
  for (const auto& [other, ours] : kOtherNames)
    if (base == other) base = ours;
  if (!is_unsigned && !is_signed) return base;
  if (base.size() < 2 || base[0] != 's') return std::string(name);  // unsigned float
  if (is_unsigned) base[0] = 'u';
  return base;
}

}  // namespace

const ElementInfo& info(ElementType type) { return kTypes[static_cast<size_t>(type)]; }

bool element_type_named(std::string_view name, ElementType& type) {
  std::string canonical = c_type(name);
  if (canonical.size() > 1 && canonical[0] == 'i') canonical[0] = 's';
  for (const ElementInfo& t : kTypes) {
    if (t.name != canonical) continue;
    type = t.type;
    return true;
  }
  return false;
}

std::vector<std::string> element_type_names() {
  std::vector<std::string> names;
  for (const ElementInfo& t : kTypes) names.emplace_back(t.name);
  return names;
}

double f16_value(uint16_t bits) { return widen(bits, 10, 15); }
double bf16_value(uint16_t bits) { return widen(bits, 7, 127); }
uint16_t f16_bits(double value) { return narrow(value, 10, 15); }
uint16_t bf16_bits(double value) { return narrow(value, 7, 127); }

double element_value(ElementType type, const void* element) {
  switch (type) {
    case ElementType::kU8:
      return load<uint8_t>(element);
    case ElementType::kS8:
      return load<int8_t>(element);
    case ElementType::kU16:
      return load<uint16_t>(element);
    case ElementType::kS16:
      return load<int16_t>(element);
    case ElementType::kU32:
      return load<uint32_t>(element);
    case ElementType::kS32:
      return load<int32_t>(element);
    case ElementType::kU64:
      return static_cast<double>(load<uint64_t>(element));
    case ElementType::kS64:
      return static_cast<double>(load<int64_t>(element));
    case ElementType::kF16:
      return f16_value(load<uint16_t>(element));
    case ElementType::kBf16:
      return bf16_value(load<uint16_t>(element));
    case ElementType::kF32:
      return load<float>(element);
    case ElementType::kF64:
      return load<double>(element);
  }
  return 0;
}

void store_element(ElementType type, double value, void* element) {
  // Through 64 bits, so that negative numbers wrap instead of being undefined.
  const auto integer =
      value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
  switch (type) {
    case ElementType::kU8:
    case ElementType::kS8:
      return store(element, static_cast<uint8_t>(integer));
    case ElementType::kU16:
    case ElementType::kS16:
      return store(element, static_cast<uint16_t>(integer));
    case ElementType::kU32:
    case ElementType::kS32:
      return store(element, static_cast<uint32_t>(integer));
    case ElementType::kU64:
    case ElementType::kS64:
      return store(element, integer);
    case ElementType::kF16:
      return store(element, f16_bits(value));
    case ElementType::kBf16:
      return store(element, bf16_bits(value));
    case ElementType::kF32:
      return store(element, static_cast<float>(value));
    case ElementType::kF64:
      return store(element, value);
  }
}

}  // namespace gpuloom::sim
