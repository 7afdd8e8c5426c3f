// SPDX-License-Identifier: Apache-2.0
// `{%r1}` is `%r1` (Triton writes every scalar access so): each instruction that takes a vector under .vec is
// run with and without the braces, and must leave the same memory after the same number of cycles.
#include <string>
#include <vector>

#include "sim/api/simulator.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

constexpr uint32_t kThreads = 64, kWords = kThreads * 8;

// `|` stands for the braces: "|%r2|" is "{%r2}" or "%r2".
std::string kernel_of(const std::string& body, bool braces) {
  std::string text = R"(.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b8 %b<3>;
  .reg .b16 %h<4>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .f32 %f<4>;
  .reg .f64 %d<4>;
  .local .align 8 .b8 frame[64];
  .shared .align 8 .b8 tile[512];
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 8;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  mov.u32 %r8, tile;
  shl.b32 %r7, %r1, 3;
  add.u32 %r8, %r8, %r7;
  setp.lt.u32 %p1, %r1, 23;
)";
  bool opens = true;
  for (const char c : body + "  ret;\n}\n") {
    if (c != '|') {
      text += c;
      continue;
    }
    if (braces) text += opens ? '{' : '}';
    opens = !opens;
  }
  return text;
}

struct Outcome {
  std::vector<uint32_t> memory;
  double cycles = 0;
};

Outcome run(const std::string& body, bool braces, bool timed) {
  Simulator gpu;
  Kernel& kernel = gpu.load_text(kernel_of(body, braces), "k.ptx").kernel("k");
  std::vector<uint32_t> words(kWords);
  for (uint32_t k = 0; k < kWords; ++k) words[k] = 0x3f800001U + k * 2654435761U;
  const std::vector<uint32_t> untouched(kWords, 0xa5a5a5a5U);
  const DevicePointer a = gpu.upload(std::span<const uint32_t>(words));
  const DevicePointer out = gpu.upload(std::span<const uint32_t>(untouched));
  LaunchShape shape{.grid = {1}, .block = {kThreads}};
  shape.options.functional = !timed;
  const ReportKernel report = gpu.launch(kernel, shape, a, out);
  Outcome result;
  result.memory = gpu.download<uint32_t>(out, kWords);
  if (timed) result.cycles = report.find("sm__cycles_elapsed.max")->value;
  return result;
}

}  // namespace

TEST_CASE("A vector of one element is the register in it, in function and in time", "[timed][vectors]") {
  const auto [what, body] = GENERATE(table<std::string, std::string>({
      {"loads and stores of words",
       "ld.global.b32 |%r2|, [%rd1]; ld.global.b32 |%r3|, [%rd1+4]; st.global.b32 [%rd2], |%r3|; "
       "st.global.b32 [%rd2+4], |%r2|;"},
      {"under a guard and its opposite",
       "mov.b32 %r2, 5; @%p1 ld.global.b32 |%r2|, [%rd1]; @!%p1 st.global.b32 [%rd2], |%r2|; "
       "@%p1 st.global.b32 [%rd2+4], |%r2|;"},
      {"immediates", "st.global.b32 [%rd2], |7|; st.global.f32 [%rd2+4], |0f3f800000|;"},
      {"bytes, halves and wider registers",
       "ld.global.b8 |%h1|, [%rd1]; ld.global.s8 |%r2|, [%rd1+1]; ld.global.b16 |%h2|, [%rd1+2]; "
       "st.global.b16 [%rd2], |%h1|; st.global.b8 [%rd2+2], |%r2|; st.global.b16 [%rd2+4], |%h2|;"},
      {"doubles and 64 bits",
       "ld.global.f64 |%d1|, [%rd1]; add.f64 %d2, %d1, %d1; st.global.f64 [%rd2], |%d2|; "
       "ld.global.b64 |%rd4|, [%rd1]; st.global.b64 [%rd2], |%rd4|;"},
      {"128 bits in two registers stay a vector of two",
       "and.b64 %rd5, %rd1, -16; and.b64 %rd6, %rd2, -16; ld.global.v2.b64 {%rd3, %rd4}, [%rd5]; "
       "st.global.v2.b64 [%rd6], {%rd4, %rd3};"},
      {"shared memory",
       "ld.global.b32 |%r2|, [%rd1]; st.shared.b32 [%r8], |%r2|; bar.sync 0; ld.shared.b32 |%r3|, [%r8]; "
       "st.global.b32 [%rd2], |%r3|;"},
      {"local memory",
       "ld.global.b32 |%r2|, [%rd1]; mov.b64 %rd4, frame; and.b32 %r4, %r2, 28; cvt.u64.u32 %rd5, %r4; "
       "add.s64 %rd4, %rd4, %rd5; st.local.b32 [%rd4], |%r2|; ld.local.b32 |%r3|, [%rd4]; "
       "st.global.b32 [%rd2], |%r3|;"},
      {"read-only, volatile, relaxed and acquired",
       "ld.global.nc.b32 |%r2|, [%rd1]; ld.volatile.global.b32 |%r3|, [%rd1+4]; "
       "ld.relaxed.gpu.global.b32 |%r4|, [%rd1]; ld.acquire.gpu.global.b32 |%r5|, [%rd1+4]; "
       "add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5; st.volatile.global.b32 [%rd2], |%r2|; "
       "st.release.gpu.global.b32 [%rd2+4], |%r4|;"},
      {"cache operators and hints",
       "ld.global.cg.b32 |%r2|, [%rd1]; ld.global.L1::evict_last.b32 |%r3|, [%rd1+4]; ldu.global.u32 |%r4|, "
       "[%rd1]; "
       "st.global.cs.b32 [%rd2], |%r2|; add.u32 %r3, %r3, %r4; st.global.L1::evict_first.b32 [%rd2+4], "
       "|%r3|;"},
      {"moves",
       "ld.global.b32 %r2, [%rd1]; mov.b32 |%r3|, %r2; mov.b32 %r4, |%r3|; st.global.b32 [%rd2], %r4;"},
      {"in a loop whose lanes part",
       "and.b32 %r2, %r1, 3; mov.b32 %r4, 0;\n"
       "L: ld.global.b32 |%r3|, [%rd1]; add.u32 %r4, %r4, %r3; sub.u32 %r2, %r2, 1; setp.ge.s32 %p2, %r2, 0; "
       "@%p2 bra L; st.global.b32 [%rd2], |%r4|;"},
  }));
  INFO(what);
  for (const bool timed : {false, true}) {
    const Outcome plain = run(body, false, timed), braced = run(body, true, timed);
    CHECK(plain.memory == braced.memory);
    CHECK(plain.memory != std::vector<uint32_t>(kWords, 0xa5a5a5a5U));
    CHECK(plain.cycles == braced.cycles);
  }
}
