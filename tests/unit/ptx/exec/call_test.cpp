// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ptx/exec/run_ptx.h"

using namespace gpuloom;
using namespace gpuloom::test;

namespace {

const char* kSum = R"(
.func (.param .b32 rv) sum(.param .b32 a)
{
.reg .b32 %x<4>; .reg .pred %p;
ld.param.b32 %x0, [a];
mov.u32 %x1, 0;
setp.eq.u32 %p, %x0, 0; @%p bra BASE;
sub.u32 %x2, %x0, 1;
{ .param .b32 q; .param .b32 r; st.param.b32 [q], %x2; call (r), sum, (q); ld.param.b32 %x1, [r]; }
add.u32 %x1, %x1, %x0;
BASE: st.param.b32 [rv], %x1;
ret;
}
)";

const char* kCallSum = R"(
{ .param .b32 q; .param .b32 r; st.param.b32 [q], %r5; call (r), sum, (q); ld.param.b32 %r0, [r]; }
)";

}  // namespace

TEST_CASE("Recursion goes to a different depth in each lane and all come back together") {
  const PtxRun run("mov.u32 %r5, %lane;" + std::string(kCallSum) +
                       "activemask.b32 %r1; setp.ne.u32 %p1, %r1, 0xffffffff; @%p1 mov.u32 %r0, 1;",
                   {}, kSum);
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == l * (l + 1) / 2);
}

TEST_CASE("A call in divergent code returns to the lanes that made it") {
  const PtxRun run("mov.u32 %r5, %lane; setp.lt.u32 %p1, %lane, 7; @%p1 bra SKIP;" + std::string(kCallSum) +
                       "SKIP: activemask.b32 %r1; popc.b32 %r1, %r1; mad.lo.u32 %r0, %r1, 1000, %r0;",
                   {}, kSum);
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == 32000 + (l < 7 ? 0 : l * (l + 1) / 2));
}

TEST_CASE("A guarded call is made by some lanes, and the others wait behind it") {
  std::string guarded = kCallSum;
  guarded.replace(guarded.find("call"), 4, "@%p1 call");
  const PtxRun run("mov.u32 %r5, %lane; setp.eq.u32 %p1, %lane, 9;" + guarded +
                       "activemask.b32 %r1; popc.b32 %r1, %r1; @%p1 add.u32 %r1, %r1, %r0; mov.u32 %r0, %r1;",
                   {}, kSum);
  CHECK(run[9] == 32 + 45);
  CHECK(run[10] == 32);
}

TEST_CASE("Lanes may call different functions through one indirect call") {
  const char* functions = R"(
.func (.param .b32 rv) one(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, 1; st.param.b32 [rv], %x; ret; }
.func (.param .b32 rv) ten(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; mul.lo.u32 %x, %x, 10; st.param.b32 [rv], %x; ret; }
)";
  const PtxRun run(R"(
    and.b32 %r1, %lane, 1; setp.eq.u32 %p1, %r1, 0;
    mov.u64 %w1, one; mov.u64 %w2, ten; selp.u64 %w3, %w1, %w2, %p1;
    { .param .b32 q; .param .b32 r; st.param.b32 [q], %lane;
    PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (r), %w3, (q), PROTO; ld.param.b32 %r0, [r]; }
    activemask.b32 %r2; setp.ne.u32 %p2, %r2, 0xffffffff; @%p2 mov.u32 %r0, 9999;)",
                   {}, functions);
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == (l % 2 ? l * 10 : l + 1));
}

TEST_CASE("Each activation has local memory of its own") {
  const char* function = R"(
.func (.param .b32 rv) depth(.param .b32 a)
{
.reg .b32 %x<4>; .reg .pred %p; .local .b32 mine;
ld.param.b32 %x0, [a];
st.local.b32 [mine], %x0;
mov.u32 %x1, 0;
setp.eq.u32 %p, %x0, 0; @%p bra BASE;
sub.u32 %x2, %x0, 1;
{ .param .b32 q; .param .b32 r; st.param.b32 [q], %x2; call (r), depth, (q); ld.param.b32 %x1, [r]; }
BASE: ld.local.b32 %x3, [mine];
add.u32 %x1, %x1, %x3;
st.param.b32 [rv], %x1;
ret;
}
)";
  std::string call = kCallSum;
  call.replace(call.find("sum"), 3, "depth");
  const PtxRun run("and.b32 %r5, %lane, 15;" + call, {}, function);
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == (l % 16) * (l % 16 + 1) / 2);
}

TEST_CASE("Endless recursion is a fault that says so") {
  const char* function = ".func loop() { call loop; ret; }\n";
  CHECK(fault_of("call loop;", {}, function).find("call stack is full") != std::string::npos);
}

TEST_CASE("A lane that returns early from a function waits for the others behind the call") {
  const char* function = R"(
.func (.param .b32 rv) early(.param .b32 a)
{
.reg .b32 %x; .reg .pred %p;
ld.param.b32 %x, [a];
st.param.b32 [rv], 1;
setp.lt.u32 %p, %x, 8; @%p ret;
st.param.b32 [rv], 2;
ret;
}
)";
  std::string call = kCallSum;
  call.replace(call.find("sum"), 3, "early");
  const PtxRun run(
      "mov.u32 %r5, %lane;" + call + "activemask.b32 %r1; popc.b32 %r1, %r1; add.u32 %r0, %r0, %r1;", {},
      function);
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == (l < 8 ? 33u : 34u));
}

TEST_CASE("vprintf prints what C would") {
  const char* text = R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 fmt[] = {37, 100, 32, 37, 46, 50, 102, 10, 0};
)";
  const PtxRun run(R"(
    setp.gt.u32 %p1, %lane, 1; @%p1 bra SKIP;
    { .local .align 8 .b8 buf[16]; .param .b64 f; .param .b64 a; .param .b32 r;
    mov.u64 %w1, buf; cvta.local.u64 %w2, %w1;
    st.local.u32 [%w1], %lane; st.local.f64 [%w1+8], 0d3FF8000000000000;
    mov.u64 %w3, fmt; cvta.global.u64 %w3, %w3;
    st.param.b64 [f], %w3; st.param.b64 [a], %w2;
    call.uni (r), vprintf, (f, a); ld.param.b32 %r0, [r]; }
    SKIP:)",
                   {}, text);
  CHECK(run.printed == "0 1.50\n1 1.50\n");
  CHECK(run[0] == 2);
}
