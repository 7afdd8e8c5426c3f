// SPDX-License-Identifier: Apache-2.0
#include "ptx/lex/lexer.h"

#include <bit>
#include <string>
#include <vector>

#include "tests/catch2.h"

using namespace gpuloom::ptx;

namespace {

std::vector<Token> all(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> out;
  for (Token t = lexer.next(); t.kind != TokenKind::kEnd; t = lexer.next()) out.push_back(t);
  return out;
}

TokenKind kind_of(std::string_view text) {
  const auto tokens = all(text);
  return tokens.size() == 1 ? tokens[0].kind : TokenKind::kEnd;
}

uint64_t integer(std::string_view text) {
  uint64_t value = 0;
  bool is_unsigned = false;
  REQUIRE(integer_value(text, value, is_unsigned));
  return value;
}

}  // namespace

TEST_CASE("An opcode with all its modifiers is one word") {
  const auto tokens = all("ld.global.L1::no_allocate.v4.f32 {%f1}, [%rd1+-4];");
  REQUIRE(tokens.size() == 12);
  CHECK(tokens[0].text == "ld.global.L1::no_allocate.v4.f32");
  CHECK(tokens[0].kind == TokenKind::kWord);
  CHECK(tokens[6].text == "%rd1");
  CHECK(tokens[8].is('-'));
}

TEST_CASE("A label's colon is not part of it, a scope's double colon is") {
  const auto tokens = all("$L__BB0_1: .shared::cta");
  REQUIRE(tokens.size() == 3);
  CHECK(tokens[0].text == "$L__BB0_1");
  CHECK(tokens[1].is(':'));
  CHECK(tokens[2].directive(".shared::cta"));
}

TEST_CASE("Tokens know their line and column, comments and tabs notwithstanding") {
  const auto tokens = all("// one\n/* two\n three */ a\n\tb # rest\r\n  c");
  REQUIRE(tokens.size() == 3);
  CHECK(tokens[0].position.line == 3);
  CHECK(tokens[0].position.column == 11);
  CHECK(tokens[1].position.line == 4);
  CHECK(tokens[1].position.column == 2);
  CHECK(tokens[2].position.line == 5);
  CHECK(tokens[2].position.column == 3);
}

TEST_CASE("Numbers are read in every notation of PTX") {
  CHECK(integer("42") == 42);
  CHECK(integer("0x1F") == 31);
  CHECK(integer("0X1fU") == 31);
  CHECK(integer("0b101") == 5);
  CHECK(integer("017") == 15);
  CHECK(integer("0") == 0);
  CHECK(integer("18446744073709551615U") == UINT64_MAX);
  for (const char* text : {"42", "0x1F", "0b101", "017", "0", "7U", "0U"})
    CHECK(kind_of(text) == TokenKind::kInteger);
  for (const char* text : {"0f3F800000", "0D3ff0000000000000", "1.5", "1.", "1e10", "1.5E-3", "0.5", "0e0"})
    CHECK(kind_of(text) == TokenKind::kFloat);
  for (const char* text : {"0x", "0b2", "089", "12ab", "0f3F", "0d3F800000", "1.5x"})
    CHECK(kind_of(text) == TokenKind::kBad);
}

TEST_CASE("Floating-point literals keep their bits") {
  uint64_t bits = 0;
  bool single = false;
  REQUIRE(float_value("0f3F800000", bits, single));
  CHECK(single);
  CHECK(bits == 0x3F800000);
  REQUIRE(float_value("0d7FF8000000000000", bits, single));
  CHECK_FALSE(single);
  CHECK(bits == 0x7FF8000000000000);
  REQUIRE(float_value("1.5e3", bits, single));
  CHECK(std::bit_cast<double>(bits) == 1500.0);
  REQUIRE(float_value("1e999", bits, single));
  CHECK(std::bit_cast<double>(bits) > 1e308);
  REQUIRE(float_value("1e-999", bits, single));
  CHECK(bits == 0);
}

TEST_CASE("A run of bytes that begin no token is one bad token") {
  const auto tokens = all(std::string_view("\0\x01\xff\xfe add", 8));
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[0].kind == TokenKind::kBad);
  CHECK(tokens[0].text.size() == 4);
  CHECK(tokens[1].text == "add");
}

TEST_CASE("An unterminated comment or string is bad, and the lexer comes to its end") {
  CHECK(all("/* abc").size() == 1);
  CHECK(all("a /* abc")[1].kind == TokenKind::kBad);
  CHECK(all("\"abc\nb").size() == 2);
  CHECK(all("\"a\\\"b\"").size() == 1);
}

TEST_CASE("A byte order mark is not part of the first column") {
  const auto tokens = all("\xef\xbb\xbf.version");
  REQUIRE(tokens.size() == 1);
  CHECK(tokens[0].position.column == 1);
}
