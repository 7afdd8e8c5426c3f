// SPDX-License-Identifier: Apache-2.0
// What the tensor copies (PTX ISA 9.7.9.25.5) share.
#pragma once
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {

constexpr const char* kTensorDimensions = ".1d .2d .3d .4d .5d";
constexpr const char* kTensorLoadModes =
    ".tile .im2col .tile::gather4@8.6,sm_100 .im2col::w@8.6,sm_100a|sm_100f|sm_101a|sm_110a "
    ".im2col::w::128@8.6,sm_100a|sm_100f|sm_101a|sm_110a";
constexpr const char* kTensorCtaGroups =
    ".cta_group::1@8.6,sm_100a|sm_100f|sm_101a|sm_110a .cta_group::2@8.6,sm_100a|sm_100f|sm_101a|sm_110a";

inline FormBuilder tensor_form(IsaBuilder& isa, const char* syntax) {
  return isa.form(syntax)
      .set(".dim", kTensorDimensions)
      .since("8.0")
      .needs("sm_90")
      .not_modelled("tensor copies are not modelled yet");
}

}  // namespace gpuloom::ptx
