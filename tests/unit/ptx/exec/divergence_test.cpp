// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ptx/exec/run_ptx.h"

using namespace gpuloom;
using namespace gpuloom::test;

TEST_CASE("Both sides of a divergent branch run and the lanes meet behind it") {
  const PtxRun run(R"(
    and.b32 %r1, %lane, 1; setp.eq.u32 %p1, %r1, 0;
    @%p1 bra EVEN;
    mov.u32 %r0, 100; bra MEET;
    EVEN: mov.u32 %r0, 200;
    MEET: activemask.b32 %r2; popc.b32 %r2, %r2; add.u32 %r0, %r0, %r2;)");
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == (l % 2 ? 132u : 232u));
}

TEST_CASE("Nested divergent loops with different trip counts end with all lanes together") {
  const PtxRun run(R"(
    mov.u32 %r1, 0;
    OUTER: setp.gt.u32 %p1, %r1, %lane; @%p1 bra DONE;
    mov.u32 %r2, 0;
    INNER: setp.ge.u32 %p2, %r2, %r1; @%p2 bra NEXT;
    add.u32 %r0, %r0, 1; add.u32 %r2, %r2, 1; bra INNER;
    NEXT: add.u32 %r1, %r1, 1; bra OUTER;
    DONE: activemask.b32 %r3; setp.ne.u32 %p3, %r3, 0xffffffff; @%p3 mov.u32 %r0, 9999;)");
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == l * (l + 1) / 2);
}

TEST_CASE("Lanes that exit early do not hold up the others") {
  const PtxRun run(R"(
    setp.lt.u32 %p1, %lane, 10;
    st.global.u32 [%out], 7;
    @%p1 exit;
    activemask.b32 %r0;
    bar.sync 0;)");
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == (l < 10 ? 7u : 0xfffffc00u));
}

TEST_CASE("A lane that leaves a divergent region by exit is not waited for") {
  const PtxRun run(R"(
    setp.lt.u32 %p1, %lane, 16; setp.eq.u32 %p2, %lane, 3;
    st.global.u32 [%out], 1;
    @!%p1 bra REST;
    @%p2 exit;
    mov.u32 %r0, 5; bra MEET;
    REST: mov.u32 %r0, 6;
    MEET: activemask.b32 %r1; popc.b32 %r1, %r1; mad.lo.u32 %r0, %r1, 100, %r0;)");
  CHECK(run[3] == 1);
  CHECK(run[0] == 3105);
  CHECK(run[31] == 3106);
}

TEST_CASE("An indexed branch sends every lane its way") {
  const PtxRun run(R"(
    and.b32 %r1, %lane, 3;
    TABLE: .branchtargets A, B, C, D;
    brx.idx %r1, TABLE;
    A: mov.u32 %r0, 10; bra MEET;
    B: mov.u32 %r0, 20; bra MEET;
    C: mov.u32 %r0, 30; bra MEET;
    D: mov.u32 %r0, 40;
    MEET: activemask.b32 %r2; popc.b32 %r2, %r2; add.u32 %r0, %r0, %r2;)");
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == 10 * (l % 4 + 1) + 32);
}

TEST_CASE("A spin lock inside one warp lets every lane in once") {
  const PtxRun run(R"(
    mov.u32 %r5, 0;
    TRY: setp.ne.u32 %p1, %r5, 0; @%p1 bra DONE;
    atom.global.cas.b32 %r1, [%scratch], 0, 1;
    setp.ne.u32 %p2, %r1, 0; @%p2 bra TRY;
    ld.volatile.global.u32 %r2, [%scratch+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%scratch+4], %r2;
    mov.u32 %r0, %r2; mov.u32 %r5, 1;
    atom.global.exch.b32 %r1, [%scratch], 0;
    bra TRY;
    DONE:)");
  uint64_t seen = 0;
  for (unsigned l = 0; l < 32; ++l) seen |= 1ull << run[l];
  CHECK(seen == 0x1fffffffeull);
}

TEST_CASE(
    "A lock that is taken in a loop of its own makes progress although the winner waits at the loop's end") {
  const PtxRun run(R"(
    TRY: atom.global.cas.b32 %r1, [%scratch], 0, 1;
    setp.ne.u32 %p1, %r1, 0; @%p1 bra TRY;
    ld.volatile.global.u32 %r2, [%scratch+4]; add.u32 %r0, %r2, 1; st.volatile.global.u32 [%scratch+4], %r0;
    atom.global.exch.b32 %r1, [%scratch], 0;)");
  uint64_t seen = 0;
  for (unsigned l = 0; l < 32; ++l) seen |= 1ull << run[l];
  CHECK(seen == 0x1fffffffeull);
}

TEST_CASE("A lock that a lane frees is another lane's at its next try") {
  const PtxRun run(R"(
    TRY: add.u32 %r0, %r0, 1; atom.global.cas.b32 %r1, [%scratch], 0, 1;
    setp.ne.u32 %p1, %r1, 0; @%p1 bra TRY;
    st.volatile.global.u32 [%scratch+4], %lane;
    atom.global.exch.b32 %r1, [%scratch], 0;)");
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == l + 1);  // an H200: l + 1 (`loop`, counted)
}

TEST_CASE("Lanes pass their meeting point at once where a lane that they wait for polls or sleeps") {
  for (const std::string wait : {"", "nanosleep.u32 20;"}) {
    const PtxRun run(R"(
      setp.ne.u32 %p1, %lane, 0; @%p1 bra MEET;
      WAIT: add.u32 %r0, %r0, 1; )" +
                     wait + R"( ld.volatile.global.u32 %r2, [%scratch];
      setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;
      MEET: setp.eq.u32 %p3, %lane, 5;
      @%p3 st.volatile.global.u32 [%scratch], 78;)");
    CHECK(run[0] <= 2);
  }
}

TEST_CASE("Lanes that came to a barrier one after another leave it together") {
  const PtxRun run(R"(
    TRY: atom.global.cas.b32 %r1, [%scratch], 0, 1;
    setp.ne.u32 %p1, %r1, 0; @%p1 bra TRY;
    atom.global.exch.b32 %r1, [%scratch], 0;
    bar.sync 0;
    activemask.b32 %r0;)");
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == 0xffffffffu);
}

TEST_CASE("A lane may wait for a value that another lane of its warp produces") {
  const PtxRun run(R"(
    setp.ne.u32 %p1, %lane, 0; @%p1 bra PRODUCE;
    WAIT: ld.acquire.gpu.global.u32 %r0, [%scratch]; setp.eq.u32 %p2, %r0, 0; @%p2 bra WAIT;
    bra DONE;
    PRODUCE: setp.ne.u32 %p3, %lane, 31; @%p3 bra DONE;
    st.release.gpu.global.u32 [%scratch], 77;
    DONE:)");
  CHECK(run[0] == 77);
}

TEST_CASE("A producer that comes after the meeting point of a waiting lane still gets there") {
  const PtxRun run(R"(
    setp.ne.u32 %p1, %lane, 0; @%p1 bra MEET;
    WAIT: ld.acquire.gpu.global.u32 %r0, [%scratch]; setp.eq.u32 %p2, %r0, 0; @%p2 bra WAIT;
    MEET: setp.eq.u32 %p3, %lane, 5;
    @%p3 st.release.gpu.global.u32 [%scratch], 78;)");
  CHECK(run[0] == 78);
}

TEST_CASE("Convergent code has no convergence sets but the current one") {
  const PtxRun run("LOOP: add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 1000; @%p1 bra LOOP;");
  CHECK(run[5] == 1000);
  CHECK(run.result.thread_instructions > 32 * 3000u);
}
