// SPDX-License-Identifier: Apache-2.0
// Fundamental types (PTX ISA 5.2) and state spaces (PTX ISA 5.1).
#pragma once
#include <cstdint>
#include <string_view>

namespace gpuloom::ptx {

// clang-format off
enum class Type : uint8_t {
  kNone,
  kPred,
  kB8, kB16, kB32, kB64, kB128,
  kU8, kU16, kU32, kU64,
  kS8, kS16, kS32, kS64,
  kF16, kF16x2, kBf16, kBf16x2, kTf32, kF32, kF32x2, kF64,
  kU16x2, kS16x2, kU8x4, kS8x4,
  kE4m3, kE5m2, kE4m3x2, kE5m2x2, kE4m3x4, kE5m2x4,
  kE2m3, kE3m2, kE2m3x2, kE3m2x2, kE2m3x4, kE3m2x4,
  kE2m1, kE2m1x2, kE2m1x4, kUe8m0, kUe8m0x2, kUe4m3,
  kS2f6x2,
  kB4, kU4, kS4, kB1, kB6x16P32, kB4x16, kB4x16P64,
  kTexref, kSamplerref, kSurfref,
};
// clang-format on

// Kind of value for the agreement rules of PTX ISA 9.4 ("operand type checking").
enum class TypeKind : uint8_t { kNone, kPred, kBits, kUnsigned, kSigned, kFloat, kOpaque };

struct TypeInfo {
  Type type;
  std::string_view name;  // without the dot
  uint16_t bits;          // size of one value in a register or in memory
  TypeKind kind;
};
const TypeInfo& info(Type type);
// kNone where the word (without dot) names no type.
Type type_named(std::string_view name);
inline unsigned bits(Type type) { return info(type).bits; }
inline unsigned bytes(Type type) { return (info(type).bits + 7u) / 8u; }
inline bool is_signed(Type type) { return info(type).kind == TypeKind::kSigned; }
inline bool is_float(Type type) { return info(type).kind == TypeKind::kFloat; }

enum class Space : uint8_t {
  kGeneric,  // also "none given"
  kReg,
  kSreg,
  kConst,
  kGlobal,
  kLocal,
  kParam,          // kernel parameters (.param::entry)
  kParamFunction,  // device-function parameters and call-site .param variables
  kShared,         // .shared, .shared::cta
  kSharedCluster,  // .shared::cluster
  kTex,
};
std::string_view name(Space space);

}  // namespace gpuloom::ptx
