// SPDX-License-Identifier: Apache-2.0
// Accesses that take effect at the memory partition are not overtaken by what the program orders behind them.
#include "ptx/exec/late_accesses.h"

#include <cstring>

#include "ptx/exec/cta.h"
#include "sim/runtime/device.h"
#include "tests/catch2.h"

using namespace gpuloom;

namespace {

// Runs a block of 64 threads in time; %x is the address of words that are zero, %out the thread's own word.
std::vector<uint32_t> run(const std::string& body, bool lowered) {
  sim::ModuleOptions how;
  how.lowering.emplace().lowering = lowered ? ptx::Lowering::kMachine : ptx::Lowering::kNone;
  sim::Device device({.config = "h200", .mode = sim::Mode::kTimed});
  sim::LoadedModule& module = device.load_text(R"(
.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 x)
{
.reg .b32 %r<10>; .reg .pred %first, %p<4>; .reg .b64 %out, %at, %x; .reg .b32 %tid;
.shared .align 128 .b8 tile[128];
mov.u32 %tid, %tid.x; mov.u32 %r0, 0; setp.eq.u32 %first, %tid, 0;
ld.param.u64 %x, [x]; ld.param.u64 %out, [out]; mul.wide.u32 %at, %tid, 4; add.u64 %out, %out, %at;
)" + body + "st.global.u32 [%out], %r0;\nret;\n}\n",
                                               "late.ptx", how);
  const uint64_t out = device.memory().allocate(256, "out"), x = device.memory().allocate(256, "x");
  sim::LaunchRequest r;
  r.kernel = &module.kernel("k");
  r.block = {64, 1, 1};
  r.params.resize(16);
  std::memcpy(r.params.data(), &out, 8);
  std::memcpy(r.params.data() + 8, &x, 8);
  device.launch(r);
  std::vector<uint32_t> got(128);
  device.memory().read(out, got.data(), 256);
  device.memory().read(x, got.data() + 64, 256);
  return got;
}

}  // namespace

TEST_CASE("Behind a barrier a load sees what other threads' atomics did before it", "[late][timed]") {
  const bool lowered = GENERATE(true, false);
  const char* const store =
      GENERATE("@%first red.global.add.u32 [%x], 5;", "@%first st.volatile.global.u32 [%x], 5;",
               "@%first atom.global.exch.b32 %r1, [%x], 5;");
  const std::vector<uint32_t> got =
      run(std::string(store) + "bar.sync 0; ld.global.v2.u32 {%r0, %r2}, [%x];", lowered);
  for (size_t t = 0; t < 64; ++t) CHECK(got[t] == 5);
}

TEST_CASE("Behind a fence and a flag in shared memory a load sees another warp's atomic", "[late][timed]") {
  const bool lowered = GENERATE(true, false);
  const std::vector<uint32_t> got = run(R"(
mov.u32 %r1, tile; mov.u32 %r2, 0;
@%first st.shared.u32 [%r1], %r2;
bar.sync 0;
setp.ge.u32 %p1, %tid, 32;
@%p1 bra WAIT;
@%first red.global.add.u32 [%x], 5;
membar.cta;
@%first st.volatile.shared.u32 [%r1], 1;
bra.uni END;
WAIT: ld.volatile.shared.u32 %r3, [%r1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT;
membar.cta;
ld.global.u32 %r0, [%x];
END:
)",
                                        lowered);
  for (size_t t = 32; t < 64; ++t) CHECK(got[t] == 5);
}

TEST_CASE("Lanes of a warp see each other's atomics behind bar.warp.sync", "[late][timed]") {
  const bool lowered = GENERATE(true, false);
  const std::vector<uint32_t> got =
      run("mov.u32 %r3, 9; @%first red.global.max.u32 [%x+8], %r3; bar.warp.sync -1; @!%first ld.global.u32 "
          "%r0, [%x+8];",
          lowered);
  CHECK(got[1] == 9);
  CHECK(got[31] == 9);
}

TEST_CASE("Behind a barrier a store does not change what other threads read before it", "[late][timed]") {
  const bool lowered = GENERATE(true, false);
  const std::vector<uint32_t> got = run(R"(
setp.lt.u32 %p1, %tid, 32;
@%p1 ld.volatile.global.u32 %r0, [%x];
bar.sync 0;
@!%p1 st.global.u32 [%x], 7;
)",
                                        lowered);
  for (size_t t = 0; t < 32; ++t) CHECK(got[t] == 0);
  CHECK(got[64] == 7);
}

TEST_CASE("A bulk store does not overtake an atomic of its thread to the same bytes", "[late][timed]") {
  const bool lowered = GENERATE(true, false);
  const std::vector<uint32_t> got = run(R"(
mov.u32 %r1, tile; mov.u32 %r2, 7;
@!%first bra END;
st.shared.v4.b32 [%r1], {%r2, %r2, %r2, %r2};
red.global.add.u32 [%x+4], 5;
fence.proxy.async;
cp.async.bulk.global.shared::cta.bulk_group [%x], [%r1], 16;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
END:
)",
                                        lowered);
  for (size_t k = 64; k < 68; ++k) CHECK(got[k] == 7);
}

namespace {

ptx::DeferredAtomic record_of(uint32_t lanes, uint64_t first, uint64_t second) {
  ptx::DeferredAtomic record;
  record.lanes = lanes;
  record.size = 4;
  record.address[0] = first;
  record.address[1] = second;
  return record;
}

}  // namespace

TEST_CASE("What is under way is told apart by its bytes", "[late]") {
  ptx::Cta block;
  ptx::Warp warp;
  warp.cta = &block;
  const ptx::DeferredAtomic record = record_of(0x3, 1000, 5000);
  ptx::LateAccesses late;
  late.add(record, warp);
  const auto touches = [&](uint64_t address, uint64_t bytes) { return late.touch(warp, address, bytes); };
  CHECK(touches(1000, 4));
  CHECK(touches(1003, 1));
  CHECK(touches(900, 101));
  CHECK(touches(0, 10'000));
  CHECK(touches(4996, 8));
  CHECK_FALSE(touches(1004, 4));
  CHECK_FALSE(touches(900, 100));
  CHECK_FALSE(touches(3000, 4));
  CHECK_FALSE(touches(1000 + 64 * 32, 4));  // the same piece modulo 64
  CHECK_FALSE(touches(1000, 0));
  ptx::MemoryAccess access;
  access.lane_bytes = 8;
  access.address[3] = 4994;
  access.address[5] = 996;
  CHECK(late.touch(warp, access, 1u << 3));
  CHECK(late.touch(warp, access, 1u << 5));
  access.address[5] = 992;
  CHECK_FALSE(late.touch(warp, access, 1u << 5));
  late.remove(record);
  CHECK(late.empty());
  CHECK_FALSE(touches(1000, 4));
}

TEST_CASE("Other warps wait behind a fence or a barrier alone, other blocks not at all", "[late]") {
  ptx::Cta block, other_block;
  ptx::Warp warp, second, elsewhere;
  warp.cta = second.cta = &block;
  elsewhere.cta = &other_block;
  const ptx::DeferredAtomic record = record_of(0x1, 1000, 0);
  ptx::LateAccesses late;
  late.add(record, warp);
  CHECK(late.touch(warp, 1000, 4));
  CHECK_FALSE(late.touch(second, 1000, 4));
  SECTION("a fence of the warp") { late.fenced(warp); }
  SECTION("the end of a phase") { ++block.phase_changes; }
  CHECK(late.touch(second, 1000, 4));
  CHECK_FALSE(late.touch(elsewhere, 1000, 4));
}
