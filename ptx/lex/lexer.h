// SPDX-License-Identifier: Apache-2.0
// PTX text to tokens, one at a time, without allocation: a token's text is a view into the module.
// Comments and lines that begin with `#` (PTX ISA 4.1: preprocessor directives) are skipped. Any bytes are
// accepted: what is not a token comes out as one kBad token a run.
#pragma once
#include "ptx/lex/token.h"

namespace gpuloom::ptx {

// What is wrong with a token that is not one of PTX.
enum class LexProblem : uint8_t { kCharacters, kNumber, kUnterminated };

class Lexer {
 public:
  // `text` must outlive the tokens.
  explicit Lexer(std::string_view text);
  Token next();
  // Why the last kBad token is none; valid until the next one.
  std::string_view problem() const { return problem_; }
  LexProblem problem_kind() const { return kind_; }
  // From behind a `{` to behind the `}` that belongs to it, without looking at what is between but for its
  // directives. False, and somewhere, where there is no such `}`, where a comment or string has no end, or
  // where `stop` says so of a directive (".reg").
  bool skip_braces(bool (*stop)(std::string_view directive));

 private:
  void skip_space();
  bool skip_comment();
  void newline(size_t at) {
    ++line_;
    line_begin_ = at + 1;
  }
  char at(size_t k) const { return k < text_.size() ? text_[k] : '\0'; }
  Token token(TokenKind kind, size_t begin, size_t end);
  Token bad(LexProblem kind, std::string_view problem, size_t begin, size_t end);
  Token word();
  Token directive();
  Token number();
  Token string();
  Token punctuation();
  size_t name_end(size_t from) const;

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  size_t line_begin_ = 0;
  std::string_view problem_;
  LexProblem kind_ = LexProblem::kCharacters;
  Token pending_;  // an unterminated comment
  bool has_pending_ = false;
};

// Value of a kInteger token; false where it does not fit 64 bits. `is_unsigned`: it ends in U, or needs the
// sign bit.
bool integer_value(std::string_view text, uint64_t& value, bool& is_unsigned);

// Bits of a kFloat token. `single`: it was written 0f.
bool float_value(std::string_view text, uint64_t& bits, bool& single);

}  // namespace gpuloom::ptx
