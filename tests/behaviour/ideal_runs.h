// SPDX-License-Identifier: Apache-2.0
// Kernels and runs for tests of the switches of `ideal`.
#pragma once
#include <string>
#include <vector>

#include "sim/api/simulator.h"
#include "tests/places.h"

namespace gpuloom::tests {

using namespace sim;

inline const std::string kHead =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 a, .param .u32 b, .param .u32 c)\n{\n"
    " .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<8>; .reg .f32 %f<20>; .reg .f64 %d<8>;\n"
    " .shared .align 16 .b8 s[20480]; .local .align 4 .b8 spill[64];\n"
    " ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b];\n"
    " ld.param.u32 %r3, [c]; mov.u32 %r4, %tid.x; mov.u32 %r5, 0; mov.u32 %r6, 0; and.b32 %r7, %r4, 31;\n"
    " shr.u32 %r8, %r4, 5; mov.u32 %r20, %ctaid.x; mov.u32 %r21, %ntid.x; mad.lo.u32 %r22, %r20, %r21, "
    "%r4;\n";

// Rounds of `body` (%r5 counts, %r6 is what is stored), as many as parameter c says.
inline std::string loop(const std::string& body) {
  return kHead + "L:\n" + body +
         "\n add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r3; @%p1 bra L;\n"
         " mul.wide.u32 %rd9, %r22, 4; add.u64 %rd9, %rd1, %rd9; st.global.u32 [%rd9], %r6; ret;\n}\n";
}

struct Run {
  std::vector<std::string> on;  // switches
  uint32_t a = 0, b = 0, rounds = 32, threads = 128, blocks = 2;
};
struct Outcome {
  double cycles = 0, dram_read = 0, conflicts = 0, reduced_sectors = 0;
  std::vector<uint32_t> values;
};

inline Outcome outcome(const std::string& text, const Run& run) {
  DeviceOptions options;
  options.config = "tiny";
  for (const std::string& key : run.on) options.overrides.push_back("ideal." + key + "=true");
  Simulator gpu(options);
  LoadedModule& module = gpu.load_text(text, "ideal.ptx");
  const uint32_t count = run.threads * run.blocks;
  const DevicePointer out = gpu.allocate(4 * count), in = gpu.allocate(8u << 20);
  const ReportKernel k = gpu.launch(module.kernel("k"), {.grid = {run.blocks}, .block = {run.threads}}, out,
                                    in, run.a, run.b, run.rounds);
  return {k.find("sm__cycles_elapsed.max")->value, k.find("dram__bytes_read.sum")->value,
          k.find("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")->value,
          k.find("lts__t_sectors_op_red.sum")->value, gpu.download<uint32_t>(out, count)};
}

inline double cycles(const std::string& text, const Run& run) { return outcome(text, run).cycles; }

// A kernel of tests/explain/kernels, or of the folder that its name says.
inline LaunchFile planted_file(const std::string& name) {
  const bool folder = name.find('/') != std::string::npos;
  return read_launch_file(
      in_tree("/tests/explain/" + (folder ? "" : std::string("kernels/")) + name + ".yaml"));
}

inline ReportKernel planted(const std::string& name, const std::string& key,
                            const std::string& kernel = "planted") {
  DeviceOptions options;
  LaunchFile file = planted_file(name);
  options.config = file.config;
  if (!key.empty()) options.overrides.push_back("ideal." + key + "=true");
  file.launches[0].kernel = kernel;
  Simulator gpu(options);
  return gpu.run(file).kernels[0];
}

inline double planted_cycles(const std::string& name, const std::string& key) {
  return planted(name, key).find("sm__cycles_elapsed.max")->value;
}

// A load of shared memory, `a` bytes from lane to lane.
inline const std::string kShared = loop(
    " mul.lo.u32 %r9, %r7, %r1; mov.u32 %r10, s; add.u32 %r9, %r9, %r10;\n"
    " ld.volatile.shared.u32 %r11, [%r9]; add.u32 %r6, %r6, %r11;");

// Additions that depend on each other, and nothing else.
inline std::string chain() {
  std::string body;
  for (int i = 0; i < 32; ++i) body += " mad.lo.u32 %r6, %r6, 3, 1;";
  return loop(body);
}

}  // namespace gpuloom::tests
