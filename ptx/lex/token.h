// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "ptx/ir/module.h"

namespace gpuloom::ptx {

enum class TokenKind : uint8_t {
  kEnd,
  kWord,  // identifier or opcode with all that hangs on it by `.` and `::`: "ld.global.v2.f32", "%tid.x",
          // "$L1"
  kDirective,    // ".reg", ".shared::cta"; text includes the dot
  kInteger,      // decimal, 0x, 0b, octal; perhaps with U
  kFloat,        // 0f and 8 digits, 0d and 16 digits, decimal with point or exponent
  kString,       // with its quotes
  kPunctuation,  // one of , ; : ( ) [ ] { } < > = + - * / % ! ~ & | ^ ? @, or two-character operators << >>
                 // == != <= >= && ||
  kBad,          // what no PTX begins with; Lexer::problem() says what
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // into the module's text
  Position position;
  bool is(char c) const { return kind == TokenKind::kPunctuation && text.size() == 1 && text[0] == c; }
  bool is(std::string_view s) const { return kind == TokenKind::kPunctuation && text == s; }
  bool directive(std::string_view s) const { return kind == TokenKind::kDirective && text == s; }
};

}  // namespace gpuloom::ptx
