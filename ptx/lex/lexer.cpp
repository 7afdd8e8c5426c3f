// SPDX-License-Identifier: Apache-2.0
#include "ptx/lex/lexer.h"

#include <array>
#include <bit>
#include <charconv>

namespace gpuloom::ptx {
namespace {

enum : uint8_t { kOther = 0, kSpace = 1, kNameStart = 2, kDigit = 4, kNameRest = 8, kPunct = 16 };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (const unsigned char c : {' ', '\t', '\r', '\n', '\v', '\f'}) classes[c] = kSpace;
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<size_t>(c)] = kNameStart | kNameRest;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<size_t>(c)] = kNameStart | kNameRest;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<size_t>(c)] = kDigit | kNameRest;
  for (const unsigned char c : {'_', '$'}) classes[c] = kNameStart | kNameRest;
  for (const unsigned char c : {',', ';', ':', '(', ')', '[', ']', '{', '}', '<', '>', '=',
                                '+', '-', '*', '/', '!', '~', '&', '|', '^', '?', '@', '%'})
    classes[c] = kPunct;
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = make_classes();

bool in(char c, uint8_t mask) { return (kClasses[static_cast<unsigned char>(c)] & mask) != 0; }

bool hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool all_hex(std::string_view text) {
  for (const char c : text)
    if (!hex_digit(c)) return false;
  return true;
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_begin_ = 3;  // a byte order mark
}

Token Lexer::token(TokenKind kind, size_t begin, size_t end) {
  at_ = end;
  return {kind, text_.substr(begin, end - begin), {line_, static_cast<uint32_t>(begin - line_begin_ + 1)}};
}

Token Lexer::bad(LexProblem kind, std::string_view problem, size_t begin, size_t end) {
  kind_ = kind;
  problem_ = problem;
  return token(TokenKind::kBad, begin, end);
}

size_t Lexer::name_end(size_t from) const {
  while (from < text_.size() && in(text_[from], kNameRest)) ++from;
  return from;
}

// Returns false where the comment does not end.
bool Lexer::skip_comment() {
  const size_t begin = at_;
  const uint32_t line = line_;
  const size_t line_begin = line_begin_;
  for (at_ += 2; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\n') newline(at_);
    if (text_[at_] == '*' && at(at_ + 1) == '/') {
      at_ += 2;
      return true;
    }
  }
  pending_ = {TokenKind::kBad, text_.substr(begin, 2), {line, static_cast<uint32_t>(begin - line_begin + 1)}};
  has_pending_ = true;
  kind_ = LexProblem::kUnterminated;
  problem_ = "this comment does not end";
  return false;
}

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      newline(at_);
      ++at_;
    } else if (in(c, kSpace)) {
      ++at_;
    } else if (c == '#' || (c == '/' && at(at_ + 1) == '/')) {
      const size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else if (c == '/' && at(at_ + 1) == '*') {
      if (!skip_comment()) return;
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_space();
  if (has_pending_) {
    has_pending_ = false;
    return pending_;
  }
  if (at_ >= text_.size()) return token(TokenKind::kEnd, text_.size(), text_.size());
  const char c = text_[at_];
  if (in(c, kNameStart)) return word();
  if (c == '%' && (in(at(at_ + 1), kNameRest))) return word();
  if (in(c, kDigit)) return number();
  if (c == '.') return directive();
  if (c == '"') return string();
  if (in(c, kPunct)) return punctuation();
  size_t end = at_ + 1;
  while (end < text_.size() && kClasses[static_cast<unsigned char>(text_[end])] == kOther &&
         text_[end] != '.' && text_[end] != '"' && text_[end] != '#')
    ++end;
  return bad(LexProblem::kCharacters, "no PTX token begins with this character", at_, end);
}

bool Lexer::skip_braces(bool (*stop)(std::string_view directive)) {
  static constexpr std::array<bool, 256> kStops = [] {
    std::array<bool, 256> stops{};
    for (const unsigned char c : {'{', '}', '.', '"', '/', '#', '\n'}) stops[c] = true;
    return stops;
  }();
  for (size_t depth = 1; depth > 0; ++at_) {
    while (at_ < text_.size() && !kStops[static_cast<unsigned char>(text_[at_])]) ++at_;
    if (at_ >= text_.size()) return false;
    const char c = text_[at_];
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == '\n') newline(at_);
    if (c == '.' && !in(at(at_ - 1), kNameRest) && stop(text_.substr(at_, name_end(at_ + 1) - at_)))
      return false;
    if (c == '"') {
      if (string().kind == TokenKind::kBad) return false;
      --at_;
    }
    if (c == '#' || (c == '/' && (at(at_ + 1) == '/' || at(at_ + 1) == '*'))) {
      skip_space();
      if (has_pending_) return false;
      --at_;
    }
  }
  return true;
}

Token Lexer::word() {
  const size_t begin = at_;
  size_t end = name_end(begin + 1);
  while (true) {
    const char c = at(end);
    if (c == '.' && in(at(end + 1), kNameRest))
      end = name_end(end + 1);
    else if (c == ':' && at(end + 1) == ':' && in(at(end + 2), kNameRest))
      end = name_end(end + 2);
    else
      break;
  }
  return token(TokenKind::kWord, begin, end);
}

Token Lexer::directive() {
  const size_t begin = at_;
  size_t end = name_end(begin + 1);
  if (end == begin + 1) return bad(LexProblem::kCharacters, "a dot without a word", begin, end);
  while (at(end) == ':' && at(end + 1) == ':' && in(at(end + 2), kNameRest)) end = name_end(end + 2);
  return token(TokenKind::kDirective, begin, end);
}

// A digit and all letters, digits, points and signed exponents that hang on it; then it is looked at whether
// that is a number.
Token Lexer::number() {
  const size_t begin = at_;
  size_t end = name_end(begin);
  std::string_view text = text_.substr(begin, end - begin);
  const bool prefixed = text[0] == '0' && text.size() > 1 && !in(text[1], kDigit) && text[1] != 'U' &&
                        text[1] != 'e' && text[1] != 'E';
  if (prefixed) {
    const std::string_view digits = text.substr(2);
    const char kind = static_cast<char>(text[1] | 0x20);
    if (kind == 'f' || kind == 'd') {
      if (digits.size() != (kind == 'f' ? 8u : 16u) || !all_hex(digits))
        return bad(LexProblem::kNumber,
                   kind == 'f' ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits", begin,
                   end);
      return token(TokenKind::kFloat, begin, end);
    }
    std::string_view body = digits;
    if (body.ends_with('U')) body.remove_suffix(1);
    if (kind == 'x' && !body.empty() && all_hex(body)) return token(TokenKind::kInteger, begin, end);
    if (kind == 'b' && !body.empty() && body.find_first_not_of("01") == std::string_view::npos)
      return token(TokenKind::kInteger, begin, end);
    return bad(LexProblem::kNumber, "malformed number", begin, end);
  }
  bool real = false;
  if (at(end) == '.' && text.find_first_not_of("0123456789") == std::string_view::npos &&
      (in(at(end + 1), kDigit) || !in(at(end + 1), kNameStart))) {
    real = true;
    end = name_end(end + 1);
  }
  if ((at(end) == '+' || at(end) == '-') && (text_[end - 1] | 0x20) == 'e' && in(at(end + 1), kDigit))
    end = name_end(end + 1);
  text = text_.substr(begin, end - begin);
  if (real || text.find_first_of("eE") != std::string_view::npos) {
    double value = 0;
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (last != text.data() + text.size() || error == std::errc::invalid_argument)
      return bad(LexProblem::kNumber, "malformed number", begin, end);
    return token(TokenKind::kFloat, begin, end);
  }
  if (text.ends_with('U')) text.remove_suffix(1);
  const std::string_view digits = text.size() > 1 && text[0] == '0' ? "01234567" : "0123456789";
  if (text.find_first_not_of(digits) != std::string_view::npos)
    return bad(LexProblem::kNumber,
               digits.size() == 8 ? "malformed number: a leading 0 makes it octal" : "malformed number",
               begin, end);
  return token(TokenKind::kInteger, begin, end);
}

Token Lexer::string() {
  const size_t begin = at_;
  for (size_t end = begin + 1; end < text_.size() && text_[end] != '\n'; ++end) {
    if (text_[end] == '\\' && at(end + 1) != '\n') {
      ++end;
    } else if (text_[end] == '"') {
      return token(TokenKind::kString, begin, end + 1);
    }
  }
  const size_t end = text_.find('\n', begin);
  return bad(LexProblem::kUnterminated, "this string does not end on its line", begin,
             end == std::string_view::npos ? text_.size() : end);
}

Token Lexer::punctuation() {
  const char c = text_[at_], d = at(at_ + 1);
  const bool two = (c == d && (c == '<' || c == '>' || c == '=' || c == '&' || c == '|')) ||
                   (d == '=' && (c == '!' || c == '<' || c == '>'));
  return token(TokenKind::kPunctuation, at_, at_ + (two ? 2 : 1));
}

bool integer_value(std::string_view text, uint64_t& value, bool& is_unsigned) {
  is_unsigned = text.ends_with('U');
  if (is_unsigned) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char kind = static_cast<char>(text[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || last != text.data() + text.size()) return false;
  is_unsigned = is_unsigned || (value >> 63) != 0;
  return true;
}

bool float_value(std::string_view text, uint64_t& bits, bool& single) {
  single = false;
  if (text.size() > 2 && text[0] == '0' && ((text[1] | 0x20) == 'f' || (text[1] | 0x20) == 'd')) {
    single = (text[1] | 0x20) == 'f';
    return std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16).ec == std::errc();
  }
  double value = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone: too small becomes 0, too large infinity.
    const size_t e = text.find_first_of("eE");
    const bool tiny = e != std::string_view::npos && e + 1 < text.size() && text[e + 1] == '-';
    value = tiny ? 0.0 : __builtin_inf();
  } else if (error != std::errc() || last != text.data() + text.size()) {
    return false;
  }
  bits = std::bit_cast<uint64_t>(value);
  return true;
}

}  // namespace gpuloom::ptx
