// SPDX-License-Identifier: Apache-2.0
// What surface instructions share when they are decoded.
#pragma once
#include <algorithm>
#include <string>

#include "ptx/isa/texture/texture_use.h"

namespace gpuloom::ptx {

inline SurfaceBounds bounds_of(std::string_view mode) {
  return mode == ".trap"    ? SurfaceBounds::kTrap
         : mode == ".clamp" ? SurfaceBounds::kClamp
                            : SurfaceBounds::kZero;
}

// `surface` and `value` are the operands; the value's registers may be wider than its type.
inline std::string check_surface(const FormUse& use, unsigned surface, unsigned value,
                                 std::string_view type) {
  if (std::string wrong = check_coordinates(use, surface); !wrong.empty()) return wrong;
  const unsigned wide = bits(use.type(type));
  if (use.vec() * wide > 128) return "an access moves at most 128 bits";
  return check_registers(use, value, use.vec(), wide, 64);
}

// Instr::aux: bytes of a lane in the rows of the value.
inline void encode_surface(const FormUse& use, Instr& in, unsigned value, std::string_view type) {
  SurfaceOperation op;
  op.shape = shape_of(use.mod(".geom"));
  op.bounds = bounds_of(use.mod(".mode"));
  op.element_bytes = static_cast<uint8_t>(bits(use.type(type)) / 8);
  op.plain = is_plain(use, value);
  in.target = op.pack();
  in.space = Space::kTex;
  in.vec = static_cast<uint8_t>(use.vec());
  const unsigned width = use.register_bits(value);
  in.aux = static_cast<uint8_t>(width == 0 ? op.element_bytes : width / 8);
}

}  // namespace gpuloom::ptx
