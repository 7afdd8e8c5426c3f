// SPDX-License-Identifier: Apache-2.0
// What all parts of the parser share: the token at hand, the problems found, the names in scope, the module
// under construction.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ptx/lex/lexer.h"
#include "ptx/parse/names.h"
#include "ptx/parse/parser.h"

namespace gpuloom::ptx {

// Thrown to give up the statement at hand after its problem has been reported; caught where parsing can go
// on.
struct Abandon {};

class Reporter {
 public:
  explicit Reporter(size_t keep) : keep_(keep) {}
  // The reference is valid until the next report.
  Diagnostic& error(Problem problem, Position position, size_t length, std::string message) {
    return add(Severity::kError, problem, position, length, std::move(message));
  }
  Diagnostic& error(Problem problem, const Token& token, std::string message) {
    return error(problem, token.position, token.text.size(), std::move(message));
  }
  Diagnostic& warning(Problem problem, Position position, size_t length, std::string message) {
    return add(Severity::kWarning, problem, position, length, std::move(message));
  }
  // Suggestions cost time; a file full of errors gets none after the first hundred.
  bool wants_hints() const { return errors_ < 100; }
  void set_where(std::string where) { where_ = std::move(where); }
  // Moves what was found into the result.
  void finish(ParseResult& result);

 private:
  Diagnostic& add(Severity severity, Problem problem, Position position, size_t length, std::string message);

  size_t keep_;
  size_t errors_ = 0, warnings_ = 0, unsupported_ = 0;
  std::string where_;
  std::vector<Diagnostic> kept_;
  Diagnostic dropped_;
};

class TokenStream {
 public:
  TokenStream(std::string_view text, Reporter& reporter) : text_(text), lexer_(text), reporter_(&reporter) {
    advance();
  }
  const Token& now() const { return now_; }
  // The token after now().
  Token peek() const {
    Lexer ahead = lexer_;
    return ahead.next();
  }
  void advance() {
    previous_line_ = now_.position.line;
    previous_end_ = now_.position.column + static_cast<uint32_t>(now_.text.size());
    now_ = lexer_.next();
  }
  bool at_end() const { return now_.kind == TokenKind::kEnd; }
  bool first_on_line() const { return now_.position.line != previous_line_; }
  bool accept(char c) {
    if (!now_.is(c)) return false;
    advance();
    return true;
  }
  // Reports P004 ("expected ...") and abandons where the token is another.
  void expect(char c);
  void expect_end_of_statement();
  Token expect_word(std::string_view what);
  // Reports what is wrong with the token at hand, given what was expected ("a type").
  [[noreturn]] void unexpected(std::string_view expected);
  // Skips to what may begin a statement: behind `;`, before `}` or `{`, or before a word or directive that
  // begins a line.
  void skip_statement();
  // The bytes of the operand (or word) that begins at `position`, for underlining; `from` is a token before
  // it.
  size_t extent_at(Position position, const Token& from) const;
  std::string_view text() const { return text_; }
  // From a `{` to behind its `}`; false, and nothing is skipped, as Lexer::skip_braces.
  bool skip_braces(bool (*stop)(std::string_view directive)) {
    Lexer ahead = lexer_;
    if (!ahead.skip_braces(stop)) return false;
    lexer_ = ahead;
    advance();
    return true;
  }

 private:
  std::string_view text_;
  Lexer lexer_;
  Reporter* reporter_;
  Token now_;
  uint32_t previous_line_ = 0, previous_end_ = 1;
};

struct ParseContext {
  ParseContext(std::string_view text, Module& m, const IsaTable& table, const ParseOptions& o)
      : module(m), isa(table), options(o), report(o.keep), tokens(text, report) {}

  Module& module;
  const IsaTable& isa;
  const ParseOptions& options;
  Reporter report;
  TokenStream tokens;
  NameTable names;
  unsigned version = 0;  // ptx_version(); 0 before .version
  std::string target;    // "sm_90a"; "" before .target
};

// Counts nesting, also when it is left by an exception.
class Nesting {
 public:
  Nesting(ParseContext& context, unsigned& depth);  // reports P007 and abandons where it is too deep
  ~Nesting() { --*depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  unsigned* depth_;
};

// "`name`"; long names are cut.
std::string ticked(std::string_view name);

constexpr unsigned kDeepest = 200;  // nesting of scopes, braces and parentheses

}  // namespace gpuloom::ptx
