// SPDX-License-Identifier: Apache-2.0
// txq, suq, istypep: what an object says of itself.
#pragma once
#include <string_view>

#include "ptx/exec/texture/fetch.h"

namespace gpuloom::ptx {

enum class TextureQuery : uint8_t {
  kWidth,
  kHeight,
  kDepth,
  kChannelDataType,
  kChannelOrder,
  kNormalizedCoords,
  kArraySize,
  kMipmapLevels,
  kSamples,
  kForceUnnormalized,
  kFilterMode,
  kAddressMode0,
  kAddressMode1,
  kAddressMode2,
  kMemoryLayout
};
// "width", ...: as the instruction names it.
TextureQuery texture_query_named(std::string_view name);

// d, [object], level. Instr::aux: TextureQuery; Instr::target: 1 where there is a level.
void texture_query(Warp& w, const Instr& in, uint32_t lanes);
void surface_query(Warp& w, const Instr& in, uint32_t lanes);
// p, address. Instr::aux: TextureUse.
void is_type(Warp& w, const Instr& in, uint32_t lanes);

}  // namespace gpuloom::ptx
