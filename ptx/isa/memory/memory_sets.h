// SPDX-License-Identifier: Apache-2.0
// Choices that the memory instructions share (PTX ISA 9.7.9.1, 9.7.9.2 and the syntax of ld).
#pragma once
#include <string>
#include <string_view>

#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {

constexpr std::string_view kMemoryTypes =
    ".b8 .b16 .b32 .b64 .b128@8.3,sm_70 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64";
constexpr std::string_view kVecSet = ".v2 .v4 .v8@8.8,sm_100";
constexpr std::string_view kLoadSpaces =
    ".const .global .local .param .param::entry@8.3 .param::func@8.3 .shared .shared::cta@7.8 "
    ".shared::cluster@7.8,sm_90";
constexpr std::string_view kStoreSpaces =
    ".global .local .param .param::func@8.3 .shared .shared::cta@7.8 .shared::cluster@7.8,sm_90";
constexpr std::string_view kOrderedSpaces = ".global .shared .shared::cta@7.8 .shared::cluster@7.8,sm_90";
constexpr std::string_view kScopes = ".cta .cluster@7.8,sm_90 .gpu .sys";
constexpr std::string_view kL1Eviction =
    ".L1::evict_normal@7.4,sm_70 .L1::evict_unchanged@7.4,sm_70 .L1::evict_first@7.4,sm_70 "
    ".L1::evict_last@7.4,sm_70 .L1::no_allocate@7.4,sm_70";
constexpr std::string_view kL2Eviction =
    ".L2::evict_normal@8.8,sm_100 .L2::evict_first@8.8,sm_100 .L2::evict_last@8.8,sm_100";
constexpr std::string_view kCacheHint = ".L2::cache_hint@7.4,sm_80";
constexpr std::string_view kPrefetchSize = ".L2::64B@7.4,sm_75 .L2::128B@7.4,sm_75 .L2::256B@7.4,sm_80";

// Which element counts a vector access may have (PTX ISA 5.4.2: 128 bits; 256 bits with .v8 of 32 bits and
// .v4 of 64 bits, in global memory).
inline std::string check_vector(const FormUse& use) {
  const unsigned width = bits(use.type()), count = use.vec();
  if (count == 1 || count * width <= 128) return {};
  if (count * width > 256 || width < 32 || width > 64)
    return "vectors of memory accesses have at most 128 bits";
  if (use.space() != Space::kGlobal && use.space() != Space::kGeneric)
    return "vectors of 256 bits exist in global memory only";
  return {};
}

// What all forms of ld and st are.
inline FormBuilder memory_form(FormBuilder form) {
  return form.set(".vec", kVecSet).set(".type", kMemoryTypes).relaxed().check(check_vector);
}
inline FormBuilder with_eviction(FormBuilder form) {
  return form.set(".level1::eviction_priority", kL1Eviction)
      .set(".level2::eviction_priority", kL2Eviction)
      .set(".level::cache_hint", kCacheHint);
}

}  // namespace gpuloom::ptx
