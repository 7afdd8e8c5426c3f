// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& body) { return lowered_text(test_kernel(body), Loops::kUnrolled); }

TEST_CASE("A 64-bit product of which only the lower half is stored is one IMAD") {
  const auto l = lowered(
      "ld.global.u64 %rd2, [%rd1]; mul.lo.s64 %rd3, %rd2, %rd2; cvt.u32.u64 %r2, %rd3;\n"
      "st.global.u32 [%rd1+8], %r2;");
  CHECK(l.count(OpClass::imad) == 1);
  CHECK(l.count(OpClass::mul64) == 0);
}

TEST_CASE("A mask with an empty upper half needs one LOP3, a full one two") {
  for (const bool empty : {true, false}) {
    const auto l = lowered("ld.global.u64 %rd2, [%rd1]; and.b64 %rd3, %rd2, " +
                           std::string(empty ? "4092" : "-4") + "; st.global.u64 [%rd1+8], %rd3;");
    CHECK(l.count(OpClass::lop3) + 2 * l.count(OpClass::logic64) == (empty ? 1u : 2u));
  }
}

TEST_CASE("A special register is read again behind a loop that branches, and kept behind one that does not") {
  const auto reads = [](const std::string& in_loop) {
    return lowered_text(test_kernel("mov.u32 %r2, %tid.x; st.global.u32 [%rd1], %r2; mov.u32 %r4, 0;\n"
                                    "L: " +
                                    in_loop +
                                    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra L;\n"
                                    "E: mov.u32 %r5, %tid.x; st.global.u32 [%rd1+8], %r5;"),
                        Loops::kAsWritten)
        .count(OpClass::s2r);
  };
  CHECK(reads("st.global.u32 [%rd1+4], %r4; ") == 1);
  CHECK(reads("ld.global.u32 %r6, [%rd1+16]; setp.eq.u32 %p2, %r6, 3; @%p2 bra E;\n") == 2);
}

TEST_CASE("A special register that each turn of a loop with a branch reads again is read in front of it") {
  const auto reads = [](const std::string& front, const std::string& side) {
    return lowered_text(
        test_kernel("mov.u32 %r4, 0;\nL: " + front +
                    "ld.global.u32 %r6, [%rd1+16]; setp.eq.u32 %p2, %r6, 3; @%p2 bra S;\n"
                    "st.global.u32 [%rd1+4], %r6; bar.sync 0; " +
                    side + "\nS: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra L;"),
        Loops::kAsWritten);
  };
  const auto before_loop = [](const Lowered& l) {
    size_t first = l.machine.ops.size(), reads = 0;
    for (size_t k = 0; k < first; ++k) {
      if (l.machine.ops[k].op == OpClass::ldg) break;
      reads += l.machine.ops[k].op == OpClass::s2r ? 1 : 0;
    }
    return reads;
  };
  const std::string use = "mov.u32 %r5, %tid.x; st.global.u32 [%rd1+8], %r5; ";
  CHECK(reads(use, "").count(OpClass::s2r) == 1);
  CHECK(before_loop(reads(use, "")) == 1);
  CHECK(reads("", use).count(OpClass::s2r) == 1);
  CHECK(before_loop(reads("", use)) == 0);
  CHECK(reads(use, use).count(OpClass::s2r) == 2);
}

TEST_CASE("A warp reduction leaves its result in a uniform register and takes a move") {
  const auto l = lowered("redux.sync.add.s32 %r2, %r1, -1; st.global.u32 [%rd1], %r2;");
  CHECK(l.count(OpClass::redux) == 1);
  CHECK(l.count(OpClass::mov) == 1);
}

TEST_CASE("A fence of the device invalidates the first-level cache, one of the block does not") {
  CHECK(lowered("membar.gl;").count(OpClass::ccctl) == 1);
  CHECK(lowered("membar.cta;").count(OpClass::ccctl) == 0);
}

TEST_CASE("A release has a fence in front, an acquire forgets the first-level cache behind it") {
  struct Case {
    const char* text;
    unsigned fences, forgets;
  };
  for (const Case c :
       {Case{"ld.acquire.gpu.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+4], %r2;", 0, 1},
        Case{"st.release.gpu.global.u32 [%rd1], %r1;", 1, 0},
        Case{"atom.global.acq_rel.gpu.add.u32 %r2, [%rd1], %r1; st.global.u32 [%rd1+4], %r2;", 1, 1},
        Case{"atom.global.relaxed.gpu.add.u32 %r2, [%rd1], %r1; st.global.u32 [%rd1+4], %r2;", 0, 0},
        Case{"st.release.cta.global.u32 [%rd1], %r1;", 1, 0},
        Case{"ld.acquire.cta.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+4], %r2;", 0, 0}}) {
    INFO(c.text);
    const auto l = lowered(c.text);
    CHECK(l.count(OpClass::membar) == c.fences);
    CHECK(l.count(OpClass::ccctl) == c.forgets);
  }
}

TEST_CASE("A register that inline assembly writes twice holds two values") {
  const auto l = lowered(
      "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4];\n"
      "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4];\n"
      "st.global.u32 [%rd1], %r2;");
  CHECK(l.count(OpClass::imad_wide) == 2);
  CHECK(l.count(OpClass::iadd) == 0);
}

TEST_CASE("A constant that a loop stores is made in front of it") {
  const auto l = lowered(
      "mov.u32 %r2, %r1;\nL:\n bar.sync 0; mov.u32 %r3, 7; st.global.u32 [%rd1], %r3; shr.u32 %r2, %r2, 1;\n"
      "setp.ne.s32 %p1, %r2, 0; @%p1 bra L;");
  for (uint32_t b = 1; b < l.machine.blocks.size(); ++b) {
    const MachineBlock& block = l.machine.blocks[b];
    for (uint32_t k = block.first; k < block.first + block.count; ++k)
      CHECK(l.machine.ops[k].op != OpClass::mov);
  }
}

TEST_CASE("Arithmetic reads a constant variable where it is, if the target's has an operand for it") {
  const std::string sum =
      "ld.global.f32 %f1, [%rd1]; ld.const.f32 %f2, [table+8]; ld.const.f32 %f3, [table+12];\n"
      "fma.rn.f32 %f4, %f1, %f2, %f1; fma.rn.f32 %f4, %f4, %f3, %f1; st.global.f32 [%rd1], %f4;";
  const auto constant_operands = [&](const MachineModel& model) {
    const Lowered l =
        lowered_text(".const .align 4 .b8 table[64];\n" + test_kernel(sum), Loops::kAsWritten, model);
    return std::count_if(l.machine.ops.begin(), l.machine.ops.end(), [](const MachineOp& op) {
      return op.op == OpClass::ffma && op.constant_operand != 0;
    });
  };
  MachineModel before_hopper = plain_model();
  before_hopper.profile.constant_operands = true;
  CHECK(constant_operands(before_hopper) == 2);
  CHECK(constant_operands(plain_model()) == 0);
}

TEST_CASE("A constant that all lanes read at one address takes no register of the vector file") {
  const std::string loop =
      "mov.f32 %f1, 0f3F800000; mov.u64 %rd2, table; mov.u32 %r2, 0;\nL:\n"
      "ld.const.f32 %f2, [%rd2]; fma.rn.f32 %f1, %f1, %f1, %f2; add.s64 %rd2, %rd2, 4;\n"
      "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, BOUND; @%p1 bra L; st.global.f32 [%rd1], %f1;";
  const auto uniform_loads = [&](std::string bound) {
    std::string body = "mov.u32 %r3, %tid.x;\n" + loop;
    body.replace(body.find("BOUND"), 5, bound);
    PassOptions options;
    options.reuse_rows = false;
    options.set("unroll", false);
    const TestProgram source = test_program(".const .align 4 .b8 table[64];\n" + test_kernel(body), options);
    const MachineProgram machine = lower(*source.program, plain_model());
    unsigned count = 0;
    for (const MachineOp& op : machine.ops) {
      if (op.op == OpClass::ldc && op.memory != 0 && op.uniform != 0 && op.dst == kNoRegister) ++count;
    }
    return count;
  };
  CHECK(uniform_loads("%r1") == 1);
  CHECK(uniform_loads("%r3") == 0);  // lanes leave the loop one by one: the uniform datapath knows no lanes
}

TEST_CASE("An operation names one constant, the next one is moved to a register") {
  const std::string select = "setp.lt.s32 %p1, %r1, 7; ld.global.f32 %f1, [%rd1];\n";
  const auto moves = [&](const std::string& operands) {
    return lowered(select + "selp.f32 %f2, " + operands + ", %p1; st.global.f32 [%rd1], %f2;")
        .count(OpClass::mov);
  };
  CHECK(moves("%f1, 0f40000000") == 0);
  CHECK(moves("0f3F000000, 0f40000000") == 1);
  CHECK(moves("0f00000000, 0f40000000") == 0);  // RZ
}

TEST_CASE("A wide store reads consecutive registers, and a value that it stores twice is copied") {
  const std::string values =
      "ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, %f1; mul.f32 %f3, %f1, %f1; add.f32 %f4, %f2, %f1;\n";
  const auto l = lowered(values + "st.global.v4.f32 [%rd1+16], {%f4, %f3, %f2, %f1};");
  for (const MachineOp& op : l.machine.ops) {
    if (op.op != OpClass::stg) continue;
    CHECK(op.src[2] == op.src[1] + 1);
    CHECK(op.src[3] == op.src[1] + 2);
  }
  CHECK(l.count(OpClass::mov) == 0);
  CHECK(lowered(values + "st.global.v4.f32 [%rd1+16], {%f4, %f4, %f4, %f4};").count(OpClass::mov) == 3);
}

TEST_CASE("A special register that is read again behind a branch is read once") {
  const auto l = lowered(
      "mov.u32 %r2, %tid.x; setp.ge.s32 %p1, %r2, %r1; @%p1 bra L; st.global.u32 [%rd1], %r2;\n"
      "st.global.u32 [%rd1+4], %r2; bar.sync 0;\nL:\n mov.u32 %r3, %tid.x; st.global.u32 [%rd1+8], %r3;");
  CHECK(l.count(OpClass::s2r) == 1);
}

TEST_CASE("A zero is stored from RZ, another constant from a register") {
  const auto moves = [](const char* value) {
    const auto l = lowered(std::string("mov.u32 %r2, ") + value + "; st.global.u32 [%rd1], %r2;");
    return l.count(OpClass::mov) + l.count(OpClass::imad);
  };
  CHECK(moves("0") == 0);
  CHECK(moves("7") == 1);
}

TEST_CASE("An extended value takes an instruction for its upper half where a product is added to it") {
  const std::string values = "ld.global.u32 %r3, [%rd1]; cvt.s64.s32 %rd3, %r3;\n";
  const std::string store = "st.global.u64 [%rd1+8], %rd4;";
  const auto product = lowered(values + "mul.wide.s32 %rd2, %r3, %r1; add.s64 %rd4, %rd2, %rd3;" + store);
  CHECK(product.count(OpClass::imad_wide) == 1);
  CHECK(product.count(OpClass::shift) == 1);
  CHECK(lowered(values + "add.s64 %rd4, %rd1, %rd3;" + store).count(OpClass::shift) == 0);
}

TEST_CASE("A shifted value and the bits below it are joined by one LEA") {
  const auto joined = [](const char* mask) {
    return lowered(std::string("ld.global.u32 %r2, [%rd1]; and.b32 %r3, %r2, ") + mask +
                   "; shl.b32 %r4, %r1, 5; or.b32 %r5, %r4, %r3; st.global.u32 [%rd1], %r5;"
                   " st.global.u32 [%rd1+4], %r3;")
        .count(OpClass::lea);
  };
  CHECK(joined("31") == 1);
  CHECK(joined("63") == 0);
}

TEST_CASE("A comparison that a loop leaves alone goes in front of it, unless a branch waits for it") {
  const auto inside = [](const std::string& use) {
    const auto l = lowered(
        "mov.u32 %r2, %r1; mov.u32 %r4, %tid.x; mov.u32 %r5, 1;\nL:\n bar.sync 0;"
        " setp.lt.u32 %p2, %r4, 9; " +
        use + " shr.u32 %r2, %r2, 1; setp.ne.s32 %p1, %r2, 0; @%p1 bra L; st.global.u32 [%rd1], %r5;");
    unsigned found = 0;
    for (size_t k = l.machine.blocks[0].count; k < l.machine.ops.size(); ++k)
      found += l.machine.ops[k].op == OpClass::isetp ? 1 : 0;
    return found;
  };
  CHECK(inside("selp.b32 %r6, %r2, 0, %p2; add.s32 %r5, %r5, %r6;") == 1);
  CHECK(inside("@%p2 bra M; red.global.add.u64 [%rd1], %rd1;\nM:") == 2);
}

TEST_CASE("A division whose slow path is called has that function's registers") {
  const auto registers = [](std::vector<OpClass> sequence) {
    MachineModel model = plain_model();
    model.sequence[static_cast<size_t>(OpClass::div_f64)] = std::move(sequence);
    return lowered_text(
               test_kernel("ld.global.f64 %d1, [%rd1]; ld.global.f64 %d2, [%rd1+8]; div.rn.f64 %d3, %d1, "
                           "%d2; st.global.f64 [%rd1], %d3;"),
               Loops::kAsWritten, model)
        .machine.registers_per_thread;
  };
  CHECK(registers({OpClass::dfma, OpClass::dfma}) == 16);
  CHECK(registers({OpClass::dfma, OpClass::bra, OpClass::bsync}) >= 22);
}

TEST_CASE("Of many doubles those that most operations name are kept for several blocks") {
  // Each block names 30 of its own and one that all name; a file of 63 registers keeps 24 pairs.
  std::string body = "ld.global.f64 %d1, [%rd1];\n";
  constexpr unsigned kBlocks = 4, kOwn = 30;
  for (unsigned b = 0; b < kBlocks; ++b) {
    for (unsigned k = 0; k < kOwn; ++k)
      body += "add.f64 %d1, %d1, 0d3FF00000000" + std::to_string(10000 + 100 * b + k) + ";\n";
    body += "mul.f64 %d1, %d1, 0d4009999999999999;\nst.global.f64 [%rd1+" + std::to_string(8 * b + 8) +
            "], %d1;\nsetp.gt.f64 %p1, %d1, 0d0000000000000000;\n@%p1 bra L" + std::to_string(b) +
            ";\nbar.sync 0;\nred.global.add.u32 [%rd1], 1;\nL" + std::to_string(b) + ":\n";
  }
  const auto l = lowered(body + "st.global.f64 [%rd1], %d1;");
  unsigned moves = 0;
  for (const MachineOp& op : l.machine.ops) moves += op.op == OpClass::mov && op.uniform != 0 ? 1 : 0;
  CHECK(moves == 2 * (kBlocks * kOwn + 1));
}

TEST_CASE("What calls the slow path of a division stands in the code behind the branch around it") {
  MachineModel model = plain_model();
  model.sequence[static_cast<size_t>(OpClass::div_f32)] = {OpClass::ffma, OpClass::bra, OpClass::bsync};
  model.slow_path[static_cast<size_t>(OpClass::div_f32)] = 5;
  const auto l = lowered_text(test_kernel("ld.global.f32 %f1, [%rd1]; div.rn.f32 %f2, %f1, %f1;"
                                          " div.rn.f32 %f3, %f2, %f1; st.global.f32 [%rd1], %f3;"),
                              Loops::kAsWritten, model);
  unsigned behind_branches = 0, elsewhere = 0;
  for (const MachineOp& op : l.machine.ops)
    (op.op == OpClass::bra ? behind_branches : elsewhere) += op.slow_path;
  CHECK(behind_branches == 2 * 5);
  CHECK(elsewhere == 0);
}

TEST_CASE("The slow path of a 32-bit division takes registers beside what lives across it") {
  const auto registers = [](std::vector<OpClass> sequence) {
    MachineModel model = plain_model();
    model.sequence[static_cast<size_t>(OpClass::div_f32)] = std::move(sequence);
    std::string loads = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];", stores;
    for (unsigned k = 0; k < 24; ++k) {
      const std::string value = "%f" + std::to_string(5 + k), at = std::to_string(8 + 4 * k);
      loads += "ld.volatile.global.f32 " + value + ", [%rd1+" + at + "];";
      stores += "st.volatile.global.f32 [%rd1+" + at + "], " + value + ";";
    }
    return lowered_text(
               test_kernel(loads + "div.rn.f32 %f3, %f1, %f2; st.volatile.global.f32 [%rd1], %f3;" + stores),
               Loops::kAsWritten, model)
        .machine.registers_per_thread;
  };
  CHECK(registers({OpClass::ffma, OpClass::bra, OpClass::bsync}) >=
        registers({OpClass::ffma, OpClass::ffma}) + 3);
}

TEST_CASE("A loop variable that begins with a special register is a copy of what was read before") {
  const auto twice = lowered(
      "mov.u32 %r2, %tid.x; setp.ge.s32 %p1, %r2, %r1; @%p1 bra M;\nK: bar.sync 0; add.s32 %r2, %r2, %r1;\n"
      "setp.lt.s32 %p2, %r2, 9999; @%p2 bra K; st.global.u32 [%rd1], %r2;\nM: bar.sync 0; mov.u32 %r3, "
      "%tid.x;\n"
      "L:\n bar.sync 0; add.s32 %r3, %r3, %r1; setp.lt.s32 %p2, %r3, 9999; @%p2 bra L; st.global.u32 [%rd1], "
      "%r3;");
  CHECK(twice.count(OpClass::s2r) == 1);
  const auto l = lowered(
      "mov.u32 %r2, %tid.x; setp.ge.s32 %p1, %r2, %r1; @%p1 bra E; st.global.u32 [%rd1], %r2; bar.sync 0;\n"
      "mov.u32 %r3, %tid.x;\nL:\n bar.sync 0; add.s32 %r3, %r3, %r1; setp.lt.s32 %p2, %r3, 9999; @%p2 bra "
      "L;\n"
      "st.global.u32 [%rd1+8], %r3;\nE:");
  CHECK(l.count(OpClass::s2r) == 1);
}

TEST_CASE("An atomic whose result nobody reads is a reduction, exchanges excepted") {
  const std::string own = "mov.u32 %r8, %tid.x; mul.wide.u32 %rd2, %r8, 4; add.s64 %rd3, %rd1, %rd2;\n";
  CHECK(lowered(own + "atom.global.add.u32 %r2, [%rd3], %r8;").count(OpClass::red) == 1);
  CHECK(lowered(own + "atom.global.add.u32 %r2, [%rd3], %r8;").count(OpClass::atomg) == 0);
  CHECK(lowered(own + "atom.global.exch.b32 %r2, [%rd3], %r8;").count(OpClass::atomg) == 1);
  CHECK(lowered(own + "atom.global.cas.b32 %r2, [%rd3], %r8, %r1;").count(OpClass::atomg) == 1);
  const auto read = lowered(own + "atom.global.add.u32 %r2, [%rd3], %r8; st.global.u32 [%rd3], %r2;");
  CHECK(read.count(OpClass::atomg) == 1);
}

TEST_CASE(
    "An atomic whose result nobody reads stays one where the program has a fence of memory, or no space") {
  const std::string own = "mov.u32 %r8, %tid.x; mul.wide.u32 %rd2, %r8, 4; add.s64 %rd3, %rd1, %rd2;\n";
  const std::string atom = own + "atom.global.add.u32 %r2, [%rd3], %r8;\n";
  for (const char* fence : {"membar.gl;", "membar.cta;", "fence.acq_rel.gpu;", "fence.sc.cta;"}) {
    INFO(fence);
    CHECK(lowered(atom + fence).count(OpClass::red) == 0);
    CHECK(lowered(fence + std::string("\n") + atom).count(OpClass::red) == 0);
    CHECK(lowered(own + "red.global.add.u32 [%rd3], %r8;\n" + fence).count(OpClass::red) == 1);
  }
  for (const char* other : {"bar.sync 0;", "ld.acquire.gpu.global.u32 %r3, [%rd1];", "fence.proxy.async;"}) {
    INFO(other);
    CHECK(lowered(atom + other).count(OpClass::red) == 1);
  }
  CHECK(lowered(own + "atom.add.u32 %r2, [%rd3], %r8;").count(OpClass::red) == 0);
}

TEST_CASE("The check of a division's fast path stands beside its arithmetic") {
  MachineModel model = plain_model();
  model.sequence[static_cast<size_t>(OpClass::div_f32)] = {OpClass::bssy, OpClass::mufu, OpClass::fchk,
                                                           OpClass::ffma, OpClass::ffma, OpClass::bra,
                                                           OpClass::bsync};
  const auto l = lowered_text(
      test_kernel("ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; div.rn.f32 %f3, %f1, %f2;"
                  "st.global.f32 [%rd1+8], %f3;"),
      Loops::kUnrolled, model);
  const MachineOp& check = l.machine.ops[l.place(OpClass::fchk)];
  const MachineOp& chain = l.machine.ops[l.place(OpClass::ffma)];
  const uint8_t root = l.machine.ops[l.place(OpClass::mufu)].dst;
  CHECK(std::find(check.src.begin(), check.src.end(), root) == check.src.end());
  CHECK(std::find(chain.src.begin(), chain.src.end(), root) != chain.src.end());
}

TEST_CASE("Sums of extended products keep their carries where they are") {
  const std::string factors =
      "ld.global.u32 %rd2, [%rd1]; ld.global.u32 %rd3, [%rd1+4]; ld.global.u64 %rd4, [%rd1+8];\n";
  auto l = lowered(factors + "mul.lo.s64 %rd5, %rd2, %rd3; st.global.u64 [%rd1], %rd5;");
  CHECK(l.count(OpClass::imad_wide) == 1);  // both upper halves are zero
  CHECK(l.count(OpClass::imad) == 0);
  l = lowered(factors + "mul.lo.s64 %rd5, %rd2, %rd4; st.global.u64 [%rd1], %rd5;");
  CHECK(l.count(OpClass::mul64) == 1);
  // An upper half and a masked lower one are read where they are.
  l = lowered(
      "ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; shr.u64 %rd4, %rd2, 32;\n"
      "and.b64 %rd5, %rd3, 4294967295; add.s64 %rd6, %rd4, %rd5; st.global.u64 [%rd1], %rd6;");
  CHECK(l.count(OpClass::add64) == 1);
  CHECK(l.count(OpClass::shift64) + l.count(OpClass::shift) == 0);
  CHECK(l.count(OpClass::logic64) + l.count(OpClass::lop3) == 0);
  l = lowered("ld.global.u64 %rd2, [%rd1]; shr.u64 %rd4, %rd2, 40; st.global.u64 [%rd1], %rd4;");
  CHECK(l.count(OpClass::shift) == 1);
  CHECK(l.count(OpClass::shift64) == 0);
  l = lowered("ld.global.u64 %rd2, [%rd1]; shr.u64 %rd4, %rd2, 20; st.global.u64 [%rd1], %rd4;");
  CHECK(l.count(OpClass::shift64) == 1);
}

TEST_CASE("Any function of three values is one LOP3, in 64 bits two") {
  auto l = lowered(
      "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1]; and.b32 %r6, %r2, %r3; not.b32 %r7, %r2;\n"
      "and.b32 %r8, %r7, %r4; or.b32 %r9, %r6, %r8; st.global.u32 [%rd1], %r9;");
  CHECK(l.count(OpClass::lop3) == 1);
  l = lowered(
      "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1]; and.b32 %r6, %r2, %r3; not.b32 %r7, %r5;\n"
      "and.b32 %r8, %r7, %r4; or.b32 %r9, %r6, %r8; st.global.u32 [%rd1], %r9;");
  CHECK(l.count(OpClass::lop3) == 2);  // of four values
  l = lowered(
      "ld.global.v2.u64 {%rd2, %rd3}, [%rd1]; ld.global.u64 %rd4, [%rd1+16]; xor.b64 %rd5, %rd2, %rd3;\n"
      "or.b64 %rd6, %rd5, %rd4; not.b64 %rd7, %rd6; st.global.u64 [%rd1], %rd7;");
  CHECK(l.count(OpClass::logic64) == 1);
}

TEST_CASE("A rotation that something is added to is one LEA") {
  const auto l = lowered(
      "ld.global.v2.u32 {%r2, %r3}, [%rd1]; shf.l.wrap.b32 %r4, %r2, %r2, 7; add.s32 %r5, %r4, %r3;\n"
      "st.global.u32 [%rd1], %r5;");
  CHECK(l.count(OpClass::lea) == 1);
  CHECK(l.count(OpClass::shift) == 0);
  CHECK(l.count(OpClass::iadd) == 0);
}

TEST_CASE("The lesser or the greater of two by a predicate are two VIMNMX") {
  const auto l = lowered(
      "ld.global.v2.u32 {%r2, %r3}, [%rd1]; setp.gt.u32 %p1, %r1, 7; min.u32 %r4, %r2, %r3;\n"
      "max.u32 %r5, %r2, %r3; selp.b32 %r6, %r4, %r5, %p1; st.global.u32 [%rd1], %r6;");
  CHECK(l.count(OpClass::iminmax) == 2);
  CHECK(l.count(OpClass::sel) == 0);
}

TEST_CASE("Shuffles in a loop that lanes may leave apart stand behind a branch and keep their order") {
  const std::string shuffles =
      "ld.global.v2.u32 {%r3, %r4}, [%rd1]; shfl.sync.bfly.b32 %r5, %r3, 1, 31, -1; add.s32 %r3, %r3, %r5;\n"
      "shfl.sync.bfly.b32 %r6, %r4, 1, 31, -1; add.s32 %r4, %r4, %r6; st.global.v2.u32 [%rd1], {%r3, %r4};\n";
  const auto together = lowered(shuffles);
  const auto apart = lowered("mov.u32 %r2, %r1;\nL:\n" + shuffles +
                             "add.s32 %r2, %r2, 4; setp.lt.s32 %p1, %r2, 99; @%p1 bra L;");
  CHECK(together.count(OpClass::bra) == 0);
  CHECK(apart.count(OpClass::bra) >= 2);  // one of them is the loop's
  CHECK(apart.place(OpClass::bra) < apart.place(OpClass::shfl));
}

}  // namespace
}  // namespace gpuloom::ptx
