// SPDX-License-Identifier: Apache-2.0
// Warpgroups in the functional engine, and clusters whose blocks end one after the other.
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

}  // namespace

TEST_CASE("No warp goes beyond a product before its warpgroup has come to it", "[warpgroup]") {
  // One thread gives the operand back as soon as its own warp has waited, as CUTLASS and Triton do, and it is
  // overwritten at once.
  const PtxRun run(product(kMultiply + R"(
mov.b32 %r6, 0;
st.shared.v4.b32 [%r2], {%r6, %r6, %r6, %r6};
st.shared.v4.b32 [%r2+128], {%r6, %r6, %r6, %r6};
)"),
                   {.block = {128, 1, 1}});
  for (size_t t = 0; t < 128; ++t) CHECK(run[t] == 16);
}

TEST_CASE("Warpgroups of a block do not wait for each other", "[warpgroup]") {
  // The second group comes to its product only after the first has gone beyond its own.
  const PtxRun run(product(R"(
setp.ge.u32 %p1, %r7, 4; setp.eq.u32 %p2, %tid, 0;
@!%p1 bra MULTIPLY;
WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0; @!%p3 bra WAIT;
MULTIPLY:
)" + kMultiply + R"(
@%p2 mbarrier.arrive.shared.b64 _, [%r3];
)"),
                   {.block = {256, 1, 1}});
  for (size_t t = 0; t < 256; ++t) CHECK(run[t] == 16);
}

TEST_CASE("A warp that has ended is not waited for at a product", "[warpgroup]") {
  const PtxRun run(product("setp.eq.u32 %p1, %r7, 2; @%p1 exit;" + kMultiply), {.block = {128, 1, 1}});
  CHECK(run[0] == 16);
  CHECK(run[64] == 0);
  CHECK(run[127] == 16);
}

TEST_CASE("A warpgroup that never comes together is a deadlock that says so", "[warpgroup]") {
  const std::string text = fault_of(product(R"(
setp.eq.u32 %p1, %r7, 2;
@%p1 bra WAIT;
)" + kMultiply + R"(
bra.uni END;
WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0; @!%p3 bra WAIT;
END:
)"),
                                    {.block = {128, 1, 1}});
  CHECK(contains(text, "waits at a wgmma for the other warps of its warpgroup"));
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
