// SPDX-License-Identifier: Apache-2.0
// Blocks on several host threads give what they give one after another.
#include <algorithm>
#include <thread>

#include "base/error.h"
#include "ptx/passes/independent_blocks.h"
#include "tests/unit/ptx/exec/run_ptx.h"

using namespace gpuloom;
using namespace gpuloom::test;

namespace {

// Some thousand instructions a warp: the launch is worth several threads after a few blocks.
const char* kWork = R"(
mov.u32 %r2, 0; mov.u32 %r3, 700;
WORK: mad.lo.u32 %r0, %r0, 1664525, %r1; xor.b32 %r0, %r0, %r2; add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, %r3; @%p1 bra WORK;
)";

Shape many_blocks(unsigned threads) {
  Shape shape;
  shape.block = {96, 1, 1};
  shape.grid = {61, 1, 1};
  shape.options.threads = threads;
  shape.options.independent = [] { return true; };
  return shape;
}

std::string dependence(const std::string& body, const std::string& before = "") {
  const PtxRun run(body, {}, before);
  return std::string(find_block_dependence(*run.program).what);
}

}  // namespace

TEST_CASE("A grid on several host threads leaves and counts what it does on one") {
  Shape alone = many_blocks(1);
  alone.options.per_instruction = true;
  const PtxRun one(kWork, alone);
  REQUIRE(one.result.threads == 1);
  for (const unsigned threads : {2u, 3u, 8u, 100u}) {
    Shape shape = many_blocks(threads);
    shape.options.per_instruction = true;
    const PtxRun several(kWork, shape);
    CHECK(several.result.threads == std::clamp(several.result.threads, std::min(threads, 30u), threads));
    CHECK(several.values == one.values);
    CHECK(several.result.blocks == 61);
    CHECK(several.result.warp_instructions == one.result.warp_instructions);
    CHECK(several.result.thread_instructions == one.result.thread_instructions);
    CHECK(several.result.executed == one.result.executed);
    CHECK(several.result.thread_executed == one.result.thread_executed);
  }
}

TEST_CASE("Clusters stay on one host thread, and share their blocks' memory there") {
  const std::string body = std::string(kWork) + R"(
.shared .b32 word; mapa.shared::cluster.u32 %r5, word, 0; mov.u32 %r6, 1;
red.shared::cluster.add.u32 [%r5], %r6;
barrier.cluster.arrive; barrier.cluster.wait; ld.shared::cluster.u32 %r7, [%r5]; add.u32 %r0, %r0, %r7;
barrier.cluster.arrive; barrier.cluster.wait;
)";
  const auto in = [](unsigned threads) {
    Shape shape = many_blocks(threads);
    shape.grid = {64, 1, 1};
    shape.cluster = {4, 1, 1};
    return shape;
  };
  const PtxRun one(body, in(1)), three(body, in(3));
  CHECK(three.result.threads == 3);
  CHECK(three.values == one.values);
  CHECK(one[0] != 0);
}

TEST_CASE("Reductions of several host threads at one word lose nothing") {
  const std::string body = std::string(kWork) + R"(
mov.u32 %r5, 200; mov.u32 %r6, 0; ADD: red.global.add.u32 [%scratch], 1; red.global.max.u32 [%scratch+4], %r1;
red.global.add.u64 [%scratch+8], 3; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r5; @%p1 bra ADD;
)";
  const PtxRun run(body, many_blocks(4));
  CHECK(run.result.threads == 4);
  constexpr uint64_t kTimes = 61 * 96 * 200;
  CHECK(run.scratch_word(0) == (uint64_t{61 * 96 - 1} << 32 | kTimes));
  CHECK(run.scratch_word(1) == kTimes * 3);
}

TEST_CASE("Of several faults the first block's is told, whatever the number of host threads") {
  const std::string body = std::string(kWork) + R"(
mov.u64 %w1, 8; setp.eq.u32 %p2, %cta, 50; @%p2 st.global.u32 [%w1], %r0;
setp.eq.u32 %p3, %cta, 33; @%p3 st.global.u32 [%w1+16], %r0;
)";
  const std::string one = fault_of(body, many_blocks(1));
  CHECK(contains(one, "block (33,0,0)"));
  for (int turn = 0; turn < 5; ++turn) CHECK(fault_of(body, many_blocks(4)) == one);
}

TEST_CASE("A block that waits for a later one meets it on another host thread or in its turn") {
  Shape shape = many_blocks(2);
  shape.grid = {9, 1, 1};
  const PtxRun run(std::string(kWork) + R"(
setp.ne.u32 %p1, %cta, 8; @%p1 bra OTHERS; st.global.u32 [%scratch], 7;
OTHERS: setp.ne.u32 %p1, %cta, 0; @%p1 bra END;
WAIT: ld.global.u32 %r0, [%scratch]; setp.ne.u32 %p1, %r0, 7; @%p1 bra WAIT;
END:
)",
                   shape);
  CHECK(run[0] == 7);
}

TEST_CASE("Progress is asked for on the launch's own thread, and ends a launch on several") {
  Shape shape = many_blocks(3);
  shape.grid = {4000, 1, 1};
  const auto own = std::this_thread::get_id();
  bool elsewhere = false;
  shape.options.progress = [&](const ptx::FunctionalProgress& p) {
    elsewhere = elsewhere || std::this_thread::get_id() != own;
    return p.blocks_done < 500;
  };
  shape.options.keep_partial = true;
  const PtxRun run(kWork, shape);
  CHECK(!run.result.complete);
  CHECK(!elsewhere);
  CHECK(run.result.blocks >= 500);
  CHECK(run.result.blocks < 4000);
  shape.options.keep_partial = false;
  CHECK_THROWS_AS(PtxRun(kWork, shape), Error);
}

TEST_CASE(
    "Blocks depend on each other by what atomics return, by order, by waiting and by the device's runtime") {
  CHECK(dependence(kWork).empty());
  CHECK(dependence("red.global.add.u32 [%scratch], 1; red.global.xor.b64 [%scratch+8], %w1;").empty());
  CHECK(dependence("atom.global.add.u32 %r5, [%scratch], 1;").empty());  // nobody reads it
  CHECK(dependence("atom.global.add.u32 %r0, [%scratch], 1;") == "what an atomic returns");
  CHECK(dependence("atom.add.u32 %r0, [%scratch], 1;") == "what an atomic returns");
  CHECK(dependence("atom.global.exch.b32 %r5, [%scratch], %r1;") == "an atomic whose order counts");
  CHECK(dependence("red.global.inc.u32 [%scratch], 5;") == "an atomic whose order counts");
  CHECK(dependence("red.global.add.f32 [%scratch], 0f3F800000;") == "an atomic whose order counts");
  CHECK(dependence(".shared .b32 word; atom.shared.add.u32 %r0, [word], 1;").empty());
  CHECK(dependence("ld.volatile.global.u32 %r0, [%scratch];") ==
        "a load that other blocks' stores may change");
  CHECK(dependence("ld.acquire.gpu.u32 %r0, [%scratch];") == "a load that other blocks' stores may change");
  CHECK(dependence("ld.global.cv.u32 %r0, [%scratch];") == "a load that other blocks' stores may change");
  CHECK(dependence("ld.global.u32 %r0, [%scratch]; st.volatile.global.u32 [%scratch], %r0;").empty());
  CHECK(dependence(".shared .b32 word; ld.volatile.shared.u32 %r0, [word];").empty());
  // Whether a load may look at what others reduce.
  CHECK(dependence("ld.global.u32 %r0, [%scratch]; red.global.or.b32 [%scratch], 1;") ==
        "a load of what other blocks reduce");
  CHECK(dependence("ld.global.u32 %r0, [%scratch]; red.global.or.b32 [%out], 1;").empty());
  CHECK(dependence("ld.global.nc.u32 %r0, [%scratch]; red.global.or.b32 [%scratch], 1;").empty());
  CHECK(dependence("mul.wide.u32 %w1, %r1, 4; add.u64 %w2, %scratch, %w1; ld.global.u32 %r0, [%w2];"
                   "mov.u64 %w3, %out; red.global.add.u32 [%w3], %r0;")
            .empty());
  CHECK(dependence(
            "ld.global.u64 %w1, [%scratch]; setp.eq.u32 %p1, %lane, 99; @%p1 red.global.or.b32 [%w1], 1;") ==
        "a load of what other blocks reduce");
  CHECK(dependence("mov.u32 %r0, %clock;") == "a clock");
  CHECK(dependence("nanosleep.u32 100;") == "a sleep");
  const std::string print = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);";
  CHECK(dependence("{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %scratch; st.param.b64 "
                   "[a], %scratch; call (r), vprintf, (f, a); }",
                   print) == "a call of the device's runtime");
}

TEST_CASE("A grid whose blocks depend on each other stays on one host thread") {
  Shape shape = many_blocks(4);
  bool asked = false;
  shape.options.independent = [&] { return !(asked = true); };
  const PtxRun run(kWork, shape);
  CHECK(asked);
  CHECK(run.result.threads == 1);
}

TEST_CASE("A block that takes over another one's memory finds it as new") {
  // %r5 is read before it is written, and so are shared and local memory; then each block leaves something.
  Shape shape;
  shape.block = {96, 1, 1};
  shape.grid = {200, 1, 1};
  const std::string body = R"(
.shared .b32 word[96]; .local .b32 stack[4]; .reg .b32 %a; .reg .b32 %s; .reg .pred %q;
mov.u32 %a, word; shl.b32 %s, %tid, 2; add.u32 %a, %a, %s;
ld.shared.u32 %r2, [%a]; ld.local.u32 %r3, [stack+4];
or.b32 %r0, %r2, %r3; or.b32 %r0, %r0, %r5; selp.u32 %r4, 1, 0, %q; or.b32 %r0, %r0, %r4;
st.shared.u32 [%a], 7; st.local.u32 [stack+4], 9; mov.u32 %r5, 11; setp.eq.u32 %q, %tid, %tid;
bar.sync 0; add.u32 %r0, %r0, 100; @%q add.u32 %r0, %r0, %r5;
)";
  const PtxRun run(body, shape);
  CHECK(std::all_of(run.values.begin(), run.values.end(), [](uint32_t v) { return v == 111; }));
  Shape clusters = shape;
  clusters.cluster = {4, 1, 1};
  const PtxRun together(body, clusters);
  CHECK(together.values == run.values);
}

TEST_CASE("Places of threads are right in each block, however its rows lie in warps") {
  for (const ptx::Dim3 block :
       {ptx::Dim3{64, 3, 1}, ptx::Dim3{48, 2, 2}, ptx::Dim3{7, 5, 3}, ptx::Dim3{96, 1, 2}}) {
    Shape shape;
    shape.block = block;
    shape.grid = {3, 1, 1};
    const std::string body = R"(
mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mad.lo.u32 %r0, %r2, 1000, %tid; mad.lo.u32 %r0, %r3, 1000000, %r0;
mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.x; mad.lo.u32 %r6, %r3, %r4, %r2; mad.lo.u32 %r6, %r6, %r5, %tid;
mul.lo.u32 %r7, %r4, %r5; mov.u32 %r8, %ntid.z; mul.lo.u32 %r7, %r7, %r8; mad.lo.u32 %r6, %cta, %r7, %r6;
ld.param.u64 %out, [out]; mul.wide.u32 %at, %r6, 4; add.u64 %out, %out, %at;
)";
    const PtxRun run(body, shape);
    const uint32_t count = block.x * block.y * block.z;
    for (uint32_t k = 0; k < run.values.size(); ++k) {
      const uint32_t t = k % count;
      REQUIRE(run[k] == t % block.x + 1000 * (t / block.x % block.y) + 1000000 * (t / block.x / block.y));
    }
  }
}

TEST_CASE("Warps leave a barrier together: each reads what it should before the next phase overwrites it") {
  // The first warp writes a word for all, twice, with a barrier behind each but none before the second write:
  // a race, which a GPU's order of warps hides.
  Shape shape;
  shape.block = {256, 1, 1};
  const PtxRun run(R"(
.shared .b32 word; .reg .pred %first; setp.lt.u32 %first, %tid, 32;
@%first st.shared.u32 [word], 5;
bar.sync 0; ld.shared.u32 %r0, [word];
mov.u32 %r2, 0;
WORK: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra WORK;
@%first st.shared.u32 [word], 6;
bar.sync 0; ld.shared.u32 %r3, [word]; mad.lo.u32 %r0, %r0, 10, %r3;
)",
                   shape);
  CHECK(std::all_of(run.values.begin(), run.values.end(), [](uint32_t v) { return v == 56; }));
}
