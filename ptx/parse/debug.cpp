// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/debug.h"

namespace gpuloom::ptx {

void DebugParser::file() {
  TokenStream& tokens = context_->tokens;
  tokens.advance();
  const auto index = static_cast<size_t>(constants_->parse_integer("the file number", 0, 1 << 20));
  if (tokens.now().kind != TokenKind::kString) tokens.unexpected("a file name in quotes");
  std::string_view name = tokens.now().text;
  tokens.advance();
  for (int k = 0; k < 2 && tokens.accept(','); ++k) constants_->parse();  // time stamp, size
  std::vector<std::string>& files = context_->module.files;
  if (files.size() <= index) files.resize(index + 1);
  files[index] = std::string(name.substr(1, name.size() - 2));
}

void DebugParser::loc() {
  TokenStream& tokens = context_->tokens;
  std::vector<SourceLine>& lines = context_->module.source_lines;
  tokens.advance();
  const auto number = [&](std::string_view what) {
    // The common case without the general machinery: line tables are a large part of a debug build.
    uint64_t value = 0;
    bool is_unsigned = false;
    if (tokens.now().kind == TokenKind::kInteger && integer_value(tokens.now().text, value, is_unsigned) &&
        value <= UINT32_MAX) {
      tokens.advance();
      return static_cast<uint32_t>(value);
    }
    return static_cast<uint32_t>(constants_->parse_integer(what, 0, UINT32_MAX));
  };
  SourceLine line;
  line.file = number("the file number");
  line.line = number("the line");
  if (tokens.now().kind == TokenKind::kInteger) line.column = number("the column");
  while (tokens.accept(',')) {
    const Token word = tokens.expect_word("function_name or inlined_at");
    if (word.text == "function_name") {
      line.inlined_function = std::string(tokens.expect_word("a label").text);
      if (tokens.accept('+')) line.inlined_function += "+" + std::to_string(number("an offset"));
    } else if (word.text == "inlined_at") {
      const uint32_t file = number("the file number"), row = number("the line"),
                     column = number("the column");
      const auto [found, added] =
          seen_.try_emplace({file, row, column}, static_cast<uint32_t>(lines.size() + 1));
      if (added) {
        SourceLine site;
        site.file = file;
        site.line = row;
        site.column = column;
        lines.push_back(std::move(site));
      }
      line.inlined_at = found->second;
    } else {
      tokens.unexpected("function_name or inlined_at");
    }
  }
  if (current_ != 0) {
    const SourceLine& last = lines[current_ - 1];
    if (last.file == line.file && last.line == line.line && last.column == line.column &&
        last.inlined_at == line.inlined_at)
      return;
  }
  lines.push_back(line);
  current_ = static_cast<uint32_t>(lines.size());
  seen_[{line.file, line.line, line.column}] = current_;
}

// `.section .debug_str { $L__info_string0: .b8 95,90,... }`: only the strings are kept, for the names of
// inlined functions.
void DebugParser::section() {
  TokenStream& tokens = context_->tokens;
  tokens.advance();
  const bool strings = tokens.now().text == ".debug_str";
  if (tokens.now().kind != TokenKind::kDirective && tokens.now().kind != TokenKind::kWord)
    tokens.unexpected("the section's name");
  tokens.advance();
  tokens.expect('{');
  std::string* text = nullptr;
  for (unsigned depth = 1; depth > 0;) {
    const Token token = tokens.now();
    if (tokens.at_end()) tokens.unexpected("`}`");
    tokens.advance();
    if (token.is('{')) ++depth;
    if (token.is('}')) --depth;
    if (!strings) continue;
    if (token.kind == TokenKind::kWord && tokens.now().is(':')) text = &strings_[std::string(token.text)];
    uint64_t value = 0;
    bool is_unsigned = false;
    if (text != nullptr && token.kind == TokenKind::kInteger &&
        integer_value(token.text, value, is_unsigned)) {
      if (value == 0)
        text = nullptr;
      else
        text->push_back(static_cast<char>(value));
    }
  }
}

void DebugParser::finish(size_t first) {
  std::vector<SourceLine>& lines = context_->module.source_lines;
  for (size_t k = first; k < lines.size(); ++k) {
    SourceLine& line = lines[k];
    if (line.inlined_function.empty()) continue;
    const auto found = strings_.find(line.inlined_function);
    if (found != strings_.end()) line.inlined_function = found->second;
  }
}

}  // namespace gpuloom::ptx
