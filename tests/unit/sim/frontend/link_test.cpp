// SPDX-License-Identifier: Apache-2.0
#include "sim/frontend/link.h"

#include "base/error.h"
#include "ptx/parse/parser.h"
#include "tests/catch2.h"

using namespace gpuloom;
using frontend::link_ptx;

namespace {

const std::string kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

std::unique_ptr<ptx::Module> linked(std::vector<std::string> texts,
                                    const std::set<std::string>& wanted = {}) {
  for (std::string& text : texts) text = kHead + text;
  ptx::ParseOptions options;
  options.device = "sm_90";
  return ptx::load_module_text(link_ptx(std::move(texts), wanted), "linked", ptx::isa_table(), options);
}

size_t count(const ptx::Module& module, const std::string& name) {
  size_t n = 0;
  for (const ptx::Variable& v : module.variables) n += v.name == name ? 1 : 0;
  for (const ptx::Function& f : module.functions) n += f.name == name && f.has_body ? 1 : 0;
  return n;
}

}  // namespace

TEST_CASE("A unit calls a function and reads a variable of another one, before or after it", "[frontend]") {
  const std::string user =
      ".extern .func (.param .b32 r) helper (.param .b32 x);\n.extern .global .align 4 .b8 table[16];\n"
      ".visible .entry k (.param .u64 p) {\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\n ld.global.b32 %r1, "
      "[table];\n{\n"
      ".param .b32 a;\n st.param.b32 [a], %r1;\n.param .b32 b;\n call.uni (b), helper, (a);\n ld.param.b32 "
      "%r2, [b];\n}\n"
      " ld.param.u64 %rd1, [p];\n st.global.b32 [%rd1], %r2;\n ret;\n}\n";
  const std::string maker =
      ".visible .global .align 4 .b8 table[16] = {1, 2, 3, 4};\n"
      ".visible .func (.param .b32 r) helper (.param .b32 x) {\n.reg .b32 %r<2>;\n ld.param.b32 %r1, [x];\n"
      " st.param.b32 [r], %r1;\n ret;\n}\n";
  for (const auto& module : {linked({user, maker}), linked({maker, user})}) {
    REQUIRE(count(*module, "table") == 1);
    REQUIRE(count(*module, "helper") == 1);
    REQUIRE(count(*module, "k") == 1);
  }
}

TEST_CASE("Weak definitions stand once, and a visible one wins over them", "[frontend]") {
  const std::string weak = ".weak .func f () {\n ret;\n}\n";
  REQUIRE(count(*linked({weak, weak}), "f") == 1);
  const auto module = linked({weak, ".visible .func f () {\n.reg .b32 %r<2>;\n mov.b32 %r1, 1;\n ret;\n}\n"});
  REQUIRE(count(*module, "f") == 1);
  for (const ptx::Function& f : module->functions)
    if (f.has_body) REQUIRE(f.registers.size() > 1);
}

TEST_CASE("Names that two units keep to themselves stay two things", "[frontend]") {
  const std::string text = ".global .align 1 .b8 $str[3] = {104, 105, 0};\n.visible .entry ";
  const std::string body =
      " () {\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n mov.u64 %rd1, $str;\n ld.global.u8 %r1, [%rd1];\n "
      "ret;\n}\n";
  const auto module = linked({text + "a" + body, text + "b" + body});
  REQUIRE(count(*module, "$str") == 1);
  REQUIRE(count(*module, "$str__u1") == 1);
}

TEST_CASE("A kernel of one unit can be launched by another that only declares it", "[frontend]") {
  const std::string user =
      ".extern .entry inner ();\n.visible .entry outer () {\n.reg .b64 %rd<2>;\n mov.u64 %rd1, inner;\n "
      "ret;\n}\n";
  const auto module = linked({user, ".visible .entry inner () {\n ret;\n}\n"});
  REQUIRE(module->find_function("inner")->has_body);
}

TEST_CASE("Two visible definitions of one name are refused", "[frontend]") {
  const std::string text = ".visible .global .align 4 .u32 x = 1;\n";
  REQUIRE_THROWS_WITH(linked({text, text}), Catch::Matchers::ContainsSubstring("'x'"));
}

TEST_CASE("Units that nobody needs are left out", "[frontend]") {
  const std::string user = ".extern .global .align 4 .u32 x;\n.visible .entry k () {\n ret;\n}\n";
  const std::string needed = ".visible .global .align 4 .u32 x = 1;\n";
  const std::string library = ".visible .entry lib () {\n ret;\n}\n";
  const auto module = linked({library, needed, user}, {"k"});
  REQUIRE(count(*module, "lib") == 0);
  REQUIRE(count(*module, "x") == 1);
  REQUIRE(count(*module, "k") == 1);
}

TEST_CASE("Source lines keep their files", "[frontend]") {
  const auto unit = [](const std::string& name, const std::string& file) {
    return ".visible .entry " + name + " () {\n.loc 1 7 3\n ret;\n}\n.file 1 \"" + file + "\"\n";
  };
  const auto module = linked({unit("a", "a.cu"), unit("b", "b.cu")});
  REQUIRE(module->files.size() >= 3);
  REQUIRE(module->files[1] == "a.cu");
  REQUIRE(module->files[2] == "b.cu");
  for (const ptx::Function& f : module->functions)
    REQUIRE(module->source_lines.at(f.instructions.at(0).source_line - 1).file == (f.name == "a" ? 1 : 2));
}
