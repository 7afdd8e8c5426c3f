// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/lower.h"

#include <map>

#include "base/error.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& body, Lowering how = Lowering::kMachine) {
  LoweringOptions options;
  options.lowering = how;
  return lowered_text(test_kernel(body), Loops::kUnrolled, plain_model(), options);
}

std::map<OpClass, unsigned> count(const MachineProgram& m) {
  std::map<OpClass, unsigned> out;
  for (const MachineOp& op : m.ops) ++out[op.op];
  return out;
}

const std::string kIndexed =
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "setp.ge.s32 %p1, %r5, %r1; @%p1 bra END; cvta.to.global.u64 %rd2, %rd1; mul.wide.s32 %rd3, %r5, 4;\n"
    "add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd4+64]; add.f32 %f3, %f1, "
    "%f2;\n"
    "st.global.f32 [%rd4], %f3;\nEND:";

TEST_CASE("Every decoded instruction takes effect exactly once, in the order of the program") {
  for (const Lowering how : {Lowering::kNone, Lowering::kMachine}) {
    const auto l = lowered(kIndexed, how);
    const Program& p = *l.machine.program;
    REQUIRE(l.machine.blocks.size() == p.blocks.size());
    for (size_t b = 0; b < p.blocks.size(); ++b) {
      uint32_t next = p.blocks[b].first;
      const MachineBlock& block = l.machine.blocks[b];
      for (uint32_t k = block.first; k < block.first + block.count; ++k) {
        const MachineOp& op = l.machine.ops[k];
        if (op.exec_count == 0) continue;
        CHECK(op.exec_first == next);
        next += op.exec_count;
      }
      CHECK(next == p.blocks[b].last + 1);
    }
  }
}

TEST_CASE("The operations of an indexed kernel are those of ptxas") {
  // LDC R1, ULDC desc, S2R, S2R, ULDC ntid, IMAD, ULDC n, ISETP, @P0 EXIT, LDC.64 p, IMAD.WIDE, LDG, LDG,
  // FADD, STG, EXIT
  const auto l = lowered(kIndexed);
  auto n = count(l.machine);
  CHECK(n[OpClass::ldc] == 5);
  CHECK(n[OpClass::s2r] == 2);
  CHECK(n[OpClass::imad] == 1);
  CHECK(n[OpClass::imad_wide] == 1);
  CHECK(n[OpClass::isetp] == 1);
  CHECK(n[OpClass::ldg] == 2);
  CHECK(n[OpClass::exit] == 2);
  CHECK(l.machine.ops.size() == 16);
  CHECK(l.machine.registers_per_thread == 16);
}

TEST_CASE("Without lowering each instruction is one operation") {
  const auto l = lowered(kIndexed, Lowering::kNone);
  CHECK(l.machine.ops.size() == l.source.program->code.size());
}

TEST_CASE("A load's result is guarded by a scoreboard that its first use waits for") {
  const auto l = lowered("ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd1], %f2;");
  uint8_t board = kNoScoreboard;
  bool waited = false;
  for (const MachineOp& op : l.machine.ops) {
    if (op.op == OpClass::ldg) board = op.write_scoreboard;
    if (op.op == OpClass::fadd) waited = (op.wait_mask >> board & 1u) != 0;
  }
  CHECK(board < 6);
  CHECK(waited);
}

TEST_CASE("A fixed latency is covered by stall counts") {
  const auto l = lowered(
      "ld.global.u32 %r2, [%rd1]; add.s32 %r3, %r2, 1; xor.b32 %r4, %r3, %r2; popc.b32 %r5, %r4;"
      " st.global.u32 [%rd1], %r5;");
  for (const MachineOp& op : l.machine.ops) {
    if (op.op == OpClass::iadd || op.op == OpClass::lop3) CHECK(op.stall >= 4);
  }
}

TEST_CASE("Loads that do not depend on one another are issued before their uses") {
  const auto l = lowered(
      "ld.global.f32 %f1, [%rd1]; add.f32 %f5, %f1, %f1; ld.global.f32 %f2, [%rd1+4]; add.f32 %f6, %f5, %f2;"
      " st.global.f32 [%rd1+8], %f6;");
  std::vector<OpClass> order;
  for (const MachineOp& op : l.machine.ops) {
    if (op.op == OpClass::ldg || op.op == OpClass::fadd || op.op == OpClass::stg) order.push_back(op.op);
  }
  CHECK(order ==
        std::vector<OpClass>{OpClass::ldg, OpClass::ldg, OpClass::fadd, OpClass::fadd, OpClass::stg});
}

TEST_CASE("A load stays behind a store that may hit the same place, and passes one that cannot") {
  const auto order = [](const std::string& body) {
    std::string text;
    for (const MachineOp& op : lowered(body).machine.ops) {
      if (op.op == OpClass::ldg) text += "L";
      if (op.op == OpClass::stg) text += "S";
    }
    return text;
  };
  const std::string head =
      "mul.wide.u32 %rd5, %r1, 8; add.s64 %rd6, %rd1, %rd5; cvt.rn.f32.u32 %f1, %r1; ex2.approx.ftz.f32 %f1, "
      "%f1;";
  const std::string tail = " add.f32 %f3, %f2, %f2; st.global.f32 [%rd1+64], %f3;";
  CHECK(order(head + "st.global.f32 [%rd6], %f1; ld.global.f32 %f2, [%rd1];" + tail) == "SLS");
  CHECK(order(head + "st.global.f32 [%rd1], %f1; ld.global.f32 %f2, [%rd1+4];" + tail) == "LSS");
}

TEST_CASE("Adjacent shared loads of a thread become one where the base is known to be aligned") {
  const auto widths = [](const std::string& base, const std::string& between) {
    std::vector<unsigned> out;
    const std::string body =
        ".shared .align 16 .b8 s[4096]; mov.u32 %r2, s; mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, " + base +
        "; add.s32 %r5, %r2, %r4; ld.shared.f32 %f1, [%r5+16]; ld.shared.f32 %f2, [%r5+24];" + between +
        " ld.shared.f32 %f3, [%r5+28]; ld.shared.f32 %f4, [%r5+20]; add.f32 %f5, %f1, %f2; add.f32 %f6, %f3, "
        "%f4; add.f32 %f7, %f5, %f6; st.global.f32 [%rd1], %f7;";
    for (const MachineOp& op : lowered(body).machine.ops) {
      if (op.op == OpClass::lds) out.push_back(op.lane_bytes);
    }
    return out;
  };
  CHECK(widths("4", "") == std::vector<unsigned>{16});
  CHECK(widths("3", "") == std::vector<unsigned>{8, 8});
  CHECK(widths("2", "") == std::vector<unsigned>{4, 4, 4, 4});
  CHECK(widths("4", "bar.sync 0;") == std::vector<unsigned>{4, 4, 4, 4});
}

TEST_CASE("Shared loads of one place in front of and behind a barrier become two wide loads") {
  const std::string body =
      ".shared .align 16 .b8 s[4096]; mov.u32 %r2, s; mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 3; add.s32 %r5, "
      "%r2, %r4; "
      "ld.shared.f32 %f1, [%r5]; ld.shared.f32 %f2, [%r5+4]; add.f32 %f3, %f1, %f2; bar.sync 0; "
      "ld.shared.f32 %f4, [%r5]; ld.shared.f32 %f5, [%r5+4]; add.f32 %f6, %f4, %f5; add.f32 %f7, %f3, %f6; "
      "st.global.f32 [%rd1], %f7;";
  std::vector<unsigned> widths;
  for (const MachineOp& op : lowered(body).machine.ops) {
    if (op.op == OpClass::lds) widths.push_back(op.lane_bytes);
  }
  CHECK(widths == std::vector<unsigned>{8, 8});
}

TEST_CASE("Adjacent shared loads under one guard become one, under two they do not") {
  const auto loads = [](const std::string& second) {
    const std::string body =
        ".shared .align 16 .b8 s[4096]; mov.u32 %r2, s; mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 3; add.s32 "
        "%r5, %r2, %r4; setp.lt.u32 %p1, %r3, %r1; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1;\n"
        "@%p1 ld.shared.f32 %f1, [%r5]; " +
        second + " ld.shared.f32 %f2, [%r5+4]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd1], %f3;";
    unsigned n = 0;
    for (const MachineOp& op : lowered(body).machine.ops) n += op.op == OpClass::lds ? 1 : 0;
    return n;
  };
  CHECK(loads("@%p1") == 1);
  CHECK(loads("@!%p1") == 2);
  CHECK(loads("") == 2);
  CHECK(loads("setp.gt.u32 %p1, %r3, 7; @%p1") == 2);
}

TEST_CASE("Adjacent shared stores become one unless a load between them sees the first") {
  const auto stores = [](const std::string& between) {
    unsigned n = 0;
    const std::string body =
        ".shared .align 16 .b8 s[4096]; mov.u32 %r2, s; mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 3; add.s32 "
        "%r5, "
        "%r2, %r4; st.shared.u32 [%r5], %r3;" +
        between + " st.shared.u32 [%r5+4], %r1; ld.shared.u32 %r7, [%r5]; st.global.u32 [%rd1], %r7;";
    for (const MachineOp& op : lowered(body).machine.ops) n += op.op == OpClass::sts ? 1 : 0;
    return n;
  };
  CHECK(stores("") == 1);
  CHECK(stores("ld.shared.u8 %r6, [%r5]; st.global.u32 [%rd1+8], %r6;") == 2);
}

TEST_CASE("What a division needs of its divisor alone is computed before the loop") {
  MachineModel model = plain_model();
  const auto divide = static_cast<size_t>(OpClass::rem_u32);
  model.sequence[divide] = {OpClass::mufu, OpClass::imad_hi, OpClass::imad};
  model.divisor_steps[divide] = 1;
  PassOptions options;
  options.reuse_rows = false;
  options.set("unroll", false);
  const auto t = test_program(
      test_kernel(
          "mov.u32 %r2, 100;\nL: ld.global.u32 %r3, [%rd1]; rem.u32 %r4, %r3, %r1; rem.u32 %r5, %r4, %r1;"
          " st.global.u32 [%rd1], %r5; add.s32 %r2, %r2, -1; setp.ne.s32 %p1, %r2, 0; @%p1 bra L;"),
      options);
  const MachineProgram m = lower(*t.program, model);
  unsigned before = 0, inside = 0;
  for (size_t b = 0; b < m.blocks.size(); ++b) {
    for (uint32_t k = m.blocks[b].first; k < m.blocks[b].first + m.blocks[b].count; ++k) {
      if (m.ops[k].op == OpClass::mufu) ++(b == 0 ? before : inside);
    }
  }
  CHECK(before == 1);
  CHECK(inside == 0);
}

TEST_CASE("The listing shows PTX beside operations") {
  const std::string text = describe(lowered(kIndexed).machine);
  CHECK(text.find("IMAD.WIDE") != std::string::npos);
  CHECK(text.find("mul.wide.s32") != std::string::npos);
  CHECK(text.find("stall") != std::string::npos);
}

TEST_CASE("An operation class without a row in the configuration is an error that names it") {
  MachineModel model = plain_model();
  model.latency[static_cast<size_t>(OpClass::ldg)].interval = 0;
  const auto t = test_program(test_kernel("ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+4], %r2;"));
  CHECK_THROWS_WITH(lower(*t.program, model), Catch::Matchers::ContainsSubstring("ldg"));
}

}  // namespace
}  // namespace gpuloom::ptx
