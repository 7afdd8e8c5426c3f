// SPDX-License-Identifier: Apache-2.0
// Bytes of PTX parsed a second. The text is what compilers write: a kernel of loads, arithmetic, compares and
// branches, unrolled. GPULOOM_SPEED_PTX=a.ptx:b.ptx adds files to measure.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "base/text.h"
#include "ptx/parse/parser.h"

namespace {

using gpuloom::ptx::isa_table;
using gpuloom::ptx::parse_module;

std::string generated(int kernels) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (int k = 0; k < kernels; ++k) {
    const std::string n = std::to_string(k);
    text += "\n.visible .entry kernel_" + n + "(\n\t.param .u64 kernel_" + n +
            "_param_0,\n\t.param .u32 kernel_" + n +
            "_param_1\n)\n{\n\t.reg .pred \t%p<40>;\n\t.reg .f32 \t%f<200>;\n\t.reg .b32 \t%r<200>;\n\t.reg "
            ".b64 \t%rd<80>;\n\n"
            "\tld.param.u64 \t%rd1, [kernel_" +
            n + "_param_0];\n\tld.param.u32 \t%r1, [kernel_" + n +
            "_param_1];\n"
            "\tmov.u32 \t%r2, %ctaid.x;\n\tmov.u32 \t%r3, %tid.x;\n\tmad.lo.s32 \t%r4, %r2, 256, %r3;\n";
    for (int i = 0; i < 30; ++i) {
      const std::string a = std::to_string(5 + i), b = std::to_string(6 + i),
                        label = "$L__BB" + n + "_" + std::to_string(i);
      text += "\tmul.wide.s32 \t%rd" + a + ", %r4, 4;\n\tadd.s64 \t%rd" + b + ", %rd1, %rd" + a +
              ";\n\tld.global.f32 \t%f" + a + ", [%rd" + b + "+" + std::to_string(16 * i) +
              "];\n\tfma.rn.f32 \t%f" + b + ", %f" + a + ", 0f3F800000, %f1;\n\tadd.s32 \t%r" + b + ", %r" +
              a + ", 1;\n\tsetp.lt.s32 \t%p" + std::to_string(i) + ", %r" + b + ", %r1;\n\t@%p" +
              std::to_string(i) + " bra \t" + label + ";\n\tst.global.f32 \t[%rd" + b + "], %f" + b +
              ";\n\n" + label + ":\n";
    }
    text += "\tret;\n}\n";
  }
  return text;
}

void parse(benchmark::State& state, const std::string& text, const std::string& name) {
  for ([[maybe_unused]] auto _ : state) {
    const auto result = parse_module(text, name, isa_table());
    if (!result.ok()) state.SkipWithError(result.render(1).c_str());
    benchmark::DoNotOptimize(result.module.get());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}

void parse_generated(benchmark::State& state) {
  parse(state, generated(static_cast<int>(state.range(0))), "generated.ptx");
}
BENCHMARK(parse_generated)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

void parse_files(benchmark::State& state) {
  const char* const list = std::getenv("GPULOOM_SPEED_PTX");
  if (list == nullptr) {
    state.SkipWithError("GPULOOM_SPEED_PTX is not set");
    return;
  }
  std::vector<std::string> texts;
  size_t bytes = 0;
  for (const std::string& path : gpuloom::split(list, ':')) {
    std::ifstream in(path, std::ios::binary);
    texts.emplace_back((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    bytes += texts.back().size();
  }
  for ([[maybe_unused]] auto _ : state)
    for (const std::string& text : texts)
      benchmark::DoNotOptimize(parse_module(text, "file.ptx", isa_table()).module.get());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes));
}
BENCHMARK(parse_files)->Unit(benchmark::kMillisecond);

}  // namespace
