// SPDX-License-Identifier: Apache-2.0
// What wmma.load, wmma.store and wmma.mma share: shapes, and the registers of a fragment (PTX ISA 9.7.14.4).
#pragma once
#include "ptx/exec/matrix/wmma_tile.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/matrix/shape.h"

namespace gpuloom::ptx {

inline std::string tile_problem(const FormUse& use, unsigned operand, const WmmaTile& tile,
                                std::string_view what) {
  return list_problem(use, operand, tile.registers(), tile.type, what);
}

// Stride in elements: the row of operand `place`, or the default where it is absent.
inline TileAccess access_of(const Warp& w, Place stride, const WmmaTile& t) {
  const int64_t elements =
      stride.present() ? static_cast<int32_t>(*source<uint32_t>(w, stride)) : t.default_stride();
  // Words of b1 count as elements.
  return tile_access(t.tile(), t.type == Type::kB1 && t.matrix != WmmaMatrix::kC ? elements / 32 : elements);
}

inline OpClass memory_class(const FormUse& use, OpClass global, OpClass shared, OpClass generic) {
  const Space space = use.space();
  return space == Space::kGlobal ? global : space == Space::kShared ? shared : generic;
}

constexpr std::string_view kWmmaSpaces = ".global .shared .shared::cta@7.8";
constexpr std::string_view kWmmaShapes = ".m16n16k16 .m8n32k16@6.1 .m32n8k16@6.1";

}  // namespace gpuloom::ptx
