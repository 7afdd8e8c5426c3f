// SPDX-License-Identifier: Apache-2.0
// Constant expressions (PTX ISA 4.5): 64-bit integers, signed or not, and doubles; 0f literals stand alone.
#pragma once
#include "ptx/parse/context.h"

namespace gpuloom::ptx {

struct Constant {
  Type type = Type::kS64;  // kS64, kU64, kF32 (a 0f literal: bits of a float) or kF64
  uint64_t bits = 0;
  int64_t integer() const { return static_cast<int64_t>(bits); }
  bool is_integer() const { return type == Type::kS64 || type == Type::kU64; }
};

class ConstantParser {
 public:
  explicit ConstantParser(ParseContext& context) : context_(&context) {}
  // Whether the token can begin a constant expression.
  static bool begins(const Token& token);
  Constant parse();
  // Up to and including `* / %`: what follows the sign in `[a + 4 - 8]`.
  Constant parse_term();
  // parse(), and an error where it is not an integer in [low, high].
  int64_t parse_integer(std::string_view what, int64_t low, int64_t high);

 private:
  Constant binary(unsigned level);
  Constant unary();
  Constant primary();
  Constant apply(const Token& op, Constant a, Constant b);
  [[noreturn]] void fail(const Token& at, std::string message);

  ParseContext* context_;
  unsigned depth_ = 0;
};

}  // namespace gpuloom::ptx
