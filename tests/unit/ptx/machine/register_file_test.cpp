// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/register_file.h"

#include <algorithm>
#include <map>

#include "ptx/machine/latency.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

TEST_CASE("A value goes beside one that ends with it rather than into a free pair") {
  File file(0);
  const Life first{{{1, 40}}}, second{{{3, 40}}};
  file.take({&first}, 2);
  CHECK(file.find({&second}, 0, 1) == 0);
  CHECK(file.find_best({&second}, 8, false, 0) == 3);
}

TEST_CASE("A register that a memory operation has yet to read goes to a later load and to nobody else") {
  File file(0);
  const Life pair{{{1, 11}}}, other{{{1, 60}}}, next{{{11, 60}}};
  file.take({&pair, &pair}, 0);
  file.take({&other}, 2);
  for (const unsigned r : {0u, 1u}) file.note_unread(r, {11, 30});
  CHECK(file.find_best({&next}, 4, false, 0) == 3);
  file.take({&next}, 3);
  CHECK(file.find_best({&next}, 6, false, 0) == 4);
  CHECK(file.find_best({&next}, 4, true, 0) == 0);
}

TEST_CASE("Of places that are as good a value takes the bank that is not read beside it") {
  File file(0);
  const Life life{{{1, 40}}};
  CHECK(file.find_best({&life}, 8, false, 1) == 1);
  CHECK(file.find_best({&life}, 8, false, -1) == 0);
}

TEST_CASE(
    "What lives across different calls of one function may share a register, but not with what it works on") {
  File file(0);
  const Life first{{{1, 20}}, {{100, 200}}}, second{{{30, 60}}, {{100, 200}}}, inside{{{120, 140}}};
  file.take({&first}, 0);
  CHECK(file.find({&second}, 0, 1) == 0);
  CHECK(file.find({&inside}, 0, 1) == 1);
  file.take({&inside}, 1);
  CHECK(file.find({&second}, 1, 1) == 2);
}

TEST_CASE("What goes the same way to memory reads its registers in order") {
  CHECK(reads_before(traits(OpClass::ldg).read_path, OpClass::lds));
  CHECK(reads_before(traits(OpClass::sts).read_path, OpClass::lds));
  CHECK(!reads_before(traits(OpClass::stg).read_path, OpClass::ldg));
  CHECK(!reads_before(traits(OpClass::ldg).read_path, OpClass::imad_wide));
  CHECK(reads_before(traits(OpClass::mufu).read_path, OpClass::popc));
}

TEST_CASE("A pointer that a loop moves on takes no third register while it is added to") {
  MachineModel model = plain_model();
  model.sequence[static_cast<size_t>(OpClass::add64)] = {OpClass::iadd, OpClass::iadd};
  const auto l = lowered_text(
      test_kernel(
          "mov.u32 %r2, 0; mov.u32 %r4, 0;\n"
          "TURN: ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r4, %r3; add.s64 %rd1, %rd1, 64;\n"
          "add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, %r1; @%p1 bra TURN; st.global.u32 [%rd1], %r4;"),
      Loops::kAsWritten, model);
  // By instruction: registers that its operations write.
  std::map<uint32_t, std::vector<unsigned>> written;
  for (const MachineOp& op : l.machine.ops) written[op.source].push_back(op.dst_count);
  CHECK(std::any_of(written.begin(), written.end(), [](const auto& w) {
    return w.second == std::vector<unsigned>{0, 2};
  }));
}

}  // namespace
}  // namespace gpuloom::ptx
