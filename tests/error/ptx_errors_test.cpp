// SPDX-License-Identifier: Apache-2.0
// PTX that must fail, each problem where and as expected. In tests/error/ptx every line says what is wrong
// with it:
// `// expect: COLUMN CODE`, once for each problem; a line that says nothing must be right.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "ptx/parse/parser.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom::ptx;

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::multiset<std::string> expected(const std::string& text) {
  std::multiset<std::string> out;
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    constexpr std::string_view kMark = "// expect: ";
    for (size_t at = line.find(kMark); at != std::string::npos; at = line.find(kMark, at + 1)) {
      std::istringstream words(line.substr(at + kMark.size()));
      std::string column, code_word;
      words >> column >> code_word;
      out.insert(std::to_string(number) + ":" + column + " " + code_word);
    }
  }
  return out;
}

std::multiset<std::string> found(const std::string& text) {
  ParseOptions options;
  options.keep = 100000;
  const ParseResult result = parse_module(text, "test.ptx", isa_table(), options);
  std::multiset<std::string> out;
  for (const Diagnostic& d : result.diagnostics)
    if (d.severity == Severity::kError)
      out.insert(std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + " " +
                 std::string(code(d.problem)));
  return out;
}

std::string difference(const std::multiset<std::string>& a, const std::multiset<std::string>& b) {
  std::string out;
  for (const std::string& entry : a)
    if (a.count(entry) > b.count(entry)) out += entry + "; ";
  return out;
}

constexpr std::string_view kModule =
    ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 4 .b32 g[2] = {1, 2};\n"
    ".visible .entry k(.param .u64 p) .maxntid 32 {\n  .reg .b32 %r<4>; .reg .pred %p; .reg .b64 %rd<2>;\n"
    "  ld.param.u64 %rd0, [p];\n  mov.u32 %r1, %tid.x; // comment\n  setp.eq.s32 %p, %r1, (3 + 4) * 2;\n"
    "  @%p bra DONE;\n  { .reg .f32 %f; add.f32 %f, %f, 0f3F800000; }\n  st.global.v2.u32 [%rd0+8], {%r1, "
    "%r2};\nDONE:\n  ret;\n}\n";

}  // namespace

TEST_CASE("Every problem of the collected wrong PTX is found where it is, and no other") {
  size_t cases = 0;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(gpuloom::tests::in_tree("/tests/error/ptx"))) {
    const std::string text = read(entry.path());
    const auto want = expected(text), have = found(text);
    cases += want.size();
    INFO(entry.path().filename().string()
         << ": missing " << difference(want, have) << " unexpected " << difference(have, want));
    CHECK(want == have);
  }
  CHECK(cases >= 200);
}

TEST_CASE("A module cut off anywhere is reported, or is still whole") {
  REQUIRE(found(std::string(kModule)).empty());
  size_t failing = 0;
  for (size_t length = 0; length < kModule.size(); ++length) {
    const auto problems = found(std::string(kModule.substr(0, length)));
    if (!problems.empty()) ++failing;
    // Once the entry has begun, nothing but its closing brace makes the module whole.
    if (length > kModule.find(".entry") + 6 && length < kModule.rfind('}')) {
      INFO("cut at byte " << length);
      CHECK_FALSE(problems.empty());
    }
  }
  CHECK(failing > 300);
}

TEST_CASE("A module with any one character replaced never breaks the parser") {
  for (size_t at = 0; at < kModule.size(); ++at) {
    for (const char c : {'\0', '{', '}', ';', '"', '[', '(', '.', '%', '\xff', '9'}) {
      std::string text(kModule);
      text[at] = c;
      CHECK_NOTHROW(found(text));
    }
  }
}

TEST_CASE("Files that hold no PTX are reported once, not guessed at") {
  CHECK(found("") == std::multiset<std::string>{"1:1 P006"});
  CHECK(found("\n\n  ").size() == 1);
  CHECK_FALSE(found(std::string(100, '\0')).empty());
  CHECK_FALSE(found("\x7f"
                    "ELF\x02\x01\x01")
                  .empty());
  CHECK_FALSE(found("\xef\xbb\xbf").empty());
}

TEST_CASE("Unclosed braces and comments are reported with where they begin") {
  const ParseResult result =
      parse_module(".version 8.0\n.target sm_90\n.entry k() {\n  {\n  ret;\n", "test.ptx", isa_table(), {});
  REQUIRE(result.errors >= 1);
  CHECK(result.diagnostics[0].problem == Problem::kTruncated);
  REQUIRE_FALSE(result.diagnostics[0].notes.empty());
  CHECK(result.diagnostics[0].notes[0].position.line == 4);
}

TEST_CASE("Deep nesting is refused, not a crash") {
  const std::string head = ".version 8.0\n.target sm_90\n";
  CHECK_FALSE(found(head + ".entry k() " + std::string(100000, '{')).empty());
  CHECK_FALSE(
      found(head + ".entry k() { .reg .b32 %r; mov.u32 %r, " + std::string(100000, '(') + "1; }").empty());
  CHECK_FALSE(
      found(head + ".entry k() { .reg .b32 %r; mov.u32 %r, " + std::string(100000, '-') + "1; }").empty());
  CHECK_FALSE(
      found(head + ".entry k() { .reg .b32 %r; mov.u32 %r, " + std::string(100000, '{') + "1; }").empty());
  CHECK_FALSE(found(head + ".global .b32 g[2] = " + std::string(100000, '{')).empty());
}

TEST_CASE("A line of ten megabytes is read and shown clipped around the problem") {
  std::string text = ".version 8.0\n.target sm_90\n.entry k() { .reg .b32 %r; ";
  while (text.size() < 10'000'000) text += "add.s32 %r, %r, 1; ";
  text += "ad.s32 %r, %r, 1; ret; }\n";
  const std::clock_t start = std::clock();  // of this process: others may be busy
  const ParseResult result = parse_module(text, "long.ptx", isa_table(), {});
  CHECK(result.errors == 1);
  const std::string shown = result.render();
  CHECK(shown.size() < 1000);
  CHECK(shown.find("ad.s32") != std::string::npos);
  CHECK(std::clock() - start < 20 * CLOCKS_PER_SEC);
}

TEST_CASE("A file of nothing but errors is counted in full and listed in part") {
  std::string text = ".version 8.0\n.target sm_90\n.entry k() {\n";
  for (int k = 0; k < 20000; ++k) text += "  nonsense %r1;\n";
  const ParseResult result = parse_module(text + "}\n", "bad.ptx", isa_table(), {});
  CHECK(result.errors == 20000);
  CHECK(result.diagnostics.size() == 1000);
  CHECK(result.render().find("20,000 errors (the first 50 are shown)") != std::string::npos);
}
