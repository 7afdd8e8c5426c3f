// SPDX-License-Identifier: Apache-2.0
// What the forms of multimem (PTX ISA 9.7.9.14) share.
#pragma once
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {

constexpr const char* kMultimemScopes = ".cta .cluster .gpu .sys";
constexpr const char* kMultimemIntegers = ".b32 .b64 .u32 .u64 .s32 .s64";
constexpr const char* kMultimemFloats = ".f16 .f16x2 .bf16 .bf16x2 .f32 .f64";
constexpr const char* kMultimemNarrow = ".e5m2 .e5m2x2 .e5m2x4 .e4m3 .e4m3x2 .e4m3x4";
constexpr const char* kMultimemNarrowTargets =
    "sm_100a sm_100f sm_101a sm_101f sm_110a sm_110f sm_120a sm_121a";

inline FormBuilder multimem_form(IsaBuilder& isa, const char* syntax) {
  return isa.form(syntax).since("8.1").needs("sm_90").not_modelled(
      "multimem addresses (one address for the memories of several devices) are not modelled yet");
}

}  // namespace gpuloom::ptx
