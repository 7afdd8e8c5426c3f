// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/context.h"

#include <algorithm>

namespace gpuloom::ptx {

Diagnostic& Reporter::add(Severity severity, Problem problem, Position position, size_t length,
                          std::string message) {
  if (severity == Severity::kError) {
    ++errors_;
    if (kind(problem) == ProblemKind::kNeeds || kind(problem) == ProblemKind::kNotModelled) ++unsupported_;
  } else {
    ++warnings_;
  }
  Diagnostic& d = kept_.size() < keep_ ? kept_.emplace_back() : dropped_;
  d = Diagnostic();
  d.severity = severity;
  d.problem = problem;
  d.message = std::move(message);
  d.position = position;
  d.length = static_cast<uint32_t>(std::min<size_t>(length, 1000));
  d.where = where_;
  return d;
}

void Reporter::finish(ParseResult& result) {
  std::stable_sort(kept_.begin(), kept_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.position.line != b.position.line ? a.position.line < b.position.line
                                              : a.position.column < b.position.column;
  });
  result.diagnostics = std::move(kept_);
  result.errors = errors_;
  result.warnings = warnings_;
  result.only_unsupported = errors_ > 0 && unsupported_ == errors_;
}

Nesting::Nesting(ParseContext& context, unsigned& depth) : depth_(&depth) {
  if (depth >= kDeepest) {
    context.report.error(Problem::kNesting, context.tokens.now(), "nested too deep");
    throw Abandon();
  }
  ++depth;
}

std::string ticked(std::string_view name) {
  if (name.size() <= 80) return "`" + std::string(name) + "`";
  return "`" + std::string(name.substr(0, 77)) + "...`";
}

static Problem problem_of(LexProblem kind) {
  switch (kind) {
    case LexProblem::kUnterminated:
      return Problem::kUnterminated;
    case LexProblem::kNumber:
      return Problem::kNumber;
    default:
      return Problem::kCharacters;
  }
}

void TokenStream::unexpected(std::string_view expected) {
  if (now_.kind == TokenKind::kBad) {
    reporter_->error(problem_of(lexer_.problem_kind()), now_, std::string(lexer_.problem()));
  } else if (at_end()) {
    reporter_->error(Problem::kTruncated, now_.position, 1,
                     "the file ends where " + std::string(expected) + " is expected");
  } else if (first_on_line() && previous_line_ > 0) {
    // What is missing belongs to the line before.
    reporter_->error(Problem::kSyntax, {previous_line_, previous_end_}, 1,
                     "expected " + std::string(expected) + " before the end of the line");
  } else {
    reporter_->error(Problem::kSyntax, now_,
                     "expected " + std::string(expected) + ", found " + ticked(now_.text));
  }
  throw Abandon();
}

void TokenStream::expect(char c) {
  if (now_.is(c)) {
    advance();
    return;
  }
  unexpected(std::string("`") + c + "`");
}

void TokenStream::expect_end_of_statement() { expect(';'); }

Token TokenStream::expect_word(std::string_view what) {
  if (now_.kind != TokenKind::kWord) unexpected(what);
  const Token word = now_;
  advance();
  return word;
}

void TokenStream::skip_statement() {
  unsigned depth = 0;  // of braces that an operand list opened
  while (!at_end()) {
    const bool fresh = first_on_line() && depth == 0;
    if (fresh && (now_.kind == TokenKind::kDirective || now_.kind == TokenKind::kWord || now_.is('@')))
      return;
    if (now_.is('}')) {
      if (depth == 0) return;
      --depth;
    }
    if (now_.is('{')) {
      if (fresh) return;
      ++depth;
    }
    if (accept(';')) return;
    advance();
  }
}

size_t TokenStream::extent_at(Position position, const Token& from) const {
  size_t at = static_cast<size_t>(from.text.data() - text_.data());
  for (uint32_t line = from.position.line; line < position.line; ++line) {
    at = text_.find('\n', at);
    if (at == std::string_view::npos) return 1;
    ++at;
  }
  const size_t begin = position.line == from.position.line ? at + position.column - from.position.column
                                                           : at + position.column - 1;
  if (begin >= text_.size()) return 1;
  const char open = text_[begin];
  const char close = open == '[' ? ']' : open == '{' ? '}' : open == '(' ? ')' : '\0';
  const std::string_view rest = text_.substr(begin, 400);
  const size_t end_of_line = std::min(rest.find('\n'), rest.size());
  if (close != '\0') return std::min(rest.find(close), end_of_line - 1) + 1;
  const size_t end = std::min(rest.find_first_of(",;|]}) \t\r\n"), rest.size());
  return std::max<size_t>(std::min(end, end_of_line), 1);
}

}  // namespace gpuloom::ptx
