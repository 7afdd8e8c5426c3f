// SPDX-License-Identifier: Apache-2.0
// A sub-core without an SM: when its warps issue, what they wait for, when they are gone.
#include "arch/sm/sub_core.h"

#include "tests/unit/arch/sm/around_unit.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

// Function that goes straight on, and accesses whose results are there after their latency, but for those of
// `never_there`. What a test makes a warp wait for happens at an operation of the class `stops_at`.
struct StraightOn final : WarpFunction {
  explicit StraightOn(EventQueue& e) : events(e) {}
  EventQueue& events;
  std::vector<std::pair<ptx::OpClass, Cycle>> issued;
  ptx::OpClass stops_at = ptx::OpClass::count, never_there = ptx::OpClass::count;
  ptx::Wait stops_for = ptx::Wait::kNone;
  bool carry_out(WarpPosition& w, const OpInfo& op, SubCoreStats&, Cycle now) override {
    issued.emplace_back(op.op, now);
    w.warp->pc = op.exec_end;
    if (op.action == Action::kExit) w.warp->wait = ptx::Wait::kDone;
    if (op.op == stops_at) w.warp->wait = stops_for;
    if (!op.queued || op.op == never_there) return false;
    for (const uint8_t scoreboard : {op.write_scoreboard, op.read_scoreboard})
      if (scoreboard < 6) events.push(now + op.latency, {EventKind::kRelease, 0, w.number, scoreboard});
    return false;
  }
  Located locate(WarpPosition& w, Cycle) override {
    if (w.next != nullptr) ++w.op;
    w.next = &w.kernel->ops[w.op];
    return Located::kHere;
  }
  Cycle when(ptx::OpClass op, size_t nth = 0) const {
    for (const auto& [what, cycle] : issued)
      if (what == op && nth-- == 0) return cycle;
    return kNever;
  }
};

struct Memory final : FencedMemory {
  unsigned fences = 0, passes = 0;
  void fence() override { ++fences; }
  void fence_pass(Cycle, Cycle) override { ++passes; }
};

struct Copies final : CopyGroups {
  bool done = true, none = true;
  bool wait_done(unsigned) const override { return done; }
  std::optional<uint32_t> awaited_group(unsigned) const override { return {}; }
  bool none_on_way(unsigned) const override { return none; }
  bool next_turn(unsigned) const override { return false; }
  void forget_maps() override {}
};

struct Blocks final : WarpBlocks {
  std::vector<std::pair<unsigned, Cycle>> retired;
  unsigned at_barrier = 0, waiting = 0;
  bool barrier_reached(const WarpPosition&, bool, Cycle, Cycle) override {
    ++at_barrier;
    return false;
  }
  Cycle release_barrier(unsigned, Cycle at, Cycle, unsigned) override { return at; }
  Cycle cluster_barrier_reached(unsigned, Cycle) override { return 0; }
  void barriers_changed(unsigned, Cycle, Cycle) override {}
  void warpgroup_meets(unsigned, uint32_t, Cycle) override {}
  void let_dependents(unsigned, Cycle) override {}
  void wait_begins(unsigned, Cycle) override { ++waiting; }
  void wait_ends(unsigned, Cycle) override { --waiting; }
  void warp_retired(const WarpPosition& w, Cycle now) override { retired.emplace_back(w.number, now); }
};

struct OneSubCore : AroundUnit {
  StraightOn function{events};
  Memory memory;
  Copies copies;
  Blocks blocks;
  SubCore sub{gpu.sm,
              {0, 0, 1.0},
              {events, stats, counts, grids, writes, late, recorders, code, constant_l1, queues, memory,
               fences, copies, function, blocks}};
  std::unique_ptr<ptx::Cta> cta = ptx::create_cta(grid.launch, 0);
  Cycle now = 0;
  explicit OneSubCore(const std::string& body, uint32_t threads = 32) : AroundUnit(body, threads) {
    gpu.sm.ideal.instruction_fetch = true;  // code is here
    sub.start_kernel();
    for (const auto& warp : cta->warps) sub.resume(sub.launch(warp.get(), 0, 0, 0), 0);
  }
  void run_until(Cycle end) {
    for (now = std::max(now, next()); now < end; now = std::max(now + 1, next())) {
      events.run(now, [&](const Event& e) {
        if (e.kind == EventKind::kRelease) sub.release(e.a, e.b, now);
        if (e.kind == EventKind::kWakeWarp) sub.wake_timed(e.a, e.generation, now);
      });
      if (sub.next() <= now) sub.tick(now);
    }
    now = end;
  }
  Cycle next() const { return std::min(events.next(), sub.next()); }
  const OpInfo& op(ptx::OpClass of) const {
    for (const OpInfo& o : grid.context.kernel.ops)
      if (o.op == of) return o;
    FAIL("the kernel has no such operation");
    return grid.context.kernel.ops[0];
  }
};

using ptx::OpClass;

}  // namespace

TEST_CASE("A warp issues its next operation a stall count later", "[arch][sub_core]") {
  OneSubCore u("mov.u32 %r1, %tid.x;\nmembar.cta;\n");
  u.run_until(2000);
  REQUIRE(u.function.when(OpClass::exit) != kNever);
  CHECK(u.function.when(OpClass::exit) >= u.function.when(OpClass::membar) + u.op(OpClass::membar).stall);
  CHECK(u.sub.stats.inst_issued.value() == u.grid.context.kernel.ops.size());
}

TEST_CASE("A warp that has exited gives its place back", "[arch][sub_core]") {
  OneSubCore u("");
  CHECK(u.sub.free_slots() == u.sub.capacity() - 1);
  u.run_until(1000);
  REQUIRE(u.blocks.retired.size() == 1);
  CHECK(u.sub.free_slots() == u.sub.capacity());
}

TEST_CASE("A warp that has exited stays until its stores have a place on the port", "[arch][sub_core]") {
  OneSubCore u("");
  u.writes[0].issued();
  u.run_until(1000);
  CHECK(u.blocks.retired.empty());
  REQUIRE(u.writes[0].sent(1500));
  u.sub.stores_sent(0, 1000);
  u.run_until(3000);
  REQUIRE(u.blocks.retired.size() == 1);
  CHECK(u.blocks.retired[0].second == 1500);
}

TEST_CASE("A warp that has exited stays until its copies are done", "[arch][sub_core]") {
  OneSubCore u("");
  u.copies.none = false;
  u.run_until(1000);
  CHECK(u.blocks.retired.empty());
  u.copies.none = true;
  u.sub.copies_changed(0, 1000);
  CHECK(u.blocks.retired.size() == 1);
}

TEST_CASE("What needs a result waits until its scoreboard is released", "[arch][sub_core]") {
  OneSubCore u(
      "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd1], "
      "%r2;\n");
  u.function.never_there = OpClass::ldg;
  u.run_until(3000);
  const OpInfo& load = u.op(OpClass::ldg);
  REQUIRE(u.function.when(OpClass::ldg) != kNever);
  REQUIRE(u.function.when(OpClass::stg) == kNever);
  REQUIRE(load.write_scoreboard < 6);
  u.sub.release(0, load.write_scoreboard, u.now);
  u.run_until(6000);
  CHECK(u.function.when(OpClass::stg) >= 3000);
  CHECK(u.function.when(OpClass::stg) != kNever);
  CHECK(u.sub.stats.stalls[static_cast<size_t>(Stall::kLongScoreboard)] > 2000);
}

TEST_CASE("Two warps share the issue slot and none issues in another's cycle", "[arch][sub_core]") {
  OneSubCore u("mov.u32 %r1, %tid.x;\n", 64);
  u.run_until(3000);
  REQUIRE(u.blocks.retired.size() == 2);
  std::vector<Cycle> cycles;
  for (const auto& issue : u.function.issued) cycles.push_back(issue.second);
  std::sort(cycles.begin(), cycles.end());
  CHECK(std::adjacent_find(cycles.begin(), cycles.end()) == cycles.end());
}

TEST_CASE("A full memory queue keeps what goes through it", "[arch][sub_core]") {
  OneSubCore u("ld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], 1;\n");
  while (!u.queues.full(0)) {
    u.queues.reserve(0) = MemoryOp{};
    u.queues.commit(0, 0);
  }
  u.run_until(1000);
  REQUIRE(u.function.when(OpClass::stg) == kNever);
  while (u.queues.full(0)) {
    u.queues.arbitrate(
        u.now, [](MemoryOp&) {}, [](const MemoryOp&) {}, [](unsigned) {});
    ++u.now;
  }
  u.sub.queue_freed(u.now);
  const Cycle freed = u.now;
  u.run_until(2000);
  CHECK(u.function.when(OpClass::stg) >= freed);
  CHECK(u.function.when(OpClass::stg) != kNever);
}

TEST_CASE("A fence of the block takes a pass of shared memory, one beyond it forgets the L1",
          "[arch][sub_core]") {
  OneSubCore block("membar.cta;\n"), gpu("membar.gl;\n");
  block.run_until(3000);
  gpu.run_until(3000);
  CHECK(block.memory.passes == 1);
  CHECK(block.memory.fences == 0);
  CHECK(gpu.memory.passes == 0);
  CHECK(gpu.memory.fences == 1);
  CHECK(gpu.blocks.retired[0].second >= block.blocks.retired[0].second + gpu.gpu.sm.barrier.fence_gpu / 2);
}

TEST_CASE("A fence behind a write ends after the write's answer", "[arch][sub_core]") {
  OneSubCore u("membar.gl;\n");
  u.writes[0].issued();
  u.writes[0].sent(0);
  u.run_until(5000);
  REQUIRE(u.blocks.retired.empty());
  REQUIRE(u.writes[0].answered());
  u.sub.stores_answered(0, 5000);
  u.run_until(9000);
  REQUIRE(u.blocks.retired.size() == 1);
  CHECK(u.blocks.retired[0].second >= 5000 + u.gpu.sm.barrier.fence_drain);
}

TEST_CASE("A wait for copies ends when the groups are done", "[arch][sub_core]") {
  OneSubCore u("cp.async.wait_group 0;\n");
  u.copies.done = false;
  u.run_until(1000);
  CHECK(u.blocks.waiting == 1);
  CHECK(u.blocks.retired.empty());
  u.copies.done = true;
  u.sub.copies_changed(0, 1000);
  u.run_until(2000);
  CHECK(u.blocks.waiting == 0);
  CHECK(u.blocks.retired.size() == 1);
}

TEST_CASE("A warp that waits at its block's barrier issues nothing", "[arch][sub_core]") {
  OneSubCore u("bar.sync 0;\n");
  u.function.stops_at = OpClass::bar;
  u.function.stops_for = ptx::Wait::kBarrier;
  u.run_until(3000);
  CHECK(u.blocks.at_barrier == 1);
  CHECK(u.function.when(OpClass::exit) == kNever);
  u.cta->warps[0]->wait = ptx::Wait::kNone;
  u.sub.resume(0, 3000);
  u.run_until(4000);
  CHECK(u.blocks.retired.size() == 1);
}
