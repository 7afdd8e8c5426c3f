// SPDX-License-Identifier: Apache-2.0
// Carrying out instructions without an SM: what goes to the memory queue, what is counted.
#include "arch/sm/execution.h"

#include "tests/unit/arch/sm/around_unit.h"
#include "tests/unit/arch/sm/copy_neighbours.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

struct OneExecution : AroundUnit {
  CopyTrafficSeen traffic;
  CopyBlocksTold blocks;
  AsyncUnit async{gpu.sm, gpu.noc, {events, stats, grids, late, recorders, traffic, blocks}};
  std::vector<uint8_t> queue_used{0};
  Execution unit{
      gpu.sm, 0, {stats, counts, grids, writes, atomics, late, recorders, queues, async, queue_used}};
  SubCoreStats sub_core;
  std::unique_ptr<ptx::Cta> cta = ptx::create_cta(grid.launch, 0);
  WarpPosition warp;
  std::vector<MemoryOp> queued;

  explicit OneExecution(const std::string& body) : AroundUnit(body) {
    warp.warp = cta->warps[0].get();
    warp.kernel = &grid.context.kernel;
    unit.launch(0, *warp.warp, {warp.warp, 0, 0});
  }
  // All operations to the end, one after another, and the queue behind each.
  void run() {
    Cycle now = 100;
    while (unit.locate(warp, now) == Located::kHere) {
      unit.carry_out(warp, *warp.next, sub_core, now);
      now += 1000;
      queues.arbitrate(
          now, [&](MemoryOp& op) { queued.push_back(op); }, [](const MemoryOp&) {}, [](unsigned) {});
      for (; queues.input() != nullptr; queues.pop_input()) queued.push_back(*queues.input());
    }
  }
  std::vector<MemoryOp> of(MemoryKind kind) const {
    std::vector<MemoryOp> some;
    for (const MemoryOp& op : queued)
      if (op.kind == kind) some.push_back(op);
    return some;
  }
};

}  // namespace

TEST_CASE("A warp is carried out to its end", "[arch][execution]") {
  OneExecution u("mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\n");
  u.run();
  CHECK(u.warp.warp->wait == ptx::Wait::kDone);
  CHECK(u.unit.locate(u.warp, 0) == Located::kEnded);
}

TEST_CASE("A store to shared memory goes to the queue with the passes that its banks need",
          "[arch][execution]") {
  OneExecution u("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 3;\nst.shared.u32 [%r2], %r1;\n");
  u.run();
  const auto stores = u.of(MemoryKind::kShared);
  REQUIRE(stores.size() == 1);
  CHECK(stores[0].passes.passes == 2);  // every second bank
  CHECK(stores[0].passes.conflicts() == 1);
  CHECK(u.sub_core.shared_st.value() == 1);
  CHECK(u.queue_used[0] == 1);
  CHECK(u.writes[0].unanswered == 0);  // it leaves no SM
}

TEST_CASE("The store has taken effect when it has been carried out", "[arch][execution]") {
  OneExecution u("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\n");
  u.run();
  uint32_t words[32];
  std::copy_n(u.cta->shared.data(), sizeof(words), reinterpret_cast<uint8_t*>(words));
  for (uint32_t l = 0; l < 32; ++l) CHECK(words[l] == l);
}

TEST_CASE("An access that is off for all lanes only takes its turn", "[arch][execution]") {
  OneExecution u(
      "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 1000;\nshl.b32 %r2, %r1, 2;\n@%p1 st.shared.u32 [%r2], "
      "%r1;\n");
  u.run();
  CHECK(u.of(MemoryKind::kShared).empty());
  CHECK(u.of(MemoryKind::kPass).size() == 1);
  CHECK(u.sub_core.shared_st.value() == 0);
}

TEST_CASE("Instructions are counted for themselves, with the lanes whose guard is on", "[arch][execution]") {
  OneExecution u(
      "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 8;\nshl.b32 %r2, %r1, 2;\n@%p1 st.shared.u32 [%r2], "
      "%r1;\n");
  std::vector<InstructionCounts> table(u.grid.code.machine.program->code.size());
  u.counts.tables[0] = table.data();
  u.run();
  const uint32_t store = u.grid.code.machine.ops[u.grid.code.place(ptx::OpClass::sts)].source;
  CHECK(table[store].executed == 1);
  CHECK(table[store].thread_executed == 8);
}
