// SPDX-License-Identifier: Apache-2.0
// Element types of buffers, as launch files and .npy files name them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom::sim {

enum class ElementType : uint8_t { kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64, kF16, kBf16, kF32, kF64 };

struct ElementInfo {
  ElementType type;
  std::string_view name;  // "f32"
  uint8_t bytes;
  std::string_view npy;  // descr without byte order: "f4"; bf16 travels as "V2", as NumPy has no such type
};
const ElementInfo& info(ElementType type);
// Accepts u8 i8 s8 ... f16 bf16 f32 f64, C's names (float, unsigned long long, __half), those of <cstdint>
// and NumPy's (float32). False where the name is none of them.
bool element_type_named(std::string_view name, ElementType& type);
std::vector<std::string> element_type_names();
inline size_t bytes_of(ElementType type) { return info(type).bytes; }

// Numeric value of one element, exact except for 64-bit integers beyond 2^53.
double element_value(ElementType type, const void* element);
// Stores the nearest value of the type (floats round to nearest even, integers truncate and wrap).
void store_element(ElementType type, double value, void* element);

// IEEE binary16 and bfloat16 to and from double, exact or rounded to nearest even.
double f16_value(uint16_t bits);
double bf16_value(uint16_t bits);
uint16_t f16_bits(double value);
uint16_t bf16_bits(double value);

}  // namespace gpuloom::sim
