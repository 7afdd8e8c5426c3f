// SPDX-License-Identifier: Apache-2.0
// Modules whose kernels are read when they are needed: the same kernels come out, and what is wrong is found
// at the load or at the kernel.
#include "ptx/parse/later_bodies.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "ptx/isa/table/isa_builder.h"
#include "sim/memory/files.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::ptx;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

std::string entry(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n" + body +
         "\nret;\n}\n";
}

struct Later {
  explicit Later(const std::string& text, const ParseOptions& options = {})
      : bodies(text, "test.ptx", isa_table(), options), module(bodies.take_module()) {}
  const Function& function(const char* name) const { return *module->find_function(name); }
  LaterBodies bodies;
  std::unique_ptr<Module> module;
};

// What a function says, apart from where its source lines stand in their table.
std::string told(const Function& f) {
  std::string text = f.name;
  const auto add = [&text](auto... numbers) { ((text += " " + std::to_string(numbers)), ...); };
  for (const Variable& p : f.params) text += " " + p.name;
  for (const Register& r : f.registers) text += " " + r.name;
  for (const Variable& v : f.variables) text += " " + v.name;
  for (const Label& l : f.labels) text += " " + l.name + ":" + std::to_string(l.instruction);
  for (const Instruction& in : f.instructions) {
    text += "\n" + in.form->syntax;
    add(in.guard.register_id, in.guard.negated, in.operand_count, in.position.line, in.position.column);
    for (unsigned k = 0; k < kMaxModifierSlots; ++k) add(in.mods[k]);
  }
  for (const Operand& o : f.operand_pool)
    add(static_cast<int>(o.kind), o.id, o.value, o.child_count, o.position.line, o.position.column,
        static_cast<int>(o.symbol_kind));
  return text;
}

std::vector<std::string> told_at_once(const std::string& text) {
  const std::unique_ptr<Module> module = load_module_text(text, "test.ptx", isa_table());
  std::vector<std::string> all;
  for (const Function& f : module->functions) all.push_back(told(f));
  return all;
}

// From the last to the first, which is never the order in which they are read at once.
std::vector<std::string> told_later(const std::string& text) {
  const Later later(text);
  auto& bodies = const_cast<LaterBodies&>(later.bodies);
  for (auto f = later.module->functions.rbegin(); f != later.module->functions.rend(); ++f)
    bodies.complete(*f);
  CHECK(bodies.unread() == 0);
  std::vector<std::string> all;
  for (const Function& f : later.module->functions) all.push_back(told(f));
  return all;
}

}  // namespace

TEST_CASE("Kernels that are read later are those that are read at once") {
  size_t files = 0;
  for (const char* folder :
       {"/ptx/machine/rules", "/tests/golden/passes", "/tests/explain/kernels", "/sim/examples"}) {
    const std::filesystem::path place = tests::in_tree(folder);
    if (!std::filesystem::exists(place)) continue;
    for (const auto& found : std::filesystem::recursive_directory_iterator(place)) {
      if (found.path().extension() != ".ptx") continue;
      INFO(found.path());
      const std::string text = sim::read_file(found.path());
      CHECK(told_later(text) == told_at_once(text));
      ++files;
    }
  }
  CHECK(files > 20);
}

TEST_CASE("A kernel's body is read when it is asked for, and only then") {
  Later later(kHead + entry("a", "mov.u32 %r1, 1;") + entry("b", "mov.u32 %r1, 2;"));
  CHECK(later.bodies.unread() == 2);
  CHECK(later.function("b").instructions.empty());
  CHECK(later.function("b").has_body);
  later.bodies.complete(later.function("b"));
  CHECK(later.bodies.unread() == 1);
  CHECK(later.function("b").instructions.size() == 2);
  CHECK(later.function("a").instructions.empty());
  later.bodies.complete(later.function("b"));
  CHECK(later.function("b").instructions.size() == 2);
}

TEST_CASE(
    "What is wrong in a body is said where the kernel is asked for, each time, and others can be used") {
  Later later(kHead + entry("good", "mov.u32 %r1, 1;") +
              entry("bad", "mov.u32 %r1, nowhere;\nmovv.u32 %r1, 1;"));
  for (int turn = 0; turn < 2; ++turn) {
    std::string text;
    try {
      later.bodies.complete(later.function("bad"));
    } catch (const ParseError& error) {
      text = error.what();
      CHECK(error.kind() == ErrorKind::kInput);
      CHECK(error.first().line == 15);
    }
    CHECK_THAT(text, ContainsSubstring("unknown name `nowhere`") && ContainsSubstring("in entry `bad`") &&
                         ContainsSubstring("movv.u32"));
  }
  later.bodies.complete(later.function("good"));
  CHECK(later.function("good").instructions.size() == 2);
}

TEST_CASE("A load refuses what is wrong outside of bodies, and bodies that do not end") {
  const auto refused = [](const std::string& text, const ParseOptions& options = {}) -> std::string {
    try {
      const Later later(text, options);
    } catch (const ParseError& error) {
      return error.what();
    }
    return "";
  };
  const std::string good = entry("k", "mov.u32 %r1, 1;");
  CHECK(refused(kHead + good).empty());
  CHECK_THAT(refused(good), ContainsSubstring("PTX begins with .version"));
  CHECK_THAT(refused(kHead + good, {.device = "sm_80"}), ContainsSubstring("this module is for sm_90"));
  CHECK_THAT(refused(kHead + good + good), ContainsSubstring("`k` is defined twice"));
  CHECK_THAT(refused(kHead + ".globl .u32 x;\n" + good), ContainsSubstring("unknown directive"));
  const std::string open = good.substr(0, good.size() - 2);
  CHECK_THAT(refused(kHead + open), ContainsSubstring("the file ends inside a body"));
  CHECK_THAT(refused(kHead + open + entry("other", "")),
             ContainsSubstring("a function begins inside a body"));
  CHECK_THAT(refused(kHead + entry("k", "/* no end")), ContainsSubstring("comment does not end"));
  CHECK_THAT(refused(kHead + entry("k", ".pragma \"nounroll;")), ContainsSubstring("string does not end"));
}

TEST_CASE("Braces in comments and strings of an unread body are not its end") {
  const std::string text =
      kHead + entry("k", "// }\n/* } \n } */ { mov.u32 %r1, 1; // {\n }\n.pragma \"}{\";\n# }\n") +
      entry("l", "mov.u32 %r2, 3;");
  CHECK(told_later(text) == told_at_once(text));
}

TEST_CASE("An unread body sees the module's names that stand before it, and none behind") {
  const std::string text = kHead + ".global .u32 before;\n" + entry("k", "ld.global.u32 %r1, [before];") +
                           entry("l", "ld.global.u32 %r1, [behind];") + ".global .u32 behind;\n" +
                           entry("m", "ld.global.u32 %r1, [behind];");
  CHECK_THROWS_AS(load_module_text(text, "test.ptx", isa_table()), ParseError);
  Later later(text);
  later.bodies.complete(later.function("m"));
  later.bodies.complete(later.function("k"));
  CHECK_THROWS_WITH(later.bodies.complete(later.function("l")), ContainsSubstring("unknown name `behind`"));
}

TEST_CASE("Bodies that declare what belongs to the module are read at once") {
  const Later variable(kHead + entry("k", ".global .u32 inner;\nst.global.u32 [inner], %r1;") +
                       entry("l", ""));
  CHECK(variable.bodies.unread() == 1);
  CHECK(variable.module->find_variable("inner") != nullptr);
  // A call by address may reach whatever function any kernel has taken the address of.
  const Later calls(
      kHead + ".func f()\n{\nret;\n}\n" +
      entry("k", "mov.u64 %rd1, f;\n{\nproto : .callprototype ()_ ();\ncall %rd1, (), proto;\n}") +
      entry("l", ""));
  CHECK(calls.bodies.unread() == 0);
}

TEST_CASE("Source lines of kernels that are read late name the same places") {
  const auto body = [](const char* line) {
    return std::string(".loc 1 ") + line + " 3\nmov.u32 %r1, 1;\n.loc 1 " + line +
           " 9, function_name $L__info_string0, inlined_at 1 50 2\nmov.u32 %r2, 1;";
  };
  const std::string text = kHead + entry("a", body("10")) + entry("b", body("20")) +
                           ".file 1 \"k.cu\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 102,0\n}\n";
  Later later(text);
  later.bodies.complete(later.function("b"));
  const uint32_t of_b = later.bodies.first_line(later.function("b"));
  later.bodies.complete(later.function("a"));
  CHECK(later.bodies.first_line(later.function("a")) > of_b);
  for (const auto& [name, line] : {std::pair{"a", 10u}, std::pair{"b", 20u}}) {
    const Function& f = later.function(name);
    const SourceLine& first = later.module->source_lines.at(f.instructions.at(0).source_line - 1);
    const SourceLine& second = later.module->source_lines.at(f.instructions.at(1).source_line - 1);
    CHECK(first.line == line);
    CHECK(second.column == 9);
    CHECK(second.inlined_function == "f");
    CHECK(later.module->source_lines.at(second.inlined_at - 1).line == 50);
  }
}
