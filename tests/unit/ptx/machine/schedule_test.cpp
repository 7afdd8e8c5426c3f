// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

// Operations in the order of the machine program, a letter each of those that `letters` names.
std::string order_of(const Lowered& l, const std::vector<std::pair<OpClass, char>>& letters) {
  std::string out;
  for (const MachineOp& op : l.machine.ops) {
    for (const auto& [what, letter] : letters) {
      if (op.op == what) out += letter;
    }
  }
  return out;
}

TEST_CASE("A kernel begins with the load of its stack pointer") {
  const auto l =
      lowered_text(test_kernel("mov.u32 %r2, %clock; add.u32 %r2, %r2, %r1; st.global.u32 [%rd1], %r2;"),
                   Loops::kUnrolled);
  REQUIRE(!l.machine.ops.empty());
  CHECK(l.machine.ops[0].op == OpClass::ldc);
  CHECK(l.machine.ops[0].constant_offset == 0x28);
}

TEST_CASE("Operations of other pipes stand between those of the ALU, which takes one every second cycle") {
  MachineModel model = plain_model();
  std::string body = "ld.global.u32 %r2, [%rd1]; ld.global.f32 %f1, [%rd1+4];";
  for (int k = 3; k < 7; ++k) body += "mul.f32 %f" + std::to_string(k) + ", %f1, %f1;";
  for (int k = 3; k < 7; ++k) body += "xor.b32 %r" + std::to_string(k) + ", %r2, " + std::to_string(k) + ";";
  for (int k = 3; k < 7; ++k) {
    body += "st.global.u32 [%rd1+" + std::to_string(8 * k) + "], %r" + std::to_string(k) + ";";
    body += "st.global.f32 [%rd1+" + std::to_string(8 * k + 4) + "], %f" + std::to_string(k) + ";";
  }
  const auto order = [&] {
    return order_of(lowered_text(test_kernel(body), Loops::kUnrolled, model),
                    {{OpClass::lop3, 'a'}, {OpClass::fmul, 'f'}});
  };
  CHECK(order() == "ffffaaaa");
  model.latency[static_cast<size_t>(OpClass::lop3)].alu_interval = 2;
  CHECK(order() == "fafafafa");
}

TEST_CASE("A barrier comes behind arithmetic that is written before it and waits for its operands") {
  const auto l = lowered_text(
      test_kernel("mov.u32 %r2, %tid.x; xor.b32 %r3, %r2, %r1; and.b32 %r4, %r2, %r1; bar.sync 0;\n"
                  "mov.u32 %r5, %clock; mov.u32 %r6, 0; TURN: add.u32 %r3, %r3, %r4; add.u32 %r6, %r6, 1;"
                  "setp.ne.u32 %p1, %r6, 9; @%p1 bra TURN; st.global.v2.u32 [%rd1], {%r3, %r5};"),
      Loops::kAsWritten);
  CHECK(order_of(l, {{OpClass::lop3, 'l'}, {OpClass::bar, 'b'}}) == "llb");
}

TEST_CASE("Loads of global memory rise above atomics of shared memory, and none above one of their own") {
  const auto order = [&](const std::string& space) {
    return order_of(
        lowered_text(
            test_kernel("ld.global.u32 %r2, [%rd1]; atom." + space + ".add.u32 %r3, [" +
                        (space == "shared" ? "%r2" : "%rd1") +
                        "], 1; ld.global.u32 %r4, [%rd1+64];"
                        "add.u32 %r4, %r4, %r3; add.u32 %r4, %r4, %r2; st.global.u32 [%rd1+128], %r4;"),
            Loops::kUnrolled),
        {{OpClass::ldg, 'l'}, {OpClass::atoms, 'a'}, {OpClass::atomg, 'a'}});
  };
  CHECK(order("shared") == "lla");
  CHECK(order("global") == "lal");
}

TEST_CASE("A parameter that is needed behind a clock read is loaded behind it") {
  const auto l =
      lowered_text(test_kernel("mov.u32 %r2, %clock; mad.lo.u32 %r3, %r1, %r1, %r1; st.shared.u32 [0], %r3;\n"
                               "mov.u32 %r4, %clock; st.global.v2.u32 [%rd1], {%r2, %r4};"),
                   Loops::kUnrolled);
  size_t clock = 0, load = 0;
  for (size_t k = l.machine.ops.size(); k-- > 0;) {
    if (l.machine.ops[k].op == OpClass::cs2r || l.machine.ops[k].op == OpClass::s2r) clock = k;
    if (l.machine.ops[k].op == OpClass::ldc && l.machine.ops[k].constant_offset == 0x218) load = k;
  }
  CHECK(clock < load);
}

TEST_CASE("What moves to the other pipe is spread over all that could move") {
  std::string body = "ld.global.u32 %r2, [%rd1];";
  for (int k = 3; k < 15; ++k)
    body += "add.u32 %r" + std::to_string(k) + ", %r" + std::to_string(k - 1) +
            ", 7;\n st.global.u32 [%rd1+" + std::to_string(4 * k) + "], %r" + std::to_string(k) + ";";
  const std::string order = order_of(lowered_text(test_kernel(body), Loops::kUnrolled),
                                     {{OpClass::iadd, 'a'}, {OpClass::imad, 'm'}});
  CHECK(order == "amamamamamam");
}

// A remainder by hand: what is begun holds several values until it is finished.
std::string remainder(const std::string& to, const std::string& of) {
  return "mul.hi.u32 %r3, " + of + ", %r2; mul.lo.s32 %r4, %r3, %r1; sub.s32 %r4, " + of +
         ", %r4; setp.gt.s32 %p1, %r4, %r1; sub.s32 %r5, %r4, %r1; selp.b32 " + to +
         ", %r5, %r4, %p1; xor.b32 " + to + ", " + to + ", %r3;\n";
}

TEST_CASE(
    "Where registers run short, loads at computed addresses still stand together in front of their sum") {
  constexpr int kLoads = 16;
  const auto r = [](int k) { return "%r" + std::to_string(k); };
  const auto f = [](int k) { return "%f" + std::to_string(k); };
  std::string text =
      ".visible .entry k(.param .u64 p) .maxnreg 40 {\n.reg .pred %p<2>; .reg .b32 %r<90>;\n"
      ".reg .b64 %rd<4>; .reg .f32 %f<90>; .shared .b32 s[64];\n"
      "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; mov.f32 %f1, "
      "0f00000000;\n";
  for (int k = 0; k < kLoads; ++k)
    text += "ld.shared.u32 " + r(10 + k) + ", [" + std::to_string(8 * k) + "];\n";
  for (int k = 0; k < kLoads; ++k) {
    text += remainder("%r6", r(10 + k)) + "add.s32 %r7, " + r(10 + k) + ", 7;" + remainder("%r8", "%r7") +
            "mad.lo.s32 %r9, %r6, %r1, %r8; mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2;"
            "ld.global.f32 " +
            f(10 + k) + ", [%rd3]; add.f32 %f1, %f1, " + f(10 + k) + ";\n";
  }
  for (int k = 0; k < kLoads; ++k)
    text += "cvt.rn.f32.s32 %f2, " + r(10 + k) + "; fma.rn.f32 %f3, %f2, %f1, " + f(10 + k) +
            "; st.global.f32 [%rd1+" + std::to_string(4 * k) + "], %f3;\n";
  const auto l = lowered_text(text + "ret; }", Loops::kUnrolled);
  const std::string order = order_of(l, {{OpClass::ldg, 'l'}, {OpClass::fadd, 'a'}});
  CHECK(order == std::string(kLoads + 2, 'l') + std::string(kLoads, 'a'));
}

}  // namespace
}  // namespace gpuloom::ptx
