// SPDX-License-Identifier: Apache-2.0
// Kernels that launch kernels, and functions whose address another kernel has left in memory.
#include "sim/runtime/child_grids.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

// `parent` launches `child` twice with a word to add, then the tail, which doubles; the tail's launch comes
// first.
const char* const kFamily = R"(
.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);
.visible .entry child(.param .u64 to, .param .u32 value)
{
  .reg .b64 %rd<4>; .reg .b32 %r<6>;
  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [value];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, %r1; st.global.u32 [%rd1], %r5;
  ret;
}
.visible .entry twice(.param .u64 to)
{
  .reg .b64 %rd<2>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [to]; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, %r1; st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry parent(.param .u64 to)
{
  .reg .b64 %rd<6>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [to];
  mov.u64 %rd2, twice; mov.u32 %r1, 1; mov.u32 %r2, 1;
  { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
    st.param.b64 [f], %rd2; st.param.b32 [g], %r1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    st.param.b32 [b], %r2; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;
    call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd3, [r]; }
  st.u64 [%rd3], %rd1;
  { .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd3; st.param.b64 [s], 3;
    call (r), __cudaCDP2LaunchDeviceV2, (p, s); }
  mov.u64 %rd2, child; mov.u32 %r1, 2; mov.u32 %r2, 32; mov.u32 %r3, 0;
again:
  { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
    st.param.b64 [f], %rd2; st.param.b32 [g], %r1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    st.param.b32 [b], %r2; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;
    call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd3, [r]; }
  st.u64 [%rd3], %rd1; st.u32 [%rd3+8], 5;
  { .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd3; st.param.b64 [s], 0;
    call (r), __cudaCDP2LaunchDeviceV2, (p, s); }
  .reg .pred %p; add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, 2; @%p bra again;
  ret;
}
)";

// `make` leaves the address of a function in memory, `use` calls it and never names it.
const char* const kObjects = R"(
.version 9.0
.target sm_90
.address_size 64
.func (.param .b32 r) plus_seven(.param .b32 a)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r1, [a]; add.u32 %r1, %r1, 7; st.param.b32 [r], %r1;
  ret;
}
.global .align 8 .u64 table[1] = {plus_seven};
.visible .entry make(.param .u64 to)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [to]; ld.global.u64 %rd2, [table]; st.global.u64 [%rd1], %rd2;
  ret;
}
.visible .entry use(.param .u64 to)
{
  .reg .b64 %rd<3>; .reg .b32 %r<2>;
  ld.param.u64 %rd1, [to]; ld.global.u64 %rd2, [%rd1]; mov.u32 %r1, 35;
  proto : .callprototype (.param .b32 _) _ (.param .b32 _);
  { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), %rd2, (a), proto; ld.param.b32 %r1, [r]; }
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

// Fills 64 bytes with 3s, copies the first two of four rows of 16 over the last, and writes before both.
const char* const kCopies = R"(
.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 to, .param .b32 v, .param .b64 n, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2Memcpy2DAsync_ptsz(.param .b64 to, .param .b64 tp, .param .b64 from, .param .b64 fp, .param .b64 w, .param .b64 h, .param .b32 k, .param .b64 s);
.visible .entry parent(.param .u64 data)
{
  .reg .b64 %rd<4>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [data]; add.u64 %rd2, %rd1, 32; add.u64 %rd3, %rd1, 1024;
  { .param .b64 to; .param .b32 v; .param .b64 n; .param .b64 s; .param .b32 r;
    st.param.b64 [to], %rd1; st.param.b32 [v], 3; st.param.b64 [n], 64; st.param.b64 [s], 0;
    call (r), __cudaCDP2MemsetAsync, (to, v, n, s); ld.param.b32 %r1, [r]; }
  { .param .b64 to; .param .b64 tp; .param .b64 from; .param .b64 fp; .param .b64 w; .param .b64 h; .param .b32 k; .param .b64 s; .param .b32 r;
    st.param.b64 [to], %rd2; st.param.b64 [tp], 16; st.param.b64 [from], %rd3; st.param.b64 [fp], 8; st.param.b64 [w], 4; st.param.b64 [h], 2;
    st.param.b32 [k], 3; st.param.b64 [s], 0;
    call (r), __cudaCDP2Memcpy2DAsync_ptsz, (to, tp, from, fp, w, h, k, s); ld.param.b32 %r2, [r]; }
  st.global.u32 [%rd3], 7; st.global.u32 [%rd3+8], 8;
  or.b32 %r1, %r1, %r2; st.global.u32 [%rd1+64], %r1; st.global.u32 [%rd1], 1;
  ret;
}
)";

struct Machine {
  explicit Machine(const char* text, Mode mode = Mode::kFunctional)
      : device(options(mode)), module(device.load_text(text, "k.ptx")) {
    data = device.memory().allocate(4096, "data");
  }
  static DeviceOptions options(Mode mode) {
    DeviceOptions o;
    o.mode = mode;
    return o;
  }
  LaunchOutcome launch(const char* kernel) { return device.launch(request(kernel)); }
  LaunchRequest request(const char* kernel) {
    LaunchRequest r;
    r.kernel = &module.kernel(kernel);
    r.grid = r.block = {1, 1, 1};
    r.params.resize(8);
    std::memcpy(r.params.data(), &data, 8);
    return r;
  }
  uint32_t word(unsigned k) {
    uint32_t value = 0;
    device.memory().read(data + 4 * k, &value, 4);
    return value;
  }
  Device device;
  LoadedModule& module;
  uint64_t data = 0;
};

}  // namespace

TEST_CASE("Kernels that a kernel launches run after it, those of the tail stream last", "[child_grids]") {
  Machine m(kFamily);
  const uint64_t before = m.device.memory().used();
  const LaunchOutcome outcome = m.launch("parent");
  CHECK(m.word(0) == 20);  // (5 + 5) * 2
  CHECK(m.word(1) == 10);
  CHECK(m.word(63) == 10);
  CHECK(m.word(64) == 0);
  CHECK(m.device.memory().used() == before);  // their parameters are gone
  CHECK(outcome.warp_instructions > 4 * 10);
}

TEST_CASE("Without time each grid that a kernel launches has an outcome of its own for who takes it",
          "[child_grids]") {
  const uint64_t all = Machine(kFamily).launch("parent").warp_instructions;
  Machine m(kFamily);
  std::vector<std::string> ended;
  uint64_t of_children = 0;
  LaunchOptions options;
  options.child_launched = [&](const LaunchRequest&, arch::Ticket ticket) {
    CHECK(ticket == 0);
    return [&](const LaunchRequest& request, const LaunchOutcome& o) {
      ended.push_back(request.kernel->name());
      of_children += o.warp_instructions;
    };
  };
  const LaunchOutcome own = m.device.launch(m.request("parent"), options);
  CHECK(ended == std::vector<std::string>{"child", "child", "twice"});
  CHECK(of_children > 0);
  CHECK(own.warp_instructions + of_children == all);
}

TEST_CASE("Copies and fills that a kernel asks for come after it, in their order", "[child_grids]") {
  Machine m(kCopies);
  m.launch("parent");
  CHECK(m.word(16) == 0);  // cudaSuccess, twice
  CHECK(m.word(0) == 0x03030303);
  CHECK(m.word(8) == 7);
  CHECK(m.word(12) == 8);
  CHECK(m.word(13) == 0x03030303);
}

TEST_CASE("In time kernels that a kernel launches run after their launch, those of the tail stream last",
          "[child_grids]") {
  Machine m(kFamily, Mode::kTimed);
  const uint64_t before = m.device.memory().used();
  const LaunchOutcome outcome = m.launch("parent");
  CHECK(m.word(0) == 20);  // (5 + 5) * 2
  CHECK(m.word(63) == 10);
  CHECK(m.device.memory().used() == before);
  REQUIRE(outcome.timed);
  const arch::LaunchConfig& launch = m.device.gpu().launch;
  CHECK(m.device.machine().now() >
        outcome.timed->start_cycle + outcome.timed->cycles + launch.child_cycles + launch.tail_cycles);
  CHECK_THAT(m.device.notes().back(), ContainsSubstring("launched 3 grids"));
}

TEST_CASE("In time a launch behind a kernel waits for what that has launched", "[child_grids]") {
  Machine m(kFamily, Mode::kTimed);
  uint64_t parent_ends = 0, last_child_ends = 0, twice_begins = 0;
  LaunchOptions options;
  options.cold_caches = false;
  options.child_launched = [&](const LaunchRequest&, arch::Ticket) {
    return [&](const LaunchRequest&, const LaunchOutcome& o) {
      last_child_ends = std::max(last_child_ends, o.timed->start_cycle + o.timed->cycles);
    };
  };
  const arch::Ticket parent =
      m.device.submit(m.request("parent"), options, {}, 0, [&](const LaunchRequest&, const LaunchOutcome& o) {
        parent_ends = o.timed->start_cycle + o.timed->cycles;
      });
  arch::WorkOrder behind;
  behind.after = {parent};
  const arch::Ticket twice = m.device.submit(
      m.request("twice"), options, behind, 0,
      [&](const LaunchRequest&, const LaunchOutcome& o) { twice_begins = o.timed->start_cycle; });
  m.device.machine().advance_until(twice);
  CHECK(parent_ends < last_child_ends);
  CHECK(m.device.machine().end_of(parent) == last_child_ends);
  CHECK(twice_begins >= last_child_ends);
  CHECK(m.word(0) == 40);
}

TEST_CASE("In time copies and fills that a kernel asks for come after it, in their order", "[child_grids]") {
  Machine m(kCopies, Mode::kTimed);
  m.launch("parent");
  CHECK(m.word(0) == 0x03030303);
  CHECK(m.word(8) == 7);
  CHECK(m.word(12) == 8);
  CHECK(m.word(13) == 0x03030303);
}

TEST_CASE("A kernel calls a function whose address another kernel has left in memory", "[child_grids]") {
  Machine m(kObjects);
  m.launch("make");
  m.launch("use");
  CHECK(m.word(0) == 42);
}
