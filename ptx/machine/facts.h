// SPDX-License-Identifier: Apache-2.0
// What selection must know of a decoded instruction beyond its class.
#pragma once
#include <cstdint>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

enum class Shape : uint8_t {
  kOther,
  kMove,         // mov between registers, or of a constant or address
  kMoveSpecial,  // mov of a special register
  kRename,       // the same bits under another name: cvta, truncation, moves between equal widths
  kExtend,       // 32 to 64 bits
  kAdd32,
  kSub32,
  kMul32,
  kMad32,
  kShl32,
  kShr32,  // by a constant
  kAdd64,
  kSub64,
  kMulWide,
  kMadWide,
  kShl64,
  kMul64,  // the lower half
  kMad64,
  kLogic32,
  kNot32,
  kLogic64,
  kNot64,
  kFunnel,      // shf by a constant
  kSelect,      // selp
  kCountZeros,  // clz.b32
  kAbsDiff4,    // vabsdiff4
  kMinMax32,    // of integers
  kFloatSign,   // neg, abs: a modifier of the machine operand
  kFloat,       // takes such modifiers
  kSaturate,    // cvt.sat.f32.f32: a modifier of the operation that makes the value
  kSetp,
  kLogicPred,
  kNotPred,
  kParamLoad,
  kCallParam,  // an argument or result of a device function
  kPack,       // mov {a, b} and its inverse
};

Shape shape_of(const Program& program, const Instr& in);

// Whether step k of a composite class is part of a check that stands beside its arithmetic.
bool stands_beside(const std::vector<OpClass>& sequence, size_t k);

}  // namespace gpuloom::ptx
