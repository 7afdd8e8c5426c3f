// SPDX-License-Identifier: Apache-2.0
// Registers, budgets and stall counts of lowered kernels.
#include <set>

#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& text, const MachineModel& model = plain_model()) {
  return lowered_text(text, Loops::kAsWritten, model);
}

// Loads all before uses: as many values as there are loads, summed in the end.
std::string many_loads(unsigned count) {
  std::string body;
  for (unsigned k = 0; k < count; ++k)
    body += "ld.global.f32 %f" + std::to_string(k) + ", [%rd1+" + std::to_string(64 * k) + "];\n";
  for (unsigned k = 1; k < count; ++k) {
    const std::string a = "%f0", b = "%f" + std::to_string(k);
    body += "add.f32 " + a + ", " + a + ", " + b + ";\n";
  }
  return body + "st.global.f32 [%rd1], %f0;";
}

TEST_CASE("Early loads fill 32 registers and no more where the values could do with fewer") {
  CHECK(lowered(test_kernel(many_loads(8))).machine.registers_per_thread <= 20);
  std::string body;
  for (unsigned half = 0; half < 2; ++half) body += many_loads(28);
  const auto l = lowered(test_kernel(body));
  CHECK(l.machine.registers_per_thread > 28);
  CHECK(l.machine.registers_per_thread <= 32);
}

// So many values that live while loads of many others are summed, for blocks of `threads`; 0: of any size.
uint32_t registers_beside(unsigned values, unsigned threads) {
  std::string body = ".reg .f32 %v<64>;\n", use;
  for (unsigned k = 0; k < values; ++k) {
    const std::string v = "%v" + std::to_string(k);
    body += "ld.global.f32 " + v + ", [%rd1+" + std::to_string(8192 + 4 * k) + "];\n";
    use += "fma.rn.f32 %f0, %f0, " + v + ", %f0;\n";
  }
  const std::string kernel =
      test_kernel(body + many_loads(28) + "bar.sync 0;\n" + use + "st.global.f32 [%rd1], %f0;");
  const size_t brace = kernel.find('{');
  const std::string bound = threads == 0 ? "" : ".maxntid " + std::to_string(threads) + "\n";
  return lowered(kernel.substr(0, brace) + bound + kernel.substr(brace)).machine.registers_per_thread;
}

TEST_CASE("Early loads fill what leaves room for as many blocks, where the kernel says how large they are") {
  const uint32_t any = registers_beside(46, 0), blocks = registers_beside(46, 256);
  CHECK(any > 48);
  CHECK(any <= 56);
  CHECK(blocks > 56);  // four blocks of 256 threads have 64 each
  CHECK(blocks <= 64);
  CHECK(registers_beside(46, 128) == any);  // nine blocks of 128 threads have 56
}

// Twelve values that live through a loop that walks two columns with eight loads each.
std::string two_columns() {
  std::string body, use;
  for (unsigned k = 0; k < 12; ++k) {
    const std::string f = "%f" + std::to_string(k);
    body += "ld.global.f32 " + f + ", [%rd1+" + std::to_string(4 * k) + "];\n";
    use += "fma.rn.f32 %f29, %f29, " + f + ", %f29;\n";
  }
  body +=
      "mov.f32 %f29, 0f00000000; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd2, %rd1, %rd4;\n"
      "add.s64 %rd3, %rd2, %rd4;\nL:\n";
  for (unsigned k = 0; k < 4; ++k)
    body +=
        "ld.global.f32 %f20, [%rd2]; ld.global.f32 %f21, [%rd3+4]; fma.rn.f32 %f29, %f20, %f21, %f29;\n"
        "add.s64 %rd2, %rd2, %rd4; add.s64 %rd3, %rd3, %rd4;\n";
  body += "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;\n";
  return body + use + "st.global.f32 [%rd1], %f29;";
}

TEST_CASE("Pairs that find no place between single values are placed before them") {
  const auto l = lowered(test_kernel(two_columns()));
  CHECK(l.machine.registers_per_thread == 32);  // as ptxas, which loads five values before it uses one
  const MachineBlock& loop = l.machine.blocks[1];
  unsigned early = 0;
  for (uint32_t k = loop.first; l.machine.ops[k].op != OpClass::ffma; ++k)
    early += l.machine.ops[k].op == OpClass::ldg ? 1 : 0;
  CHECK(early >= 7);
}

TEST_CASE("Where registers are short, what is read together still lies in two banks") {
  std::string body, use;
  for (unsigned k = 0; k < 20; ++k) {
    const std::string f = "%f" + std::to_string(k);
    body += "ld.global.f32 " + f + ", [%rd1+" + std::to_string(4 * k) + "];\n";
    use += "fma.rn.f32 %f29, %f29, " + f + ", %f29;\n";
  }
  body += "ld.global.f32 %f28, [%rd1+404]; ld.global.f32 %f29, [%rd1+400]; mul.wide.u32 %rd4, %r1, 4;\nL:\n";
  for (unsigned k = 0; k < 4; ++k)
    body += "fma.rn.f32 %f29, %f28, %f29, 0f3F000000; st.global.f32 [%rd1+" + std::to_string(4 * k) +
            "], %f29; add.s64 %rd1, %rd1, %rd4;\n";
  body += "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;\n";
  const std::string kernel = test_kernel(body + use + "st.global.f32 [%rd1], %f29;");
  const size_t brace = kernel.find('{');
  const auto l = lowered(kernel.substr(0, brace) + ".maxnreg 24\n" + kernel.substr(brace));
  unsigned all = 0, together = 0;
  for (const MachineOp& op : l.machine.ops) {
    if (op.op != OpClass::ffma) continue;
    ++all;
    together += op.src[0] % 2 == op.src[1] % 2 ? 1 : 0;
  }
  REQUIRE(all >= 20);
  CHECK(8 * together <= all);  // a third of them where nobody minds
}

TEST_CASE("A directive's limit holds for the registers that a kernel is given") {
  const std::string kernel = test_kernel(many_loads(28));
  const size_t brace = kernel.find('{');
  const auto l = lowered(kernel.substr(0, brace) + ".maxnreg 24\n" + kernel.substr(brace));
  CHECK(l.machine.registers_per_thread <= 24);
}

TEST_CASE("A parameter that is needed behind a branch is loaded there") {
  const auto l = lowered(test_kernel(
      "mov.u32 %r2, %tid.x; setp.ge.s32 %p1, %r2, 5; @%p1 bra END; st.global.u32 [%rd1], %r2;\nEND:"));
  const MachineBlock& first = l.machine.blocks[0];
  unsigned pointers = 0;
  for (uint32_t k = first.first; k < first.first + first.count; ++k)
    pointers += l.machine.ops[k].constant_offset == 0x210 ? 1 : 0;
  CHECK(pointers == 0);
}

TEST_CASE("A predicate is waited for longer as a guard than as an operand") {
  MachineModel model = plain_model();
  model.dependence.guard = 9;
  const auto stall = [&](const std::string& use) {
    const auto l = lowered(test_kernel("ld.global.u32 %r2, [%rd1]; setp.lt.s32 %p1, %r2, 7; " + use +
                                       " st.global.u32 [%rd1], %r3;"),
                           model);
    unsigned most = 0;
    for (const MachineOp& op : l.machine.ops)
      most = std::max<unsigned>(most, op.op == OpClass::isetp ? op.stall : 0);
    return most;
  };
  CHECK(stall("selp.b32 %r3, %r2, 1, %p1;") == 4);
  CHECK(stall("mov.u32 %r3, %r2; @%p1 popc.b32 %r3, %r2;") >= 12);
}

TEST_CASE("Results of different pipes are waited for longer than those of the same") {
  MachineModel model = plain_model();
  model.dependence.other_pipe = 1;
  model.dependence.memory = 1;
  model.latency[static_cast<size_t>(OpClass::fadd)].forwards = 1;
  model.latency[static_cast<size_t>(OpClass::ffma)].forwards = 1;
  const auto l = lowered(
      test_kernel("ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, 0f3F800000; fma.rn.f32 %f3, %f2, %f2, %f2;"
                  " st.global.f32 [%rd1], %f3;"),
      model);
  // Cycles from the first operation of a class to the first of another.
  const auto cycles = [&](OpClass from, OpClass to) {
    unsigned sum = 0;
    for (size_t k = l.place(from); k < l.place(to); ++k) sum += l.machine.ops[k].stall;
    return sum;
  };
  CHECK(cycles(OpClass::fadd, OpClass::ffma) == 4);
  CHECK(cycles(OpClass::ffma, OpClass::stg) == 5);
}

TEST_CASE("A register that a load reads late is not written by the next operations") {
  // A chain of addresses: ptxas takes pairs in turn.
  std::string body;
  for (unsigned k = 0; k < 6; ++k)
    body += "ld.global.u32 %r2, [%rd1]; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd1, %rd1, %rd3;\n";
  std::set<unsigned> addresses;
  for (const MachineOp& op : lowered(test_kernel(body + "st.global.u32 [%rd1], %r2;")).machine.ops) {
    if (op.op == OpClass::ldg) addresses.insert(op.src[0]);
  }
  CHECK(addresses.size() >= 3);
}

TEST_CASE("Values that do not fit a directive's limit are stored on the stack and loaded again") {
  std::string body;
  for (unsigned k = 0; k < 29; ++k)
    body += "ld.global.f32 %f" + std::to_string(k) + ", [%rd1+" + std::to_string(64 * k) + "];\n";
  body += "bar.sync 0;\n";
  for (unsigned k = 1; k < 29; ++k) body += "add.f32 %f0, %f0, %f" + std::to_string(k) + ";\n";
  const std::string kernel = test_kernel(body + "st.global.f32 [%rd1], %f0;");
  const size_t brace = kernel.find('{');
  const auto l = lowered(kernel.substr(0, brace) + ".maxnreg 24\n" + kernel.substr(brace));
  CHECK(l.machine.registers_per_thread <= 24);
  CHECK(l.machine.spill_bytes == l.machine.program->functions[0].saved_bytes);
  std::set<unsigned> stored, loaded;
  for (const MachineOp& op : l.machine.ops) {
    if (op.op != OpClass::stl && op.op != OpClass::ldl) continue;
    CHECK(op.frame == 1);
    (op.op == OpClass::stl ? stored : loaded).insert(op.frame_offset);
  }
  CHECK(stored.size() >= 5);
  CHECK(stored == loaded);
  CHECK(stored.size() * 4 == l.machine.spill_bytes);
  CHECK(lowered(kernel).machine.spill_bytes == 0);
}

// Of local memory: how many operations of this class access it.
unsigned frame_accesses(const MachineProgram& machine, OpClass op) {
  unsigned sum = 0;
  for (const MachineOp& o : machine.ops) sum += o.op == op ? 1 : 0;
  return sum;
}

TEST_CASE(
    "A value that leaves its register for a while is loaded once, and read from there as often as it is "
    "asked") {
  // %f0 is read at the begin and, three times, at the end; between them 28 values live.
  std::string body = "ld.global.f32 %f0, [%rd1];\nst.global.f32 [%rd1+4], %f0;\nbar.sync 0;\n";
  for (unsigned k = 1; k < 29; ++k)
    body += "ld.global.f32 %f" + std::to_string(k) + ", [%rd1+" + std::to_string(64 * k) + "];\n";
  body += "bar.sync 0;\n";
  for (unsigned k = 2; k < 29; ++k) body += "add.f32 %f1, %f1, %f" + std::to_string(k) + ";\n";
  for (unsigned k = 0; k < 3; ++k) {
    body += "bar.sync 0;\nmul.f32 %f1, %f1, %f0;\n";
    for (unsigned store = 0; store < 8; ++store)
      body += "st.global.f32 [%rd1+" + std::to_string(4096 + 64 * (8 * k + store)) + "], %f1;\n";
  }
  const std::string kernel = test_kernel(body + "st.global.f32 [%rd1], %f1;");
  const size_t brace = kernel.find('{');
  const auto l = lowered(kernel.substr(0, brace) + ".maxnreg 24\n" + kernel.substr(brace));
  CHECK(l.machine.registers_per_thread <= 24);
  CHECK(l.machine.spill_bytes >= 4);
  CHECK(frame_accesses(l.machine, OpClass::stl) * 4 == l.machine.spill_bytes);
  CHECK(frame_accesses(l.machine, OpClass::ldl) == frame_accesses(l.machine, OpClass::stl));
}

TEST_CASE("More values than registers are put in an order that holds them before any is stored") {
  // 24 sums of 12 values each, loaded anew for each: loads first, 288 values live; sum by sum few do.
  std::string body = "bar.sync 0;\n";
  for (unsigned sum = 0; sum < 24; ++sum) {
    body += "mov.f32 %f0, 0f00000000;\n";
    for (unsigned k = 0; k < 12; ++k) {
      body += "ld.shared.f32 %f1, [%r1+" + std::to_string(4 * (12 * sum + k)) + "];\n";
      body += "fma.rn.f32 %f0, %f1, %f1, %f0;\n";
    }
    body += "st.global.f32 [%rd1+" + std::to_string(4 * sum) + "], %f0;\n";
  }
  const std::string kernel = test_kernel(body);
  const size_t brace = kernel.find('{');
  const auto l = lowered(kernel.substr(0, brace) + ".maxnreg 24\n" + kernel.substr(brace));
  CHECK(l.machine.registers_per_thread <= 24);
  CHECK(l.machine.spill_bytes == 0);
}

// The same for sm_90a.
Lowered lowered_for_groups(const std::string& text) {
  PassOptions options;
  options.habits = model_of_h200().profile.habits;
  options.reuse_rows = false;
  Lowered l;
  l.source.module =
      load_module_text(".version 8.6\n.target sm_90a\n.address_size 64\n" + text, "test.ptx", isa_table());
  const Module& module = *l.source.module;
  l.source.program = build_program(module, module.functions.front(), OffsetResolver(module), options);
  l.machine = lower(*l.source.program, plain_model(), {});
  return l;
}

TEST_CASE(
    "What a warp group asks for with setmaxnreg holds its values, and the kernel begins with its limit") {
  const auto kernel = [](std::string body) {
    for (unsigned k = 0; k < 29; ++k)
      body += "ld.global.f32 %f" + std::to_string(k) + ", [%rd1+" + std::to_string(64 * k) + "];\n";
    body += "bar.sync 0;\n";
    for (unsigned k = 1; k < 29; ++k) body += "add.f32 %f0, %f0, %f" + std::to_string(k) + ";\n";
    const std::string text = test_kernel(body + "st.global.f32 [%rd1], %f0;");
    const size_t brace = text.find('{');
    return lowered_for_groups(text.substr(0, brace) + ".maxnreg 24\n" + text.substr(brace));
  };
  const Lowered asked = kernel("setmaxnreg.inc.sync.aligned.u32 40;\n");
  CHECK(asked.machine.spill_bytes == 0);
  CHECK(asked.machine.registers_per_thread == 24);
  CHECK(asked.machine.registers_given);
  CHECK(kernel("setmaxnreg.dec.sync.aligned.u32 24;\n").machine.spill_bytes != 0);
}

TEST_CASE("Sums of a warp group stand side by side in R24 and behind, further ones behind the first") {
  const auto product = [](const std::string& sums) {
    return "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {" + sums + "}, %rd1, %rd1, 1, 1, 1, 0, 0;\n";
  };
  const std::string first = "%f0, %f1, %f2, %f3", second = "%f4, %f5, %f6, %f7";
  const Lowered l = lowered_for_groups(
      test_kernel("wgmma.fence.sync.aligned;\n" + product(first) + product(second) + product(first) +
                  "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
                  "st.global.v4.f32 [%rd1], {" +
                  first + "};\nst.global.v4.f32 [%rd1+16], {" + second + "};"));
  std::vector<unsigned> at;
  for (const MachineOp& op : l.machine.ops) {
    if (op.op != OpClass::wgmma) continue;
    CHECK(op.dst_count == 4);
    at.push_back(op.dst);
  }
  CHECK(at == std::vector<unsigned>{24, 28, 24});
}

}  // namespace
}  // namespace gpuloom::ptx
