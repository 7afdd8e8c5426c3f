// SPDX-License-Identifier: Apache-2.0
// What the forms of tcgen05 (PTX ISA 9.7.16) share.
#pragma once
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {

constexpr const char* kCtaGroups = ".cta_group::1 .cta_group::2";
constexpr const char* kTensorMemoryNumbers = ".x1 .x2 .x4 .x8 .x16 .x32 .x64 .x128";

// Needs of all but the integer kinds, and of those.
constexpr const char* kTcgen05Targets = "sm_100a sm_100f sm_101a sm_101f sm_103a sm_103f sm_110a sm_110f";
constexpr const char* kTcgen05IntegerTargets = "sm_100a sm_101a sm_110a";

inline FormBuilder tcgen05_form(IsaBuilder& isa, const char* syntax) {
  return isa.form(syntax)
      .since("8.6")
      .needs(kTcgen05Targets)
      .not_modelled("tensor memory and the fifth-generation tensor cores are not modelled yet");
}

// Kinds of tcgen05.mma: floats, floats with scales for blocks, integers.
constexpr const char* kFloatKinds = ".kind::f16 .kind::tf32 .kind::f8f6f4";
constexpr const char* kScaledKinds = ".kind::mxf8f6f4 .kind::mxf4 .kind::mxf4nvf4";
constexpr const char* kScaleSizes = ".scale_vec::1X .scale_vec::2X .scale_vec::4X .block16@8.8 .block32@8.8";
constexpr const char* kCollectorA =
    ".collector::a::fill .collector::a::use .collector::a::lastuse .collector::a::discard";
constexpr const char* kCollectorB =
    ".collector::b0::fill .collector::b0::use .collector::b0::lastuse .collector::b0::discard "
    ".collector::b1::fill .collector::b1::use .collector::b1::lastuse .collector::b1::discard "
    ".collector::b2::fill .collector::b2::use .collector::b2::lastuse .collector::b2::discard "
    ".collector::b3::fill .collector::b3::use .collector::b3::lastuse .collector::b3::discard";

}  // namespace gpuloom::ptx
