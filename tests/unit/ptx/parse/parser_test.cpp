// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/parser.h"

#include "base/error.h"
#include "ptx/isa/table/isa_builder.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::ptx;

namespace {

constexpr const char* kHead = ".version 9.0\n.target sm_90a\n.address_size 64\n";

ParseResult parse(const std::string& text) {
  ParseResult result = parse_module(text, "test.ptx", isa_table(), {});
  INFO(result.render());
  CHECK(result.ok());
  return result;
}

// A body of an entry `k` with a parameter `p` and some registers.
ParseResult body(const std::string& text) {
  return parse(std::string(kHead) +
               ".global .b32 g[4];\n.entry k(.param .u64 p) {\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 "
               "%rd<8>; .reg .f32 %f<8>;\n" +
               text + "\n}\n");
}

const Function& k(const ParseResult& result) { return *result.module->find_function("k"); }

const Operand& operand(const ParseResult& result, size_t instruction, size_t index) {
  const Instruction& in = k(result).instructions.at(instruction);
  REQUIRE(index < in.operand_count);
  return k(result).operand_pool.at(in.first_operand + index);
}

int64_t constant(const std::string& expression) {
  const ParseResult result = body("mov.u64 %rd1, " + expression + ";");
  REQUIRE(operand(result, 0, 1).kind == OperandKind::kImmediate);
  return operand(result, 0, 1).value;
}

}  // namespace

TEST_CASE("The header tells version, targets and address size") {
  const auto result = parse(".version 7.8\n.target sm_90, debug\n.address_size 32\n");
  CHECK(result.module->version_major == 7);
  CHECK(result.module->version_minor == 8);
  CHECK(result.module->targets == std::vector<std::string>{"sm_90", "debug"});
  CHECK(result.module->address_bits == 32);
}

TEST_CASE("Constant expressions follow C's precedence on 64-bit integers") {
  CHECK(constant("1 + 2 * 3") == 7);
  CHECK(constant("(1 + 2) * 3") == 9);
  CHECK(constant("10 - 4 - 3") == 3);
  CHECK(constant("1 << 4 | 3 & 2 ^ 1") == ((1 << 4) | ((3 & 2) ^ 1)));
  CHECK(constant("-7 / 2") == -3);
  CHECK(constant("-7 % 4") == -3);
  CHECK(constant("-8 >> 1") == -4);
  CHECK(constant("0xFFFFFFFFFFFFFFFF >> 60") == 15);
  CHECK(constant("1 < 2 && 3 != 3 || !0") == 1);
  CHECK(constant("5 > 4 ? 10 : 20") == 10);
  CHECK(constant("~0") == -1);
  CHECK(constant("WARP_SZ * 2") == 64);
  CHECK(constant("(.s64)2.9") == 2);
  CHECK(constant("1 << 64") == 0);
  CHECK(constant("-9223372036854775807 - 1") == INT64_MIN);
  CHECK(constant("(-9223372036854775807 - 1) / -1") == INT64_MIN);
}

TEST_CASE("An address has a register or symbol and a constant offset") {
  const auto result = body(
      "ld.global.b32 %r1, [%rd1+4-8]; ld.global.b32 %r1, [g+8]; ld.param.u64 %rd1, [p]; ld.global.b32 %r1, "
      "[%rd1+-4];");
  CHECK(operand(result, 0, 1).value == -4);
  CHECK_FALSE(operand(result, 0, 1).base_is_symbol);
  CHECK(operand(result, 1, 1).variable->name == "g");
  CHECK(operand(result, 1, 1).value == 8);
  CHECK(operand(result, 2, 1).symbol_kind == SymbolKind::kParameter);
  CHECK(operand(result, 3, 1).value == -4);
}

TEST_CASE("An array element by index is its address") {
  const auto result = body("ld.global.b32 %r1, g[3]; mov.u64 %rd1, g[2];");
  CHECK(operand(result, 0, 1).kind == OperandKind::kAddress);
  CHECK(operand(result, 0, 1).value == 12);
  CHECK(operand(result, 1, 1).kind == OperandKind::kSymbol);
  CHECK(operand(result, 1, 1).value == 8);
}

TEST_CASE("Modifiers may stand in another order than the manual's") {
  const auto result =
      body("add.f32.rn %f1, %f2, %f3; ld.global.acquire.gpu.b32 %r1, [g]; ld.b32.global %r1, [g];");
  CHECK(FormUse(*k(result).instructions[0].form, k(result).instructions[0], &k(result)).mod(".rnd") == ".rn");
  CHECK(FormUse(*k(result).instructions[1].form, k(result).instructions[1], &k(result)).space() ==
        Space::kGlobal);
}

TEST_CASE("A form with an optional half of a pair always has both") {
  const auto result = body("setp.eq.s32 %p1, %r1, %r2; setp.eq.s32 %p1|%p2, %r1, %r2;");
  for (size_t i = 0; i < 2; ++i) {
    REQUIRE(operand(result, i, 0).kind == OperandKind::kPair);
    CHECK(operand(result, i, 0).child_count == 2);
  }
  CHECK(k(result).operand_pool[operand(result, 0, 0).first_child + 1].kind == OperandKind::kSink);
}

TEST_CASE("Registers of an inner scope hide those of the outer one, and end with it") {
  const auto result = body("{ .reg .f32 %r1; add.f32 %r1, %r1, %r1; } add.s32 %r1, %r1, 1;");
  CHECK(k(result).registers[operand(result, 0, 0).id].type == Type::kF32);
  CHECK(k(result).registers[operand(result, 1, 0).id].type == Type::kB32);
}

TEST_CASE("A branch goes to the label of the innermost scope that has it") {
  const auto result = body("{ bra X; X: bra X; } { X: bra X; } bra X; X: ret;");
  CHECK(k(result).labels[operand(result, 0, 0).id].instruction == 1);
  CHECK(k(result).labels[operand(result, 1, 0).id].instruction == 1);
  CHECK(k(result).labels[operand(result, 2, 0).id].instruction == 2);
  CHECK(k(result).labels[operand(result, 3, 0).id].instruction == 4);
}

TEST_CASE("Many labels in one scope are told apart") {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "bra L" + std::to_string(49 - i) + "; L" + std::to_string(i) + ":\n";
  const auto result = body(text);
  for (uint32_t i = 0; i < 50; ++i)
    CHECK(k(result).labels[operand(result, i, 0).id].name == "L" + std::to_string(49 - i));
}

TEST_CASE("Initialisers are laid out as the memory image") {
  const auto result =
      parse(std::string(kHead) +
            ".global .u16 a[2][3] = {{1, 2}, {0x304}};\n.global .f32 f = 1.5;\n.global .v2 .u8 v[] = {{1, "
            "2}, {3, 4}};\n"
            ".global .u64 p[2] = {generic(a) + 4, f - 8};\n.global .u8 m[2] = {0xff00(a), 7};\n");
  const Module& m = *result.module;
  CHECK(m.find_variable("a")->initial == std::vector<uint8_t>{1, 0, 2, 0, 0, 0, 4, 3, 0, 0, 0, 0});
  CHECK(m.find_variable("f")->initial == std::vector<uint8_t>{0, 0, 0xc0, 0x3f});
  CHECK(m.find_variable("v")->size_bytes == 4);
  CHECK(m.find_variable("v")->initial == std::vector<uint8_t>{1, 2, 3, 4});
  const auto& relocations = m.find_variable("p")->relocations;
  REQUIRE(relocations.size() == 2);
  CHECK(relocations[0].generic);
  CHECK(relocations[0].addend == 4);
  CHECK(relocations[1].offset_bytes == 8);
  CHECK(relocations[1].addend == -8);
  CHECK(m.find_variable("m")->relocations[0].mask_shift == 8);
  CHECK(m.find_variable("m")->initial[1] == 7);
}

TEST_CASE("A definition takes the place of its declaration") {
  const auto result =
      parse(std::string(kHead) +
            ".func (.param .b32 r) f(.param .b32 a);\n.entry e() { .param .b32 x; call (x), f, (x); }\n"
            ".func (.param .b32 r) f(.param .b32 b) { ret; }\n");
  CHECK(result.module->functions.size() == 2);
  CHECK(result.module->find_function("f")->has_body);
  CHECK(result.module->find_function("f")->params[0].name == "b");
}

TEST_CASE("Parameters keep their space, alignment and pointer attributes") {
  const auto result = parse(
      std::string(kHead) +
      ".entry e(.param .u64 .ptr .shared .align 8 a, .param .align 16 .b8 s[20]) .reqntid 8, 4 { ret; }\n");
  const Function& e = *result.module->find_function("e");
  CHECK(e.params[0].is_pointer);
  CHECK(e.params[0].pointer_space == Space::kShared);
  CHECK(e.params[0].pointer_align == 8);
  CHECK(e.params[1].align_bytes == 16);
  CHECK(e.params[1].size_bytes == 20);
  CHECK(e.directives.reqntid[1] == 4);
  CHECK(e.directives.reqntid[2] == 1);
}

TEST_CASE("Instructions know the source line and the function that they were inlined from") {
  const auto result = parse(
      std::string(kHead) +
      ".file 1 \"a.cu\"\n.entry e() {\n.loc 1 7 3\n.loc 1 2 5, function_name $S, inlined_at 1 7 3\nret;\n}\n"
      ".section .debug_str {\n$S:\n.b8 97,98\n.b8 0\n}\n");
  const Function& e = *result.module->find_function("e");
  const SourceLine& line = result.module->source_lines[e.instructions[0].source_line - 1];
  CHECK(line.line == 2);
  CHECK(line.inlined_function == "ab");
  CHECK(result.module->source_lines[line.inlined_at - 1].line == 7);
  CHECK(result.module->files[1] == "a.cu");
}

TEST_CASE("What the module's target lacks is told apart from what is wrong") {
  const auto result =
      parse_module(".version 6.0\n.target sm_70\n.entry e() { .reg .f32 %f; tanh.approx.f32 %f, %f; }\n",
                   "t.ptx", isa_table(), {});
  CHECK(result.errors == 1);
  CHECK(result.only_unsupported);
  CHECK(kind(result.diagnostics[0].problem) == ProblemKind::kNeeds);
}

TEST_CASE("A module for another architecture than the device's is refused") {
  ParseOptions options;
  options.device = "sm_100a";
  const auto result = parse_module(".version 8.6\n.target sm_90a\n", "t.ptx", isa_table(), options);
  CHECK(result.only_unsupported);
  options.device = "sm_90a";
  CHECK(parse_module(".version 8.0\n.target sm_80\n", "t.ptx", isa_table(), options).ok());
}

TEST_CASE("Loading wrong PTX throws all problems, rendered, with the exit code that they call for") {
  try {
    load_module_text(std::string(kHead) + ".entry e() {\n  ad.s32 x;\n  foo;\n}\n", "e.ptx", isa_table());
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kInput);
    CHECK(std::string(e.what()).find("e.ptx:5:3") != std::string::npos);
    CHECK(std::string(e.what()).find("did you mean 'add'") != std::string::npos);
    CHECK(std::string(e.what()).find("2 errors") != std::string::npos);
  }
}

TEST_CASE("A diagnostic shows the line, a caret under the operand, and where the register was declared") {
  const auto result = parse_module(
      std::string(kHead) + ".entry e() {\n  .reg .f32 %f<3>;\n  ld.global.f32 %f1, [%f2+16];\n}\n", "e.ptx",
      isa_table(), {});
  CHECK(result.render().find(
            "error[P012]: operand type mismatch: `.f32` register used where an address is required\n"
            " --> e.ptx:6:22   in entry `e`\n"
            "  |\n"
            "6 |   ld.global.f32 %f1, [%f2+16];\n"
            "  |                      ^^^^^^^^\n"
            "  = note: `%f2` is declared .f32 (e.ptx:5:13)\n") != std::string::npos);
}

TEST_CASE("Every form of the table can be written as its own syntax says, in any order of declaration") {
  // The modifiers of each form, first value of each mandatory slot, must lead back to candidates that include
  // a form of that mnemonic.
  size_t checked = 0;
  for (const Form& form : isa_table().forms()) {
    std::string opcode = form.instruction->mnemonic;
    for (const ModifierSlot& slot : form.mods)
      if (!slot.optional) opcode += slot.values[0].text;
    const auto result =
        parse_module(std::string(kHead) + ".entry e() { " + opcode + " ; }\n", "t.ptx", isa_table(), {});
    for (const Diagnostic& d : result.diagnostics) {
      INFO(opcode << ": " << d.message);
      CHECK(d.problem != Problem::kInstruction);
      CHECK(d.problem != Problem::kModifier);
    }
    ++checked;
  }
  CHECK(checked > 100);
}
