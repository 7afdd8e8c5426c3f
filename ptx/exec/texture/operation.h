// SPDX-License-Identifier: Apache-2.0
// What the modifiers of a texture or surface instruction say, packed into Instr::target (no such instruction
// jumps).
#pragma once
#include <cstdint>

#include "ptx/exec/texture/state.h"

namespace gpuloom::ptx {

// Where the level of detail comes from. ptxas asks for level -32 where the instruction names none, which the
// sampler's least level then bounds (H200 SASS: TEX.LL with -32.0).
enum class LevelSource : uint8_t { kNone, kOperand, kDerivatives };
// How values go into registers; 32-bit results are the same bits whatever their type is called.
enum class TextureResult : uint8_t { k32, kF16, kF16x2 };

struct TextureOperation {
  TextureShape shape = TextureShape::k2d;  // of the instruction: kBuffer does not occur
  LevelSource level = LevelSource::kNone;
  TextureResult result = TextureResult::k32;
  bool integer_coordinates = false;
  bool separate_sampler = false;  // [texture, sampler, {coordinates}]
  uint8_t component = 0;          // of a gather
  bool plain_offset = false;      // offsets, derivatives: one register without braces
  bool plain_derivative = false;

  uint32_t pack() const {
    return uint32_t(shape) | uint32_t(level) << 3 | uint32_t(result) << 5 |
           uint32_t(integer_coordinates) << 7 | uint32_t(separate_sampler) << 8 | uint32_t(component) << 9 |
           uint32_t(plain_offset) << 11 | uint32_t(plain_derivative) << 12;
  }
  static TextureOperation unpack(uint32_t v) {
    TextureOperation o;
    o.shape = static_cast<TextureShape>(v & 7);
    o.level = static_cast<LevelSource>(v >> 3 & 3);
    o.result = static_cast<TextureResult>(v >> 5 & 3);
    o.integer_coordinates = v >> 7 & 1;
    o.separate_sampler = v >> 8 & 1;
    o.component = v >> 9 & 3;
    o.plain_offset = v >> 11 & 1;
    o.plain_derivative = v >> 12 & 1;
    return o;
  }
};

// What an access out of bounds does.
enum class SurfaceBounds : uint8_t { kTrap, kClamp, kZero };

struct SurfaceOperation {
  TextureShape shape = TextureShape::k2d;
  SurfaceBounds bounds = SurfaceBounds::kTrap;
  uint8_t element_bytes = 4;  // of a register's value in memory: 1, 2, 4, 8
  uint8_t signed_reduction =
      0;               // sured.p: index of the operation (exec/atomic_ops.h) where the surface is signed
  bool plain = false;  // the value is one register without braces

  uint32_t pack() const {
    return uint32_t(shape) | uint32_t(bounds) << 3 | uint32_t(element_bytes) << 5 | uint32_t(plain) << 9 |
           uint32_t(signed_reduction) << 16;
  }
  static SurfaceOperation unpack(uint32_t v) {
    SurfaceOperation o;
    o.shape = static_cast<TextureShape>(v & 7);
    o.bounds = static_cast<SurfaceBounds>(v >> 3 & 3);
    o.element_bytes = static_cast<uint8_t>(v >> 5 & 15);
    o.plain = v >> 9 & 1;
    o.signed_reduction = static_cast<uint8_t>(v >> 16);
    return o;
  }
};

}  // namespace gpuloom::ptx
