// SPDX-License-Identifier: Apache-2.0
// What lowering hands to the hardware's model beside operation classes.
#include "ptx/machine/time_record.h"

#include "tests/catch2.h"
#include "tests/unit/lowered.h"

using namespace gpuloom::ptx;

namespace {

Lowered kernel(const std::string& body) {
  return lowered_text(
      ".visible .entry k(.param .u64 p) {\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
      ".shared .align 16 .b8 s[1024];\n" +
          body + "ret;\n}\n",
      Loops::kAsWritten);
}

const TimeRecord& record(const Lowered& l, OpClass op) {
  REQUIRE(l.count(op) != 0);
  return l.machine.records[l.place(op)];
}

}  // namespace

TEST_CASE("Every operation and every decoded instruction has a record", "[machine]") {
  const Lowered l = kernel("ld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], 1;\n");
  CHECK(l.machine.records.size() == l.machine.ops.size());
  CHECK(l.machine.instructions.size() == l.machine.program->code.size());
}

TEST_CASE("The record of an operation names the guard of its instruction", "[machine]") {
  const Lowered l = kernel(
      "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n"
      "@!%p1 st.global.u32 [%rd1], %r1;\n");
  const TimeRecord& r = record(l, OpClass::stg);
  CHECK(r.guard.present());
  CHECK(r.guard_negated);
}

TEST_CASE("An atomic of shared memory that adds one is told from others", "[machine]") {
  const auto way = [](const std::string& text) {
    return record(kernel("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\n" + text), OpClass::atoms)
        .shared_atomic;
  };
  CHECK(way("red.shared.add.u32 [%r2], 1;\n") == SharedAtomic::kIncrement);
  CHECK(way("red.shared.add.u32 [%r2], 2;\n") == SharedAtomic::kPlain);
  CHECK(way("atom.shared.cas.b32 %r3, [%r2], 0, %r1;\n") == SharedAtomic::kCompareSwap);
}

TEST_CASE("A fence's record holds its scope", "[machine]") {
  CHECK(record(kernel("membar.cta;\n"), OpClass::membar).fence_scope == Scope::kCta);
  CHECK(record(kernel("membar.gl;\n"), OpClass::membar).fence_scope == Scope::kGpu);
  CHECK(record(kernel("membar.sys;\n"), OpClass::membar).fence_scope == Scope::kSys);
}

TEST_CASE("A wait for copies says how many groups may be left", "[machine]") {
  const CopyWait some = record(kernel("cp.async.wait_group 2;\n"), OpClass::depbar).copies;
  CHECK(some.waits);
  CHECK_FALSE(some.bulk);
  CHECK(some.groups == 2);
  CHECK(record(kernel("cp.async.wait_all;\n"), OpClass::depbar).copies.groups == UINT32_MAX);
  const CopyWait bulk = record(kernel("cp.async.bulk.wait_group.read 1;\n"), OpClass::utmacmdflush).copies;
  CHECK(bulk.waits);
  CHECK(bulk.bulk);
  CHECK(bulk.read);
  CHECK(bulk.groups == 1);
  CHECK_FALSE(record(kernel("cp.async.bulk.commit_group;\n"), OpClass::utmacmdflush).copies.waits);
}

TEST_CASE("A wait for a kernel's predecessors is told from letting dependents begin", "[machine]") {
  CHECK(record(kernel("griddepcontrol.wait;\n"), OpClass::acqbulk).waits_for_grids);
  CHECK_FALSE(record(kernel("griddepcontrol.launch_dependents;\n"), OpClass::acqbulk).waits_for_grids);
}

TEST_CASE("Parameter loads that became constant operands access nothing", "[machine]") {
  const Lowered l =
      kernel("ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\n");
  unsigned accesses = 0;
  for (const InstructionRecord& r : l.machine.instructions) accesses += r.accesses;
  CHECK(accesses == 2);
}
