// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "ptx/isa/table/isa_builder.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::ptx;

namespace {

struct Table {
  IsaTable table;
  IsaBuilder isa{table};
  const Form& last() const { return table.forms().back(); }
};

std::string problem_of(const char* mnemonic, const char* syntax) {
  Table t;
  t.isa.instruction(mnemonic, "1", "test");
  try {
    t.isa.form(syntax);
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kInternal);
    CHECK(e.message().find(syntax) != std::string::npos);
    return e.message();
  }
  return "";
}

}  // namespace

TEST_CASE("A form's modifiers are literals until a set gives them choices") {
  Table t;
  t.isa.instruction("mul24", "9.7.1.8", "Multiply.");
  t.isa.form("mul24.mode{.sat}.type d, a, b")
      .set(".mode", ".hi .lo")
      .set(".type", ".u32 .s32@8.0,sm_90|sm_100f");
  const Form& form = t.last();
  REQUIRE(form.mods.size() == 3);
  CHECK(form.mods[0].values[1].text == ".lo");
  CHECK(form.mods[1].optional);
  CHECK(form.mods[1].values[0].text == ".sat");
  CHECK(form.mods[2].values[1].type == Type::kS32);
  CHECK(form.mods[2].values[1].since == "8.0");
  CHECK(form.mods[2].values[1].needs == std::vector<std::string>{"sm_90", "sm_100f"});
  REQUIRE(form.operands.size() == 3);
  CHECK(form.operands[0].destination);
  CHECK_FALSE(form.operands[1].destination);
  CHECK(form.operands[2].type_slot == 2);
  CHECK(t.table.forms_of("mul24").size() == 1);
}

TEST_CASE("Operands take the type that the declaration gives them") {
  Table t;
  t.isa.instruction("dp4a", "1", "");
  t.isa.form("dp4a.atype.btype d:u32, a:.atype, b, c:any")
      .set(".atype", ".u32 .s32")
      .set(".btype", ".u32 .s32");
  const Form& form = t.last();
  CHECK(form.operands[0].type == Type::kU32);
  CHECK(form.operands[1].type_slot == 0);
  CHECK(form.operands[2].type_slot == 1);
  CHECK(form.operands[3].type_slot == -1);
}

TEST_CASE("A literal type is the type of the operands that name none") {
  Table t;
  t.isa.instruction("lop3", "1", "");
  t.isa.form("lop3.b32 d, a, b, c, #immLut");
  CHECK(t.last().operands[1].type_slot == 0);
  CHECK(t.last().operands[4].shape == OperandShape::kImmediate);
}

TEST_CASE("Pairs give two slots, the second a predicate and perhaps optional") {
  Table t;
  t.isa.instruction("shfl", "1", "");
  t.isa.form("shfl.sync.b32 d{|p}, a, b, c");
  const Form& form = t.last();
  REQUIRE(form.operands.size() == 5);
  CHECK(form.operands[0].shape == OperandShape::kPair);
  CHECK(form.operands[1].type == Type::kPred);
  CHECK(form.operands[1].optional);
  CHECK(form.operands[1].destination);
  CHECK(form.operands[0].type_slot == 1);
}

TEST_CASE("Optional operands, addresses, vectors, lists and negations have their shapes") {
  Table t;
  t.isa.instruction("x", "1", "");
  t.isa.form("x.v.f32 d*, [a]{, b}{, {!}c}, e+, [t, {f}], @l, $s");
  const Form& form = t.last();
  REQUIRE(form.operands.size() == 8);
  CHECK(form.operands[0].shape == OperandShape::kVectorOrPlain);
  CHECK(form.operands[1].shape == OperandShape::kAddress);
  CHECK(form.operands[2].optional);
  CHECK(form.operands[3].negatable);
  CHECK(form.operands[3].optional);
  CHECK(form.operands[3].type == Type::kPred);
  CHECK(form.operands[4].shape == OperandShape::kList);
  CHECK(form.operands[5].shape == OperandShape::kTensor);
  CHECK(form.operands[6].shape == OperandShape::kLabel);
  CHECK(form.operands[7].shape == OperandShape::kSymbol);
}

TEST_CASE("A call has an optional result list before the callee and an optional table behind it") {
  Table t;
  t.isa.instruction("call", "1", "");
  t.isa.form("call{.uni} {(ret), }&func{, (args)}{, $table}");
  const Form& form = t.last();
  REQUIRE(form.operands.size() == 4);
  CHECK(form.operands[0].shape == OperandShape::kCallList);
  CHECK(form.operands[0].optional);
  CHECK(form.operands[0].destination);
  CHECK(form.operands[1].shape == OperandShape::kFunction);
  CHECK_FALSE(form.operands[1].optional);
  CHECK_FALSE(form.operands[2].destination);
}

TEST_CASE("A first operand that is an address is not a destination register") {
  Table t;
  t.isa.instruction("st", "1", "");
  t.isa.form("st.type [d], a").set(".type", ".b32");
  CHECK_FALSE(t.last().operands[0].destination);
}

TEST_CASE("A malformed declaration says what is wrong and where") {
  CHECK(problem_of("add", "sub.f32 d, a") != "");
  CHECK(problem_of("add", "add.f32 d,, a") != "");
  CHECK(problem_of("add", "add.f32 d a") != "");
  CHECK(problem_of("add", "add{.sat.ftz} d") != "");
  CHECK(problem_of("add", "add. d") != "");
  CHECK(problem_of("add", "add.f32 d, a{b}") != "");
  CHECK(problem_of("add", "add.f32 d, a{, b") != "");
  CHECK(problem_of("add", "add.f32 d:f33, a") != "");
  CHECK(problem_of("add", "add.f32 d, [a") != "");
  CHECK(problem_of("add", "add.f32 d, a:.nosuch").find(".nosuch") != std::string::npos);
  CHECK(problem_of("add", "add.f32 d, a") == "");
}

TEST_CASE("A set that the form does not have, or a value without its dot, is refused") {
  Table t;
  t.isa.instruction("add", "1", "");
  FormBuilder form = t.isa.form("add.type d, a");
  CHECK_THROWS_AS(form.set(".rnd", ".rn"), Error);
  CHECK_THROWS_AS(form.set(".type", "f32"), Error);
  CHECK_THROWS_AS(form.set(".type", ".f32@nine"), Error);
  CHECK_THROWS_AS(form.since("nine"), Error);
  CHECK_THROWS_AS(form.needs("hopper"), Error);
}

TEST_CASE("A use of a form answers for its modifiers and operands") {
  Table t;
  t.isa.instruction("ld", "1", "");
  t.isa.form("ld{.space}{.vec}.type d*, [a]")
      .set(".space", ".global .param")
      .set(".vec", ".v2 .v4")
      .set(".type", ".f32");
  Function function;
  function.registers = {{"%f1", Type::kF32, 1, {}}, {"%rd1", Type::kU64, 1, {}}};
  Operand first, address, element;
  first.kind = OperandKind::kVector;
  first.first_child = 2;
  first.child_count = 2;
  address.kind = OperandKind::kAddress;
  element.kind = OperandKind::kRegister;
  Operand sink;
  sink.kind = OperandKind::kSink;
  function.operand_pool = {first, address, sink, element};
  Instruction in;
  in.form = &t.last();
  in.mods[0] = 2;
  in.mods[1] = 1;
  in.mods[2] = 1;
  in.operand_count = 2;
  const FormUse use(t.last(), in, &function);
  CHECK(use.mod(".space") == ".param");
  CHECK(use.space() == Space::kParamFunction);
  CHECK(use.vec() == 2);
  CHECK(use.type() == Type::kF32);
  CHECK(use.has(".v2"));
  CHECK_FALSE(use.has(".v4"));
  CHECK(use.element_count(0) == 2);
  CHECK(use.register_bits(0) == 32);
  CHECK(use.operand(7).kind == OperandKind::kNone);
}
