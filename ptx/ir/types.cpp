// SPDX-License-Identifier: Apache-2.0
#include "ptx/ir/types.h"

#include <array>

namespace gpuloom::ptx {
namespace {

constexpr auto kBits = TypeKind::kBits;
constexpr auto kUns = TypeKind::kUnsigned;
constexpr auto kSig = TypeKind::kSigned;
constexpr auto kFlt = TypeKind::kFloat;

// In the order of enum Type.
constexpr TypeInfo kTypes[] = {
    {Type::kNone, "", 0, TypeKind::kNone},
    {Type::kPred, "pred", 1, TypeKind::kPred},
    {Type::kB8, "b8", 8, kBits},
    {Type::kB16, "b16", 16, kBits},
    {Type::kB32, "b32", 32, kBits},
    {Type::kB64, "b64", 64, kBits},
    {Type::kB128, "b128", 128, kBits},
    {Type::kU8, "u8", 8, kUns},
    {Type::kU16, "u16", 16, kUns},
    {Type::kU32, "u32", 32, kUns},
    {Type::kU64, "u64", 64, kUns},
    {Type::kS8, "s8", 8, kSig},
    {Type::kS16, "s16", 16, kSig},
    {Type::kS32, "s32", 32, kSig},
    {Type::kS64, "s64", 64, kSig},
    {Type::kF16, "f16", 16, kFlt},
    {Type::kF16x2, "f16x2", 32, kFlt},
    {Type::kBf16, "bf16", 16, kFlt},
    {Type::kBf16x2, "bf16x2", 32, kFlt},
    {Type::kTf32, "tf32", 32, kFlt},
    {Type::kF32, "f32", 32, kFlt},
    {Type::kF32x2, "f32x2", 64, kFlt},
    {Type::kF64, "f64", 64, kFlt},
    {Type::kU16x2, "u16x2", 32, kUns},
    {Type::kS16x2, "s16x2", 32, kSig},
    {Type::kU8x4, "u8x4", 32, kUns},
    {Type::kS8x4, "s8x4", 32, kSig},
    {Type::kE4m3, "e4m3", 8, kFlt},
    {Type::kE5m2, "e5m2", 8, kFlt},
    {Type::kE4m3x2, "e4m3x2", 16, kFlt},
    {Type::kE5m2x2, "e5m2x2", 16, kFlt},
    {Type::kE4m3x4, "e4m3x4", 32, kFlt},
    {Type::kE5m2x4, "e5m2x4", 32, kFlt},
    {Type::kE2m3, "e2m3", 8, kFlt},
    {Type::kE3m2, "e3m2", 8, kFlt},
    {Type::kE2m3x2, "e2m3x2", 16, kFlt},
    {Type::kE3m2x2, "e3m2x2", 16, kFlt},
    {Type::kE2m3x4, "e2m3x4", 32, kFlt},
    {Type::kE3m2x4, "e3m2x4", 32, kFlt},
    {Type::kE2m1, "e2m1", 8, kFlt},
    {Type::kE2m1x2, "e2m1x2", 8, kFlt},
    {Type::kE2m1x4, "e2m1x4", 16, kFlt},
    {Type::kUe8m0, "ue8m0", 8, kFlt},
    {Type::kUe8m0x2, "ue8m0x2", 16, kFlt},
    {Type::kUe4m3, "ue4m3", 8, kFlt},
    {Type::kS2f6x2, "s2f6x2", 16, kFlt},
    {Type::kB4, "b4", 4, kBits},
    {Type::kU4, "u4", 4, kUns},
    {Type::kS4, "s4", 4, kSig},
    {Type::kB1, "b1", 1, kBits},
    {Type::kB6x16P32, "b6x16_p32", 128, kBits},
    {Type::kB4x16, "b4x16", 64, kBits},
    {Type::kB4x16P64, "b4x16_p64", 128, kBits},
    {Type::kTexref, "texref", 64, TypeKind::kOpaque},
    {Type::kSamplerref, "samplerref", 64, TypeKind::kOpaque},
    {Type::kSurfref, "surfref", 64, TypeKind::kOpaque},
};

}  // namespace

const TypeInfo& info(Type type) { return kTypes[static_cast<unsigned>(type)]; }

Type type_named(std::string_view name) {
  for (const TypeInfo& entry : kTypes)
    if (entry.name == name) return entry.type;
  return Type::kNone;
}

std::string_view name(Space space) {
  constexpr std::array<std::string_view, 11> kNames = {
      "generic", "reg",   "sreg",   "const",           "global", "local",
      "param",   "param", "shared", "shared::cluster", "tex"};
  return kNames[static_cast<unsigned>(space)];
}

}  // namespace gpuloom::ptx
