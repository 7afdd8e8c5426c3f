// SPDX-License-Identifier: Apache-2.0
// Passes of shared memory in time, where the H200's counter says how many there are
// (bench/silicon/probes/passes).
#include "sim/api/simulator.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

constexpr unsigned kRounds = 16, kWarps = 8;

// A loop of `kRounds` times `body` in one block, behind `before`; `barrier` is initialised for all of its
// threads.
ReportKernel loop(const std::string& body, unsigned warps = kWarps, unsigned ordering_pass = 5,
                  const std::string& before = "") {
  const std::string text =
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      " .reg .b32 %r<32>; .reg .b64 %rd<4>; .reg .pred %p<4>; .shared .align 4 .b8 s[1024];\n"
      " .shared .align 8 .b64 barrier;\n ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, "
      "2;\n"
      " mov.u32 %r3, s; add.s32 %r3, %r3, %r2; setp.ne.s32 %p1, %r1, 0; @%p1 bra S;\n"
      " mbarrier.init.shared::cta.b64 [barrier], 256;\nS: bar.sync 0; mov.u32 %r4, 0;\n" +
      before + "\nL:\n" + body + "\n add.s32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, " + std::to_string(kRounds) +
      "; @%p2 bra L;\n st.global.u32 [%rd1], %r4; ret;\n}\n";
  DeviceOptions options;
  options.overrides = {"sm.shared.ordering_pass=" + std::to_string(ordering_pass) + "cycles"};
  Simulator gpu(options);
  LoadedModule& module = gpu.load_text(text, "passes.ptx");
  return gpu.launch(module.kernel("k"), {.grid = {1}, .block = {32 * warps}}, gpu.allocate(4));
}

constexpr const char* kPasses = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
constexpr const char* kCycles = "sm__cycles_active.max";

double passes(const std::string& body) { return loop(body).find(kPasses)->value; }

double cycles(const std::string& body, unsigned warps = kWarps, unsigned ordering_pass = 5) {
  return loop(body, warps, ordering_pass).find(kCycles)->value;
}

const std::string kLoad = "ld.volatile.shared.u32 %r5, [%r3];";
const std::string kPhase =
    "mbarrier.arrive.shared::cta.b64 _, [barrier]; and.b32 %r6, %r4, 1;\n"
    "W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [barrier], %r6; @!%p3 bra W;\n";

}  // namespace

TEST_CASE("A barrier and the end of an mbarrier's phase take a pass behind accesses, else none",
          "[behaviour][timed]") {
  const double nothing = passes("");
  CHECK(passes("bar.sync 0;") == nothing);
  CHECK(passes(kPhase) == nothing);
  CHECK(passes(kLoad) == nothing + kRounds * kWarps);
  CHECK(passes(kLoad + "bar.sync 0;") == nothing + kRounds * (kWarps + 1));
  CHECK(passes(kLoad + kPhase) == nothing + kRounds * (kWarps + 1));
}

TEST_CASE("Fences of a block share passes, fences of proxies and of the device do not",
          "[behaviour][timed]") {
  const double nothing = passes("");
  const double block = passes("fence.acq_rel.cta;") - nothing;
  CHECK(block >= kRounds);
  CHECK(block <= kRounds * kWarps * 0.7);
  const double proxies = passes("fence.proxy.async.shared::cta;") - nothing;
  CHECK(proxies >= kRounds * kWarps + kRounds);
  CHECK(proxies <= kRounds * kWarps * 1.75);
  CHECK(passes("membar.gl;") == nothing + 2 * kRounds * kWarps);  // and CCTL.IVALL
}

TEST_CASE("Fences of a sub-core's warps follow one another", "[behaviour][timed]") {
  std::string fences;
  for (int k = 0; k < 8; ++k) fences += "fence.acq_rel.cta;";
  CHECK(cycles(fences, 16) >= kRounds * 4 * 8 * 5);
  // Beyond the loop around them, the code's way to the SM, and the barrier's initialisation among it, whose
  // operands are uniform and whose constants come to the sub-cores one after another.
  CHECK(cycles(fences, 4) - cycles("", 4) <= kRounds * 4 * 8 * 5 * 0.505);
}

TEST_CASE("A pass of a barrier keeps accesses of other warps from the data stage", "[behaviour][timed]") {
  // Four warps load with 8 lanes a bank, four have barriers of their own.
  std::string body =
      "shr.u32 %r6, %r1, 5; setp.lt.u32 %p3, %r6, 4; shl.b32 %r7, %r1, 5; and.b32 %r7, %r7, 992;"
      " mov.u32 %r8, s; add.s32 %r7, %r7, %r8; @%p3 bra A;\n";
  for (int k = 0; k < 4; ++k) body += "ld.volatile.shared.u32 %r9, [%r3]; bar.sync %r6, 32;";
  body += "bra E;\nA:";
  for (int k = 0; k < 8; ++k) body += "ld.volatile.shared.u32 %r" + std::to_string(10 + k) + ", [%r7];";
  body += "\nE:";
  CHECK(cycles(body, kWarps, 20) >= cycles(body, kWarps, 1) + kRounds * 4 * 4);
}

TEST_CASE("Shuffles take their turn at the data stage", "[behaviour][timed]") {
  std::string body = "shl.b32 %r7, %r1, 5; and.b32 %r7, %r7, 992; mov.u32 %r8, s; add.s32 %r7, %r7, %r8;";
  for (int k = 0; k < 4; ++k)
    body += "ld.volatile.shared.u32 %r" + std::to_string(10 + k) + ", [%r7];";  // 8 lanes a bank
  for (int k = 0; k < 12; ++k) {
    const std::string to = "%r" + std::to_string(16 + k);
    body += "shfl.sync.bfly.b32 " + to + ", %r10, " + std::to_string(k + 1) + ", 31, -1;";
  }
  for (int k = 0; k < 12; ++k) body += "xor.b32 %r9, %r9, %r" + std::to_string(16 + k) + ";";
  body += "st.volatile.shared.u32 [%r3], %r9;";
  CHECK(passes(body) >= kRounds * kWarps * (4 * 8 + 12 + 1));
  CHECK(cycles(body) >= passes(body));
}

TEST_CASE("An access that is off for all lanes takes the pass of one without conflicts",
          "[behaviour][timed]") {
  // Four warps with four lanes a bank, four with one or with none.
  const std::string addresses =
      "setp.lt.u32 %p3, %r1, 128; shl.b32 %r6, %r1, 4; and.b32 %r6, %r6, 1008; shl.b32 %r7, %r1, 2;"
      " selp.b32 %r6, %r6, %r7, %p3; mov.u32 %r7, s; add.s32 %r6, %r6, %r7;";
  const auto loads = [&](const std::string& guard) {
    std::string body;
    for (int k = 0; k < 8; ++k)
      body += guard + " ld.volatile.shared.u32 %r" + std::to_string(10 + k) + ", [%r6];";
    return loop(body, kWarps, 5, addresses);
  };
  const ReportKernel some = loads("@%p3"), all = loads("");
  const auto value = [](const ReportKernel& k, const char* metric) { return k.find(metric)->value; };
  CHECK(value(some, kPasses) == value(all, kPasses));
  CHECK(value(some, kCycles) >= 0.97 * value(all, kCycles));
}

TEST_CASE("An atomic of a generic address takes a pass, one that all lanes give to a word two more",
          "[behaviour][timed]") {
  const double nothing = passes("mul.wide.u32 %rd2, %r1, 0; add.s64 %rd2, %rd2, %rd1;");
  const double shared_word = passes("atom.add.u32 %r5, [%rd1], 1; add.s32 %r7, %r7, %r5;");
  CHECK(shared_word >= nothing + kRounds * kWarps * 3);  // ATOM, SHFL, %laneid in front of the loop or in it
}
