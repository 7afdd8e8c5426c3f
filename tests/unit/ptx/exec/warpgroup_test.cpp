// SPDX-License-Identifier: Apache-2.0
// Warpgroups with and without time, and clusters whose blocks end one after the other.
#include "sim/runtime/device.h"
#include "tests/unit/ptx/exec/run_ptx.h"

using namespace gpuloom;
using namespace gpuloom::test;

namespace {

// A (64 x 16) and B (16 x 8) of ones; %db, %da are their descriptors. `late` is what a warp does between its
// product and what it stores in %r0.
std::string product(const std::string& late) {
  return R"(
.shared .align 128 .b8 a[2048]; .shared .align 128 .b8 b[256]; .shared .align 8 .b64 gate;
.reg .b64 %da, %db; .reg .f32 %f<4>;
mov.u32 %r1, a; mov.u32 %r2, b; mov.u32 %r3, gate;
setp.eq.u32 %p1, %tid, 0;
@%p1 mbarrier.init.shared.b64 [%r3], 1;
and.b32 %r8, %tid, 127; shl.b32 %r4, %r8, 4; add.u32 %r5, %r1, %r4;
mov.b32 %r6, 0x3c003c00;
st.shared.v4.b32 [%r5], {%r6, %r6, %r6, %r6};
shl.b32 %r4, %r8, 1; add.u32 %r5, %r2, %r4;
mov.b32 %r6, 0x3c00; { .reg .b16 %h; cvt.u16.u32 %h, %r6; st.shared.b16 [%r5], %h; }
fence.proxy.async;
bar.sync 0;
shr.u32 %r4, %r1, 4; cvt.u64.u32 %da, %r4; or.b64 %da, %da, 0x1000080000;
shr.u32 %r4, %r2, 4; cvt.u64.u32 %db, %r4; or.b64 %db, %db, 0x1000080000;
mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000;
shr.u32 %r7, %tid, 5;
)" + late +
         R"(
cvt.rzi.u32.f32 %r0, %f0;
)";
}

const std::string kMultiply = R"(
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %da, %db, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
)";

// One thread gives the operand back as soon as its own warp has waited, as CUTLASS and Triton do, and it is
// overwritten at once.
const std::string kOverwrite = R"(
mov.b32 %r6, 0;
st.shared.v4.b32 [%r2], {%r6, %r6, %r6, %r6};
st.shared.v4.b32 [%r2+128], {%r6, %r6, %r6, %r6};
)";
// Warp 2 comes 20,000 turns after the others.
const std::string kLate = R"(
setp.ne.u32 %p1, %r7, 2; mov.u32 %r9, 0;
@%p1 bra MULTIPLY;
SPIN: add.u32 %r9, %r9, 1; mul.lo.u32 %r10, %r9, %r9; setp.lt.u32 %p2, %r9, 20000; @%p2 bra SPIN;
MULTIPLY:
)";

// What each thread leaves in %r0.
std::vector<uint32_t> run_in(sim::Mode mode, const std::string& body, uint32_t threads, bool lowered = true) {
  sim::ModuleOptions how;
  how.lowering.emplace().lowering = lowered ? ptx::Lowering::kMachine : ptx::Lowering::kNone;
  sim::Device device({.config = "h200", .mode = mode});
  sim::LoadedModule& module = device.load_text(R"(
.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<20>; .reg .pred %p<10>; .reg .b64 %out, %at; .reg .b32 %tid;
mov.u32 %tid, %tid.x; mov.u32 %r0, 0;
ld.param.u64 %out, [out]; mul.wide.u32 %at, %tid, 4; add.u64 %out, %out, %at;
)" + body + "st.global.u32 [%out], %r0;\nret;\n}\n",
                                               "warpgroup.ptx", how);
  const uint64_t out = device.memory().allocate(threads * 4, "out");
  sim::LaunchRequest r;
  r.kernel = &module.kernel("k");
  r.block = {threads, 1, 1};
  r.params.resize(8);
  std::memcpy(r.params.data(), &out, 8);
  device.launch(r);
  std::vector<uint32_t> got(threads);
  device.memory().read(out, got.data(), threads * 4);
  return got;
}

}  // namespace

TEST_CASE("No warp goes beyond a product before its warpgroup has come to it", "[warpgroup][timed]") {
  const sim::Mode mode = GENERATE(sim::Mode::kFunctional, sim::Mode::kTimed);
  const bool lowered = GENERATE(true, false);
  const std::string late = GENERATE(std::string(), kLate);
  CHECK(run_in(mode, product(late + kMultiply + kOverwrite), 128, lowered) == std::vector<uint32_t>(128, 16));
}

TEST_CASE("Warpgroups of a block do not wait for each other", "[warpgroup][timed]") {
  // The second group comes to its product only after the first has gone beyond its own.
  const sim::Mode mode = GENERATE(sim::Mode::kFunctional, sim::Mode::kTimed);
  CHECK(run_in(mode, product(R"(
setp.ge.u32 %p1, %r7, 4; setp.eq.u32 %p2, %tid, 0;
@!%p1 bra MULTIPLY;
WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0; @!%p3 bra WAIT;
MULTIPLY:
)" + kMultiply + R"(
@%p2 mbarrier.arrive.shared.b64 _, [%r3];
)"),
               256) == std::vector<uint32_t>(256, 16));
}

TEST_CASE("A warp that has ended is not waited for at a product", "[warpgroup][timed]") {
  const sim::Mode mode = GENERATE(sim::Mode::kFunctional, sim::Mode::kTimed);
  // It ends before the others come, or long after.
  const std::string late = GENERATE(std::string(), kLate);
  const std::vector<uint32_t> got =
      run_in(mode, product(late + "setp.eq.u32 %p1, %r7, 2; @%p1 exit;" + kMultiply), 128);
  CHECK(got[0] == 16);
  CHECK(got[64] == 0);
  CHECK(got[127] == 16);
}

TEST_CASE("A warpgroup that never comes together is a deadlock that says so", "[warpgroup][timed]") {
  const sim::Mode mode = GENERATE(sim::Mode::kFunctional, sim::Mode::kTimed);
  CHECK_THROWS_WITH(
      run_in(mode, product(R"(
setp.eq.u32 %p1, %r7, 2;
@%p1 bra WAIT;
)" + kMultiply + R"(
bra.uni END;
WAIT: bar.sync 1, 64;
END:
)"),
             128),
      Catch::Matchers::ContainsSubstring("waits at a wgmma for the other warps of its warpgroup"));
}

namespace {

const char* const kEnded = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
.explicitcluster .reqnctapercluster 2, 1, 1
{
.reg .b32 %r<8>; .reg .pred %p<3>; .reg .b64 %w<3>;
.shared .align 8 .b32 word; .shared .align 8 .b64 gate;
ld.param.u64 %w0, [out];
mov.u32 %r0, %cluster_ctarank; setp.eq.u32 %p0, %r0, 0;
mov.u32 %r1, word; mov.u32 %r2, 41; st.shared.u32 [%r1], %r2;
mov.u32 %r7, gate; mbarrier.init.shared.b64 [%r7], 1;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
@%p0 exit;
mov.u32 %r3, 0;
LOOP: add.u32 %r3, %r3, 1; mul.lo.u32 %r6, %r3, %r3; setp.lt.u32 %p1, %r3, 20000; @%p1 bra LOOP;
ACCESS
st.global.u32 [%w0], %r5;
ret;
}
)";

std::string ended(std::string_view access) {
  std::string text = kEnded;
  return text.replace(text.find("ACCESS"), 6, access);
}
const char* const kLoad = "mapa.shared::cluster.u32 %r4, %r1, 0; ld.shared::cluster.u32 %r5, [%r4];";
const char* const kArrive =
    "mov.u32 %r5, 41; mapa.shared::cluster.u32 %r4, %r7, 0; "
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];";

struct Ended {
  uint32_t value = 0;
  std::vector<std::string> notes;
};
Ended run_ended(sim::Mode mode, const char* access) {
  sim::Device device({.config = "h200", .mode = mode});
  sim::LoadedModule& module = device.load_text(ended(access), "ended.ptx");
  const uint64_t out = device.memory().allocate(64, "out");
  sim::LaunchRequest r;
  r.kernel = &module.kernel("k");
  r.grid = {2, 1, 1};
  r.block = {32, 1, 1};
  r.params.resize(8);
  std::memcpy(r.params.data(), &out, 8);
  device.launch(r);
  Ended result{0, device.notes()};
  device.memory().read(out, &result.value, 4);
  return result;
}

}  // namespace

TEST_CASE("Without time, a block's shared memory stays until its cluster has ended, with a note",
          "[cluster]") {
  const char* const access = GENERATE(kLoad, kArrive);
  const Ended result = run_ended(sim::Mode::kFunctional, access);
  CHECK(result.value == 41);
  REQUIRE(result.notes.size() == 1);
  CHECK(contains(result.notes[0], "names a block of its cluster that has ended (rank 0)"));
  CHECK(contains(result.notes[0], "error 719"));
}

TEST_CASE("With time, reading from a block that has ended stops the kernel, as on the H200", "[cluster]") {
  CHECK_THROWS_WITH(run_ended(sim::Mode::kTimed, kLoad),
                    Catch::Matchers::ContainsSubstring("names a block of its cluster that has ended"));
}

TEST_CASE("With time, a last arrival at a block that has ended is a note", "[cluster]") {
  const Ended result = run_ended(sim::Mode::kTimed, kArrive);
  CHECK(result.value == 41);
  CHECK(result.notes.size() == 1);
}
