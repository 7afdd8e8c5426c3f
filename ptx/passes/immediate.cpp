// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/immediate.h"

#include <bit>

namespace gpuloom::ptx {

std::string immediate_bits(const Operand& operand, Type type, uint64_t& out) {
  const uint64_t value = static_cast<uint64_t>(operand.value);
  const TypeKind kind = info(type).kind;
  const std::string want(info(type).name);
  const bool is_f32 = operand.immediate_type == Type::kF32;
  const bool is_f64 = operand.immediate_type == Type::kF64;
  out = value;
  if (!is_f32 && !is_f64) {
    if (kind == TypeKind::kFloat && (bits(type) == 32 || bits(type) == 64) && type != Type::kF16x2 &&
        type != Type::kBf16x2 && type != Type::kTf32 && type != Type::kF32x2) {
      return "an integer constant where a value of type ." + want + " is wanted";
    }
    return {};
  }
  if (type == Type::kF32 || type == Type::kTf32) {
    if (is_f64) out = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
    return {};
  }
  // A `0f` constant as .f64 is not converted: ptxas takes its 32 bits as they are (H200, conformance suite).
  if (type == Type::kF64) return {};
  if (kind == TypeKind::kBits && bits(type) == (is_f32 ? 32u : 64u)) return {};
  if (type == Type::kNone) return {};
  return "a floating-point constant where a value of type ." + want + " is wanted";
}

}  // namespace gpuloom::ptx
