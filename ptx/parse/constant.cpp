// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/constant.h"

#include <bit>

namespace gpuloom::ptx {
namespace {

double real(Constant c) {
  if (c.type == Type::kF64) return std::bit_cast<double>(c.bits);
  return c.type == Type::kS64 ? static_cast<double>(c.integer()) : static_cast<double>(c.bits);
}
Constant of(double value) { return {Type::kF64, std::bit_cast<uint64_t>(value)}; }
Constant of(bool value) { return {Type::kS64, value ? 1u : 0u}; }

bool truth(Constant c) { return c.type == Type::kF64 ? real(c) != 0 : c.bits != 0; }

// Binding strength of binary operators, 0 the weakest; `?:` is weaker than all.
int level_of(const Token& token) {
  if (token.kind != TokenKind::kPunctuation) return -1;
  static constexpr struct {
    std::string_view text;
    int level;
  } kLevels[] = {{"||", 0}, {"&&", 1}, {"|", 2}, {"^", 3},  {"&", 4},  {"==", 5},
                 {"!=", 5}, {"<", 6},  {">", 6}, {"<=", 6}, {">=", 6}, {"<<", 7},
                 {">>", 7}, {"+", 8},  {"-", 8}, {"*", 9},  {"/", 9},  {"%", 9}};
  const char first = token.text[0];
  if (first == ',' || first == ';' || first == ')' || first == ']' || first == '}') return -1;
  for (const auto& entry : kLevels)
    if (token.text == entry.text) return entry.level;
  return -1;
}

bool compare(std::string_view op, int order, bool unordered) {
  if (unordered) return op == "!=";
  if (op == "==") return order == 0;
  if (op == "!=") return order != 0;
  if (op == "<") return order < 0;
  if (op == ">") return order > 0;
  if (op == "<=") return order <= 0;
  return order >= 0;
}

uint64_t shifted(std::string_view op, Constant a, uint64_t by) {
  if (op == "<<") return by < 64 ? a.bits << by : 0;
  if (a.type == Type::kS64) return static_cast<uint64_t>(a.integer() >> (by < 64 ? by : 63));
  return by < 64 ? a.bits >> by : 0;
}

}  // namespace

bool ConstantParser::begins(const Token& token) {
  switch (token.kind) {
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return true;
    case TokenKind::kWord:
      return token.text == "WARP_SZ";
    case TokenKind::kPunctuation:
      return token.is('-') || token.is('+') || token.is('~') || token.is('!') || token.is('(');
    default:
      return false;
  }
}

void ConstantParser::fail(const Token& at, std::string message) {
  context_->report.error(Problem::kConstant, at, std::move(message));
  throw Abandon();
}

Constant ConstantParser::parse() {
  const Nesting nesting(*context_, depth_);
  Constant value = binary(0);
  if (context_->tokens.now().is('?')) {
    context_->tokens.advance();
    const Constant yes = parse();
    context_->tokens.expect(':');
    const Constant no = parse();
    value = truth(value) ? yes : no;
  }
  return value;
}

Constant ConstantParser::parse_term() { return binary(9); }

int64_t ConstantParser::parse_integer(std::string_view what, int64_t low, int64_t high) {
  const Token first = context_->tokens.now();
  if (!begins(first)) context_->tokens.unexpected(what);
  const Constant value = parse();
  const bool huge = value.type == Type::kU64 && (value.bits >> 63) != 0;
  if (!value.is_integer() || huge || value.integer() < low || value.integer() > high)
    fail(first, std::string(what) + " must be an integer from " + std::to_string(low) + " to " +
                    std::to_string(high));
  return value.integer();
}

// Operators of this level and stronger ones; of one level the left one goes first.
Constant ConstantParser::binary(unsigned level) {
  Constant value = unary();
  for (;;) {
    const Token op = context_->tokens.now();
    const int strength = level_of(op);
    if (strength < static_cast<int>(level)) return value;
    context_->tokens.advance();
    const Constant right = binary(static_cast<unsigned>(strength) + 1);
    value = apply(op, value, right);
  }
}

Constant ConstantParser::apply(const Token& op, Constant a, Constant b) {
  if (a.type == Type::kF32 || b.type == Type::kF32) fail(op, "0f literals cannot be part of an expression");
  const std::string_view text = op.text;
  const bool floats = a.type == Type::kF64 || b.type == Type::kF64;
  const bool is_unsigned = a.type == Type::kU64 || b.type == Type::kU64;
  const int level = level_of(op);
  if (text == "&&") return of(truth(a) && truth(b));
  if (text == "||") return of(truth(a) || truth(b));
  if (level == 5 || level == 6) {
    if (floats) {
      const double x = real(a), y = real(b);
      return of(compare(text, x < y ? -1 : x > y ? 1 : 0, x != x || y != y));
    }
    const bool less = is_unsigned ? a.bits < b.bits : a.integer() < b.integer();
    return of(compare(text, less ? -1 : a.bits != b.bits ? 1 : 0, false));
  }
  if (floats) {
    if (text == "+") return of(real(a) + real(b));
    if (text == "-") return of(real(a) - real(b));
    if (text == "*") return of(real(a) * real(b));
    if (text == "/") return of(real(a) / real(b));
    fail(op, ticked(text) + " wants integers");
  }
  const Type type = is_unsigned ? Type::kU64 : Type::kS64;
  if (text == "+") return {type, a.bits + b.bits};
  if (text == "-") return {type, a.bits - b.bits};
  if (text == "*") return {type, a.bits * b.bits};
  if (text == "<<" || text == ">>") return {a.type, shifted(text, a, b.bits)};
  if (text == "&") return {Type::kU64, a.bits & b.bits};
  if (text == "|") return {Type::kU64, a.bits | b.bits};
  if (text == "^") return {Type::kU64, a.bits ^ b.bits};
  if (b.bits == 0) fail(op, "division by zero");
  if (is_unsigned) return {type, text == "/" ? a.bits / b.bits : a.bits % b.bits};
  if (b.integer() == -1) return {type, text == "/" ? 0 - a.bits : 0};  // INT64_MIN / -1 traps on the host
  return {type, static_cast<uint64_t>(text == "/" ? a.integer() / b.integer() : a.integer() % b.integer())};
}

Constant ConstantParser::unary() {
  const Token op = context_->tokens.now();
  if (op.kind != TokenKind::kPunctuation || op.is('(')) return primary();
  if (!op.is('-') && !op.is('+') && !op.is('!') && !op.is('~')) context_->tokens.unexpected("a constant");
  const Nesting nesting(*context_, depth_);
  context_->tokens.advance();
  Constant value = unary();
  if (value.type == Type::kF32)
    fail(op, "0f literals cannot be part of an expression: the sign is one of its bits");
  if (op.is('!')) return of(!truth(value));
  if (op.is('~')) {
    if (!value.is_integer()) fail(op, "`~` needs an integer");
    return {value.type, ~value.bits};
  }
  if (op.is('-')) return value.is_integer() ? Constant{value.type, 0 - value.bits} : of(-real(value));
  return value;
}

Constant ConstantParser::primary() {
  TokenStream& tokens = context_->tokens;
  const Token token = tokens.now();
  Constant value;
  if (token.kind == TokenKind::kInteger) {
    bool is_unsigned = false;
    if (!integer_value(token.text, value.bits, is_unsigned))
      fail(token, ticked(token.text) + " does not fit 64 bits");
    value.type = is_unsigned ? Type::kU64 : Type::kS64;
  } else if (token.kind == TokenKind::kFloat) {
    bool single = false;
    if (!float_value(token.text, value.bits, single)) fail(token, ticked(token.text) + " is not a number");
    value.type = single ? Type::kF32 : Type::kF64;
  } else if (token.kind == TokenKind::kWord && token.text == "WARP_SZ") {
    value = {Type::kS64, 32};
  } else if (token.is('(')) {
    tokens.advance();
    if (tokens.now().kind == TokenKind::kDirective) {
      const bool is_signed = tokens.now().text == ".s64";
      if (!is_signed && tokens.now().text != ".u64")
        fail(tokens.now(), "constants can be cast to .s64 and .u64 only");
      tokens.advance();
      tokens.expect(')');
      value = unary();
      if (value.type == Type::kF32) fail(token, "0f literals cannot be part of an expression");
      if (value.type == Type::kF64) {
        const double x = real(value);
        if (!(x > -9.3e18 && x < 1.85e19)) fail(token, "the number does not fit 64 bits");
        value.bits =
            x < 0 ? static_cast<uint64_t>(x < -9.2233720368547758e18 ? INT64_MIN : static_cast<int64_t>(x))
                  : (x >= 1.8446744073709552e19 ? UINT64_MAX : static_cast<uint64_t>(x));
      }
      value.type = is_signed ? Type::kS64 : Type::kU64;
      return value;
    }
    value = parse();
    tokens.expect(')');
    return value;
  } else {
    tokens.unexpected("a constant");
  }
  tokens.advance();
  return value;
}

}  // namespace gpuloom::ptx
