// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/module_of_text.h"

namespace gpuloom::ptx {
namespace {

struct Lowered {
  TestProgram source;
  MachineProgram machine;
  unsigned count(OpClass op) const {
    unsigned n = 0;
    for (const MachineOp& o : machine.ops) n += o.op == op ? 1 : 0;
    return n;
  }
};

Lowered lowered(const std::string& body) {
  PassOptions options;
  options.reuse_rows = false;
  Lowered l{test_program(test_kernel(body), options), {}};
  l.machine = lower(*l.source.program, plain_model());
  return l;
}

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

TEST_CASE("A warp reduction leaves its result in a uniform register and takes a move") {
  const auto l = lowered("redux.sync.add.s32 %r2, %r1, -1; st.global.u32 [%rd1], %r2;");
  CHECK(l.count(OpClass::redux) == 1);
  CHECK(l.count(OpClass::mov) == 1);
}

TEST_CASE("A fence of the device invalidates the first-level cache, one of the block does not") {
  CHECK(lowered("membar.gl;").count(OpClass::ccctl) == 1);
  CHECK(lowered("membar.cta;").count(OpClass::ccctl) == 0);
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

}  // namespace
}  // namespace gpuloom::ptx
