// SPDX-License-Identifier: Apache-2.0
// What texture and surface instructions share when they are decoded: their geometry, operand counts,
// registers.
#pragma once
#include <string>

#include "ptx/exec/texture/fetch.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {

inline TextureShape shape_of(std::string_view geometry) {
  if (geometry == ".1d") return TextureShape::k1d;
  if (geometry == ".3d") return TextureShape::k3d;
  if (geometry == ".a1d") return TextureShape::k1dLayered;
  if (geometry == ".a2d") return TextureShape::k2dLayered;
  if (geometry == ".cube") return TextureShape::kCube;
  if (geometry == ".acube") return TextureShape::kCubeLayered;
  return TextureShape::k2d;
}

// Coordinates that the operand of a geometry must have; vectors of three are written with a fourth (PTX
// ISA 9.7.10.3).
inline unsigned coordinate_count(std::string_view geometry) {
  if (geometry == ".1d") return 1;
  return geometry == ".2d" || geometry == ".a1d" ? 2 : 3;
}
// Components of derivatives and offsets.
inline unsigned vector_count(std::string_view geometry) {
  if (geometry == ".1d" || geometry == ".a1d") return 1;
  return geometry == ".2d" || geometry == ".a2d" ? 2 : 3;
}

// Whether the operand names a sampler: [texture, sampler, {coordinates}].
inline bool has_sampler(const FormUse& use, unsigned operand) { return use.operand(operand).child_count > 2; }

inline unsigned coordinates_given(const FormUse& use, unsigned operand) {
  const Operand& at = use.operand(operand);
  unsigned count = 0;
  if (use.function() == nullptr || at.kind != OperandKind::kTensor) return 0;
  const Operand& last = use.function()->operand_pool[at.first_child + at.child_count - 1];
  if (last.kind == OperandKind::kVector || last.kind == OperandKind::kList) {
    count = last.child_count;
  } else if (last.kind == OperandKind::kRegister && last.component == 0xff) {
    count = use.function()->registers[last.id].vector;
  } else {
    count = 1;
  }
  return count;
}

inline std::string check_coordinates(const FormUse& use, unsigned operand) {
  if (use.function() == nullptr) return {};
  const std::string_view geometry = use.mod(".geom");
  const unsigned wanted = coordinate_count(geometry) + (geometry == ".acube" ? 1 : 0);
  const unsigned given = coordinates_given(use, operand);
  if (given >= wanted) return {};
  return std::string(geometry) + " wants " + std::to_string(wanted) + " coordinates, not " +
         std::to_string(given);
}

// Whether an operand is one register without braces.
inline bool is_plain(const FormUse& use, unsigned operand) {
  const Operand& o = use.operand(operand);
  if (o.kind == OperandKind::kVector || o.kind == OperandKind::kList) return false;
  return o.kind != OperandKind::kRegister || o.component != 0xff || use.function() == nullptr ||
         use.function()->registers[o.id].vector <= 1;
}

// The registers of a result or value: `count` of `bits`. A result may be a pair with its predicate.
inline std::string check_registers(const FormUse& use, unsigned operand, unsigned count, unsigned least_bits,
                                   unsigned most_bits) {
  if (use.function() == nullptr) return {};
  const Function& function = *use.function();
  const Operand* o = &use.operand(operand);
  if (o->kind == OperandKind::kPair) o = &function.operand_pool[o->first_child];
  const bool list = o->kind == OperandKind::kVector || o->kind == OperandKind::kList;
  unsigned given = 1;
  if (list) {
    given = o->child_count;
  } else if (o->kind == OperandKind::kRegister && o->component == 0xff) {
    given = function.registers[o->id].vector;
  }
  if (given != count)
    return "a vector of " + std::to_string(count) + " registers is needed, not of " + std::to_string(given);
  for (unsigned k = 0; k < (list ? given : 1); ++k) {
    const Operand& element = list ? function.operand_pool[o->first_child + k] : *o;
    if (element.kind != OperandKind::kRegister) continue;
    const unsigned wide = bits(function.registers[element.id].type);
    if (wide < least_bits || wide > most_bits)
      return "registers of " + std::to_string(least_bits) + " bits are needed, not of " +
             std::to_string(wide);
  }
  return {};
}

}  // namespace gpuloom::ptx
