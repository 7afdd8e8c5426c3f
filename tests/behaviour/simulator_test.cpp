// SPDX-License-Identifier: Apache-2.0
// The public API from end to end, without time.
#include "sim/api/simulator.h"

#include "base/error.h"
#include "bench/validation/conformance.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using namespace gpuloom::validation;
using Catch::Matchers::ContainsSubstring;

namespace {

const char* const kScale = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b32 counter = 5;
.const .align 4 .f32 factor = 0f40000000;
.visible .entry scale(.param .u64 out, .param .u64 in, .param .u32 n)
{
  .reg .b64 %rd<5>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r5, %r3, %r4, %r2;
  setp.ge.u32 %p, %r5, %r1;
  @%p ret;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  ld.const.f32 %f2, [factor];
  mul.f32 %f3, %f1, %f2;
  add.u64 %rd4, %rd1, %rd3;
  st.global.f32 [%rd4], %f3;
  ret;
}
)";

DeviceOptions functional() {
  DeviceOptions o;
  o.mode = Mode::kFunctional;
  return o;
}

}  // namespace

TEST_CASE("A constant's address fits a register of 32 bits", "[api]") {
  const char* text = R"(.version 8.0
.target sm_90
.address_size 64
.const .align 4 .b32 table[4] = {5, 6, 7, 8};
.visible .entry k(.param .u64 out)
{
  .reg .b64 %rd1;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, table;
  ld.const.u32 %r2, [%r1+8];
  st.global.u32 [%rd1], %r2;
  ret;
}
)";
  Simulator gpu(functional());
  LoadedModule& module = gpu.load_text(text, "constant.ptx");
  const DevicePointer out = gpu.allocate(4);
  gpu.launch(module.kernel("k"), {}, out);
  CHECK(gpu.download<uint32_t>(out, 1) == std::vector<uint32_t>{7});
}

TEST_CASE("A kernel loaded from text computes on uploaded data", "[api]") {
  Simulator gpu(functional());
  LoadedModule& module = gpu.load_text(kScale, "scale.ptx");
  const DevicePointer in = gpu.upload<float>({1, 2, 3, 4, 5}), out = gpu.allocate(20);
  const ReportKernel k = gpu.launch(module.kernel("scale"), {.grid = {2}, .block = {4}}, out, in, 5u);
  CHECK(gpu.download<float>(out, 5) == std::vector<float>{2, 4, 6, 8, 10});
  CHECK(k.name == "scale");
  CHECK(k.find("launch__grid_size")->value == 2);
  CHECK(k.find("sim__ptx_inst_executed.sum")->value > 0);
  CHECK(k.find("sm__cycles_elapsed.max") ==
        nullptr);  // time was not simulated, so nothing is claimed about it
}

TEST_CASE("Variables of a module have addresses, initial values and can be written", "[api]") {
  Simulator gpu(functional());
  LoadedModule& module = gpu.load_text(kScale, "scale.ptx");
  const SymbolPlace counter = module.symbol("counter"), factor = module.symbol("factor");
  CHECK(counter.size == 4);
  CHECK(gpu.download<int>({counter.address}, 1)[0] == 5);
  const float ten = 10;
  module.write(factor.address, &ten, 4);
  const DevicePointer in = gpu.upload<float>({1.5f}), out = gpu.allocate(4);
  gpu.launch(module.kernel("scale"), {.grid = {1}, .block = {32}}, out, in, 1u);
  CHECK(gpu.download<float>(out, 1)[0] == 15);
}

TEST_CASE("An out-of-bounds access names the line, the block, the thread and the nearest allocation",
          "[api]") {
  Simulator gpu(functional());
  LoadedModule& module = gpu.load_text(kScale, "scale.ptx");
  const DevicePointer in = gpu.allocate(32, "input"), out = gpu.allocate(64, "output");
  try {
    gpu.launch(module.kernel("scale"), {.grid = {4}, .block = {4}}, out, in, 16u);
    FAIL("the kernel read past its input");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kProgram);
    const std::string text = e.what();
    CHECK_THAT(text, ContainsSubstring("scale.ptx:23"));
    CHECK_THAT(text,
               ContainsSubstring("kernel 'scale'") && ContainsSubstring("thread (0,0,0) of block (2,0,0)"));
    CHECK_THAT(text, ContainsSubstring("past the end of 'input' (32 bytes at"));
  }
}

TEST_CASE("A kernel that uses freed memory is told so", "[api]") {
  Simulator gpu(functional());
  LoadedModule& module = gpu.load_text(kScale, "scale.ptx");
  const DevicePointer in = gpu.allocate(32, "gone"), out = gpu.allocate(64, "output");
  gpu.free(in);
  CHECK_THROWS_WITH(gpu.launch(module.kernel("scale"), {.grid = {1}, .block = {4}}, out, in, 4u),
                    ContainsSubstring("'gone'") && ContainsSubstring("was freed"));
}

TEST_CASE("Launches that the device cannot hold are refused with CUDA's error names", "[api]") {
  Simulator gpu(functional());
  Kernel& kernel = gpu.load_text(kScale, "scale.ptx").kernel("scale");
  const DevicePointer p = gpu.allocate(16);
  const auto refusal = [&](const LaunchShape& shape) {
    try {
      gpu.launch(kernel, shape, p, p, 0u);
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::kInput);
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(refusal({.grid = {0}, .block = {32}}), ContainsSubstring("cudaErrorInvalidValue"));
  CHECK_THAT(refusal({.grid = {1}, .block = {1025}}),
             ContainsSubstring("cudaErrorInvalidValue") && ContainsSubstring("at most 1024"));
  CHECK_THAT(refusal({.grid = {1, 65536}, .block = {32}}), ContainsSubstring("cudaErrorInvalidValue"));
  CHECK_THAT(refusal({.grid = {1}, .block = {32}, .cluster = std::nullopt, .dynamic_shared_bytes = 300'000}),
             ContainsSubstring("shared memory"));
  CHECK_THAT(refusal({.grid = {32}, .block = {32}, .cluster = ptx::Dim3{32}}),
             ContainsSubstring("cudaErrorInvalidClusterSize"));
  CHECK_THAT(refusal({.grid = {9}, .block = {32}, .cluster = ptx::Dim3{2}}),
             ContainsSubstring("not a multiple of cluster"));
}

TEST_CASE("Wrong arguments are answered with the kernel's parameters", "[api]") {
  Simulator gpu(functional());
  Kernel& kernel = gpu.load_text(kScale, "scale.ptx").kernel("scale");
  const DevicePointer p = gpu.allocate(16);
  CHECK_THROWS_WITH(gpu.launch(kernel, {.grid = {1}, .block = {32}}, p, p),
                    ContainsSubstring("takes 3 arguments, but the launch gives 2") &&
                        ContainsSubstring("n (.u32, 4 bytes)"));
  CHECK_THROWS_WITH(gpu.launch(kernel, {.grid = {1}, .block = {32}}, p, p, 1.0),
                    ContainsSubstring("argument 2 has 8 bytes"));
  CHECK_THROWS_WITH(gpu.load_text(kScale, "scale.ptx").kernel("scales"), ContainsSubstring("scale"));
}

TEST_CASE("A chosen slice of the conformance suite passes in this process", "[api][conformance]") {
  const ConformanceSuite suite = load_conformance_suite(tests::in_tree("/tests/conformance"));
  REQUIRE(suite.cases.size() == 4806);
  ConformanceOptions options;
  options.ids = {"add.s16", "mul.wide.s16", "shr.b64.imm16", "cvt.u64.u64", "max.ftz.f32", "set.ls.u32.u16"};
  const std::vector<CaseResult> results = run_conformance(suite, options);
  CHECK(results.size() == options.ids.size());
  for (const CaseResult& r : results) {
    INFO(suite.cases[r.index].id << ": " << r.message);
    CHECK(r.status == CaseStatus::kPassed);
  }
}

TEST_CASE("A wrong word of a conformance case is found and shown with its inputs", "[api][conformance]") {
  const ConformanceSuite suite = load_conformance_suite(tests::in_tree("/tests/conformance"));
  const ConformanceCase& c = suite.cases[0];
  std::vector<uint64_t> got(
      suite.outputs.begin() + static_cast<ptrdiff_t>(c.out_offset),
      suite.outputs.begin() + static_cast<ptrdiff_t>(c.out_offset + c.threads * c.outputs.size()));
  CHECK(compare_case(suite, 0, got).status == CaseStatus::kPassed);
  got[7] ^= 1;
  const CaseResult r = compare_case(suite, 0, got);
  CHECK(r.status == CaseStatus::kFailed);
  CHECK(r.wrong == 1);
  CHECK_THAT(r.message, ContainsSubstring("thread 7, result 0: inputs 0x"));
}

TEST_CASE("A module falls into kernels that each stand alone with the header", "[conformance]") {
  std::vector<std::string> names;
  const std::vector<std::string> pieces = split_kernels(
      ".version 8.0\n.target sm_90\n\n// one\n.visible .entry a(.param .u64 p)\n{}\n\n// two\n.func "
      "f()\n{}\n.visible .entry b()\n{}\n",
      names);
  CHECK(names == std::vector<std::string>{"a", "b"});
  REQUIRE(pieces.size() == 2);
  CHECK_THAT(pieces[1], ContainsSubstring(".target sm_90") && ContainsSubstring(".func f()") &&
                            !ContainsSubstring("entry a"));
}
