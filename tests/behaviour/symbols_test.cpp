// SPDX-License-Identifier: Apache-2.0
// __constant__ and __device__ variables: set before a launch, read back after it, from launch files and the
// command line. The kernel reads constants by address and by name, the latter through the uniform path.
#include "sim/runtime/symbols.h"

#include "sim/api/simulator.h"
#include "sim/memory/files.h"
#include "sim/report/writers.h"
#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;
using tests::Outcome;

namespace {

const char* kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.const .align 4 .b8 coef[16];
.const .align 4 .f32 scale = 0f3F800000;
.global .align 4 .u32 counter = 5;
.global .align 8 .u64 table;
.global .align 4 .f32 _ZN2ns4biasE;
.visible .entry k(.param .u64 out)
{
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f32 %f<8>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 3;
  mul.wide.u32 %rd2, %r2, 4;
  mov.u64 %rd3, coef;
  add.u64 %rd4, %rd3, %rd2;
  ld.const.f32 %f1, [%rd4];
  ld.const.f32 %f2, [scale];
  ld.global.f32 %f5, [_ZN2ns4biasE];
  fma.rn.f32 %f3, %f1, %f2, %f5;
  mul.wide.u32 %rd5, %r1, 4;
  add.u64 %rd6, %rd1, %rd5;
  st.global.f32 [%rd6], %f3;
  mov.u32 %r3, 1;
  red.global.add.u32 [counter], %r3;
  ret;
}
)";

std::vector<double> output(const tests::ProgramFolder& folder, const char* name) {
  const sim::NpyArray a = sim::read_npy(folder.file(name));
  std::vector<double> values;
  for (size_t i = 0; i < a.count(); ++i)
    values.push_back(sim::element_value(a.type, a.data.data() + i * sim::bytes_of(a.type)));
  return values;
}

}  // namespace

TEST_CASE("Symbols of a launch file are set before and saved after, with and without time", "[symbols]") {
  const tests::ProgramFolder folder;
  folder.write("s.ptx", kPtx);
  folder.write("s.yaml",
               "ptx: s.ptx\nkernel: k\ngrid: 1\nblock: 4\nargs: [o]\n"
               "buffers: {o: {type: float, count: 4, save: o.npy}}\n"
               "symbols:\n  coef: {type: float, values: [1, 2, 3, 4]}\n  scale: 10\n  ns::bias: 0.5\n"
               "  counter: {save: n.npy, output: true}\n  table: {buffer: o}\n"
               "verify: [{symbol: counter, fnv1a64: \"0000000000000000\"}]\n");
  for (const char* mode : {"", " --functional"}) {
    const Outcome r = folder.run(std::string("run s.yaml -q") + mode);
    INFO(r.out);
    CHECK(r.code == 1);  // the hash is wrong on purpose
    CHECK_THAT(r.out, ContainsSubstring("verification of 'counter' failed"));
    CHECK(output(folder, "o.npy") == std::vector<double>{10.5, 20.5, 30.5, 40.5});
    CHECK(output(folder, "n.npy") == std::vector<double>{9});
  }
}

TEST_CASE("Symbols and saved files come from the command line as well", "[symbols]") {
  const tests::ProgramFolder folder;
  folder.write("s.ptx", kPtx);
  const std::string run = "run s.ptx --functional --block 4 --arg 'o=float[4]' ";
  const Outcome r =
      folder.run(run + "--symbol coef=float=1,2,3,4 --symbol scale=2 --save o=o.npy --save counter=n.npy");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK(output(folder, "o.npy") == std::vector<double>{2, 4, 6, 8});
  CHECK(output(folder, "n.npy") == std::vector<double>{9});
  const Outcome beside =
      folder.run(run + "--symbol coef=float=1,2,3,4 --symbol scale=2 --save o=o3.npy -o out");
  INFO(beside.out);
  CHECK(output(folder, "o3.npy") ==
        std::vector<double>{2, 4, 6, 8});  // where the command says, not below out
  const Outcome file = folder.run(run + "--symbol coef=@o.npy --save o=o2.npy");
  INFO(file.out);
  CHECK(output(folder, "o2.npy") == std::vector<double>{2, 4, 6, 8});
}

TEST_CASE("What a symbol cannot take is refused with its name and size", "[symbols]") {
  const tests::ProgramFolder folder;
  folder.write("s.ptx", kPtx);
  const auto said = [&](const char* more, int code) {
    const Outcome r = folder.run(std::string("run s.ptx --functional -q --block 4 --arg 'float[4]' ") + more);
    INFO(more << "\n" << r.out);
    CHECK(r.code == code);
    return r.out;
  };
  CHECK_THAT(said("--symbol coef=float=1,2,3,4,5", 3),
             ContainsSubstring("'coef' has 16 bytes, and 20 are to be"));
  CHECK_THAT(said("--symbol coef=1,2", 3), ContainsSubstring("does not say of which type 'coef' is"));
  CHECK_THAT(said("--symbol ceof=1", 3), ContainsSubstring("no __constant__ or __device__ variable 'ceof'") &&
                                             ContainsSubstring("coef, scale, counter, table, ns::bias"));
  CHECK_THAT(said("--symbol scale", 2), ContainsSubstring("has no value"));
  CHECK_THAT(said("--save nothing=x.npy", 3), ContainsSubstring("variable 'nothing'"));
}

TEST_CASE("Each launch sees the constants that were written before it, with and without time", "[symbols]") {
  for (const sim::Mode mode : {sim::Mode::kFunctional, sim::Mode::kTimed}) {
    sim::DeviceOptions options;
    options.mode = mode;
    sim::Simulator gpu(options);
    sim::LoadedModule& module = gpu.load_text(kPtx);
    const sim::DevicePointer out = gpu.allocate(16);
    const sim::SymbolPlace coef = sim::named_symbol(module, "coef"),
                           scale = sim::named_symbol(module, "scale");
    for (const float factor : {2.0f, 100.0f}) {
      const float values[] = {1, 2, 3, 4};
      module.write(coef.address, values, sizeof values);
      module.write(scale.address, &factor, sizeof factor);
      gpu.launch(module.kernel("k"), {.grid = {1}, .block = {4}}, out);
      CHECK(gpu.download<float>(out, 4) == std::vector<float>{factor, 2 * factor, 3 * factor, 4 * factor});
    }
  }
}
