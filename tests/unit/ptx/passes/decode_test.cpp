// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "base/error.h"
#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

template <class T>
T constant_value(const Program& p, Place place) {
  T value;
  std::memcpy(&value, p.constants.data() + static_cast<uint32_t>(~place.at), sizeof value);
  return value;
}

const Instr& first_of(const Program& p, OpClass op) {
  for (const Instr& in : p.code) {
    if (static_cast<OpClass>(in.op_class) == op) return in;
  }
  throw Error(ErrorKind::kInternal, "no such instruction in the test's program");
}

TEST_CASE("Kernel parameters lie one after another, each at its own alignment") {
  const auto t = test_program(
      ".visible .entry k(.param .u8 a, .param .u64 b, .param .u16 c, .param .align 16 .b8 d[20], .param .u32 "
      "e)\n{ ret; }\n");
  const auto& params = t.program->params;
  REQUIRE(params.size() == 5);
  CHECK(params[0].offset == 0);
  CHECK(params[1].offset == 8);
  CHECK(params[2].offset == 16);
  CHECK(params[3].offset == 32);
  CHECK(params[4].offset == 52);
  CHECK(t.program->param_bytes == 56);
}

TEST_CASE(
    "Shared memory is laid out as ptxas does: the kernel's variables, then the module's, then dynamic "
    "arrays") {
  // Offsets as ptxas 13.0 gives them for this text.
  const auto t = test_program(
      ".shared .align 4 .b8 g1[12];\n.shared .align 1 .b8 unused[77];\n.shared .align 16 .b8 g2[32];\n"
      ".extern .shared .align 128 .b8 dynamic[];\n" +
      test_kernel(".shared .align 1 .b8 a[3];\n.shared .align 8 .b8 b[8];\n.shared .align 128 .b8 e[256];\n"
                  "mov.u32 %r2, g1; mov.u32 %r3, g2; mov.u32 %r4, a; mov.u32 %r5, b; mov.u32 %r6, e; mov.u32 "
                  "%r7, dynamic;\n"
                  "st.global.u32 [%rd1], %r2; st.global.u32 [%rd1], %r3; st.global.u32 [%rd1], %r4;\n"
                  "st.global.u32 [%rd1], %r5; st.global.u32 [%rd1], %r6; st.global.u32 [%rd1], %r7;"));
  std::vector<uint32_t> offsets;
  for (const Instr& in : t.program->code) {
    if (static_cast<OpClass>(in.op_class) == OpClass::mov && in.ops[1].constant()) {
      offsets.push_back(constant_value<uint32_t>(*t.program, in.ops[1]));
    }
  }
  CHECK(offsets == std::vector<uint32_t>{384, 400, 0, 8, 128, 512});
  CHECK(t.program->shared_static_bytes == 512);
  CHECK(t.program->dynamic_shared_align == 128);
}

TEST_CASE("An address keeps its offset apart from its base register") {
  const auto t = test_program(test_kernel("ld.global.u32 %r2, [%rd1+20]; st.global.u32 [%rd1+-4], %r2;"));
  CHECK(first_of(*t.program, OpClass::ldg).imm == 20);
  CHECK(first_of(*t.program, OpClass::stg).imm == -4);
  CHECK(!first_of(*t.program, OpClass::stg).ops[0].constant());
}

TEST_CASE("A symbol as address is a row of zeros plus its address") {
  const auto t = test_program(".global .align 4 .b8 table[64];\n.global .align 8 .b8 other[64];\n" +
                              test_kernel("ld.global.u32 %r2, [other+12]; st.global.u32 [%rd1], %r2;"));
  const Instr& load = first_of(*t.program, OpClass::ldg);
  REQUIRE(load.ops[1].constant());
  CHECK(constant_value<uint64_t>(*t.program, load.ops[1]) == 0);
  CHECK(load.imm == 0x7000'0000'0000 + 64 + 12);
}

TEST_CASE("Immediates are rows of their operand's width, each value once") {
  const auto t = test_program(test_kernel(
      "add.s32 %r2, %r1, 7; add.s32 %r3, %r2, 7; add.f32 %f1, %f2, 1.5; add.f64 %d1, %d2, 0f3fc00000;\n"
      "st.global.u32 [%rd1], %r3; st.global.f32 [%rd1], %f1; st.global.f64 [%rd1], %d1;"));
  std::vector<Place> sevens;
  for (const Instr& in : t.program->code) {
    if (static_cast<OpClass>(in.op_class) == OpClass::iadd) sevens.push_back(in.ops[2]);
  }
  REQUIRE(sevens.size() == 2);
  CHECK(sevens[0].at == sevens[1].at);
  CHECK(constant_value<float>(*t.program, first_of(*t.program, OpClass::fadd).ops[2]) == 1.5f);
  // Not converted: the H200 takes the 32 bits of a `0f` constant as they are.
  CHECK(constant_value<uint64_t>(*t.program, first_of(*t.program, OpClass::dadd).ops[2]) == 0x3fc00000);
}

TEST_CASE("Vector operands stand in order in the list of extra places") {
  const auto t =
      test_program(test_kernel("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n"
                               "st.global.v2.f32 [%rd1], {%f4, %f1}; st.global.v2.f32 [%rd1], {%f2, %f3};"));
  const Instr& load = first_of(*t.program, OpClass::ldg);
  const Instr& store = first_of(*t.program, OpClass::stg);
  CHECK(load.vec == 4);
  CHECK(store.vec == 2);
  const auto element = [&](Place list, unsigned k) {
    return t.program->extra[static_cast<uint32_t>(list.at) + k].at;
  };
  CHECK(element(store.ops[1], 0) == element(load.ops[0], 3));
  CHECK(element(store.ops[1], 1) == element(load.ops[0], 0));
}

TEST_CASE("Registers that never live together share a row") {
  std::string body;
  for (int k = 2; k < 28; ++k) {
    body += "add.s32 %r" + std::to_string(k) + ", %r" + std::to_string(k - 1) + ", %r1;\n";
  }
  body += "st.global.u32 [%rd1], %r27;";
  PassOptions apart;
  apart.reuse_rows = false;
  const auto shared = test_program(test_kernel(body)), separate = test_program(test_kernel(body), apart);
  CHECK(separate.program->functions[0].frame_bytes >= 27 * 128);
  CHECK(shared.program->functions[0].frame_bytes <= 6 * 128);
}

TEST_CASE("What nobody reads is not computed") {
  const auto t =
      test_program(test_kernel("add.s32 %r2, %r1, 7; mul.lo.s32 %r3, %r2, %r2; ld.global.u32 %r4, [%rd1];\n"
                               "ld.volatile.global.u32 %r5, [%rd1];"));
  CHECK(count_class(*t.program, OpClass::iadd) == 0);
  CHECK(count_class(*t.program, OpClass::imad) == 0);
  CHECK(count_class(*t.program, OpClass::ldg) == 1);  // the volatile one
}

TEST_CASE("A call of a function that nobody defines is refused with its name") {
  const std::string text =
      ".extern .func (.param .b32 r) mystery(.param .b32 a);\n" +
      test_kernel("{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 r; call (r), mystery, (a); }");
  CHECK_THROWS_WITH(test_program(text), Catch::Matchers::ContainsSubstring("mystery"));
}

TEST_CASE("Arguments of a call stand in the caller's local frame and the callee's") {
  const auto t = test_program(
      ".func (.param .b32 r) twice(.param .b64 unused, .param .b32 a)\n{ .reg .b32 %r<3>; ld.param.b32 %r1, "
      "[a];"
      " add.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }\n" +
      test_kernel(
          "{ .param .b64 x; .param .b32 a; .param .b32 r; st.param.b64 [x], %rd1; st.param.b32 [a], %r1;\n"
          " call (r), twice, (x, a); ld.param.b32 %r2, [r]; } st.global.u32 [%rd1], %r2;"));
  const Program& p = *t.program;
  REQUIRE(p.functions.size() == 2);
  REQUIRE(p.calls.size() == 1);
  const CallSite& call = p.calls[0];
  CHECK(call.function == 1);
  REQUIRE(call.arguments.size() == 2);
  CHECK(call.arguments[1].bytes == 4);
  CHECK(call.arguments[1].local == 8);
  CHECK(p.functions[1].params[1].local == 8);
  CHECK(p.functions[0].local_bytes % 16 == 0);
  for (const Instr& in : p.code) {
    if (in.kind == InstrKind::kCall) CHECK(in.target == p.functions[1].entry);
  }
}

}  // namespace
}  // namespace gpuloom::ptx
