// SPDX-License-Identifier: Apache-2.0
// Tensor-core work in functional mode, in floating-point operations a second (two a product): a loop of
// mma.sync or wgmma on one block, by type.
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ptx/exec/functional.h"
#include "ptx/parse/parser.h"
#include "sim/runtime/module.h"

namespace {

using namespace gpuloom;

constexpr int kIterations = 400;

struct Form {
  const char* name;
  std::string instruction;  // up to its operands
  int m, n, k;
  int d, a, b;          // registers a lane; a: 0 where wgmma reads it from shared memory
  std::string ones;     // bits of an element of the type, repeated over a word; the lower bits vary
  bool warpgroup, f16;  // f16: D is packed
};

std::string list(const char* prefix, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i != 0 ? ", %" : "%") + std::string(prefix) + std::to_string(i);
  return text + "}";
}

// Addresses 0 and 16384, 128 bytes a row, swizzled: a K-major tile as TMA writes it.
constexpr const char* kDescriptors = "mov.b64 %da, 0x4000004000010000;\nmov.b64 %db, 0x4000004000010400;\n";

std::string multiply_of(const Form& f) {
  const bool d_float = f.instruction.find(".s32") == std::string::npos;
  const std::string d = list(d_float && !f.f16 ? "f" : "c", f.d);
  if (!f.warpgroup)
    return f.instruction + " " + d + ", " + list("a", f.a) + ", " + list("b", f.b) + ", " + d + ";\n";
  const std::string scales = !d_float ? "" : f.k == 16 ? ", 1, 1, 0, 0" : ", 1, 1";
  return "wgmma.fence.sync.aligned;\n" + f.instruction + " " + d + ", " +
         (f.a != 0 ? list("a", f.a) : "%da") + ", %db, 1" +
         (f.a != 0 && f.k == 16 && d_float ? ", 1, 1, 0" : scales) +
         ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
}

std::string kernel_of(const Form& f) {
  std::string text =
      ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %a<8>, %b<8>, "
      "%c<130>, %i, "
      "%t, %at;\n.reg .f32 %f<130>;\n.reg .b64 %da, %db;\n.reg .pred %p;\n.shared .align 1024 .b8 "
      "tile[49152];\n";
  text += kDescriptors;
  text += "mov.u32 %t, %tid.x;\nmul.lo.u32 %t, %t, 0x01030507;\nmov.u32 %i, 0;\n";
  text += "mov.u32 %at, %tid.x;\nshl.b32 %at, %at, 2;\n";
  text += "FILL:\nand.b32 %c0, %t, 0x03010301;\nor.b32 %c0, %c0, " + f.ones +
          ";\nst.shared.b32 [%at], %c0;\nadd.u32 %at, %at, 512;\nmul.lo.u32 %t, %t, 0x01030507;\n"
          "setp.lt.u32 %p, %at, 49152;\n@%p bra FILL;\n";
  for (const char* prefix : {"a", "b"})
    for (int i = 0; i < 8; ++i) {
      const std::string r = "%" + std::string(prefix) + std::to_string(i);
      text += "mul.lo.u32 %t, %t, 0x01030507;\nand.b32 " + r + ", %t, 0x03010301;\nor.b32 " + r + ", " + r +
              ", " + f.ones + ";\n";
    }
  for (int i = 0; i < 130; ++i)
    text += "mov.f32 %f" + std::to_string(i) + ", 0f3F800000;\nmov.b32 %c" + std::to_string(i) +
            ", 0x3c003c00;\n";
  text += "LOOP:\n" + multiply_of(f) + "add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, " +
          std::to_string(kIterations) + ";\n@%p bra LOOP;\nret;\n}\n";
  return text;
}

void matrix(benchmark::State& state, const Form& form) {
  sim::DeviceMemory memory(1 << 20);
  std::vector<std::unique_ptr<sim::LoadedModule>> others;
  ptx::PassOptions passes;
  passes.set("unroll", false);
  sim::LoadedModule module(ptx::load_module_text(kernel_of(form), form.name, ptx::isa_table()), "", memory,
                           others, passes);
  const sim::Kernel& kernel = module.kernel("k");
  ptx::Launch launch;
  launch.program = kernel.program.get();
  launch.block = {form.warpgroup ? 128u : 32u, 1, 1};
  launch.grid = {1, 1, 1};
  launch.shared_bytes = kernel.program->shared_static_bytes;
  launch.memory = &memory;
  launch.const_bank = module.const_bank().data();
  launch.const_bytes = module.const_bank().size();
  for (auto _ : state) ptx::run_functional(launch, {});
  const double operations =
      2.0 * form.m * form.n * form.k * kIterations * static_cast<double>(state.iterations());
  state.counters["FLOP/s"] = benchmark::Counter(operations, benchmark::Counter::kIsRate);
}

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {
      {"mma.f16.f32", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 4, 4, 2, "0x3c003c00",
       false, false},
      {"mma.f16.f16", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, 2, 4, 2, "0x3c003c00",
       false, true},
      {"mma.bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, 4, 4, 2, "0x3f803f80",
       false, false},
      {"mma.tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 4, 4, 2, "0x3f800000",
       false, false},
      {"mma.e4m3", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 8, 32, 4, 4, 2, "0x38383838",
       false, false},
      {"mma.e5m2", "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 16, 8, 32, 4, 4, 2, "0x3c3c3c3c",
       false, false},
      {"mma.s8", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, 4, 4, 2, "0x10f020e0", false,
       false},
      {"mma.s4", "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 16, 8, 64, 4, 4, 2, "0x10f020e0", false,
       false},
      {"wgmma.f16.f32", "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", 64, 128, 16, 64, 0, 0,
       "0x3c003c00", true, false},
      {"wgmma.f16.f32.a_registers", "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", 64, 128, 16, 64, 4,
       0, "0x3c003c00", true, false},
      {"wgmma.f16.f16", "wgmma.mma_async.sync.aligned.m64n128k16.f16.f16.f16", 64, 128, 16, 32, 0, 0,
       "0x3c003c00", true, true},
      {"wgmma.bf16", "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16", 64, 256, 16, 128, 0, 0,
       "0x3f803f80", true, false},
      {"wgmma.tf32", "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32", 64, 128, 8, 64, 0, 0,
       "0x3f800000", true, false},
      {"wgmma.e4m3", "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3", 64, 128, 32, 64, 0, 0,
       "0x38383838", true, false},
      {"wgmma.s8", "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8", 64, 128, 32, 64, 0, 0, "0x10f020e0",
       true, false},
  };
  return all;
}

const bool registered = [] {
  for (const Form& form : forms())
    benchmark::RegisterBenchmark(form.name, matrix, form)->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
