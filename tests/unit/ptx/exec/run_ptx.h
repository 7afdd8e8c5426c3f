// SPDX-License-Identifier: Apache-2.0
// Runs a few lines of PTX in the functional engine and hands back what each thread left in %r0.
#pragma once
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ptx/exec/fault.h"
#include "ptx/exec/functional.h"
#include "ptx/parse/parser.h"
#include "sim/runtime/module.h"
#include "tests/catch2.h"
#include "tests/unit/plain_model.h"

namespace gpuloom::test {

struct Shape {
  ptx::Dim3 block{32, 1, 1};
  ptx::Dim3 grid{1, 1, 1};
  ptx::Dim3 cluster{1, 1, 1};
  ptx::FunctionalOptions options;
  bool unroll = false;  // as a machine program has it
};

class PtxRun {
 public:
  // `body`: instructions of the kernel. %r0 is the result; %tid (u32), %lane and %cta are set; free to use
  // are %r1-%r19, %p1-%p9, %w1-%w9 and `scratch` (64-bit address of 4 KiB of zeroed global memory in
  // %scratch). `before`: module-scope text, `shared`: declarations at the kernel's start.
  explicit PtxRun(const std::string& body, Shape shape = {}, const std::string& before = "")
      : memory_(1 << 26) {
    const std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n" + before + R"(
.visible .entry k(.param .u64 out, .param .u64 scratch)
{
.reg .b32 %r<20>; .reg .pred %p<10>; .reg .b64 %w<10>; .reg .b64 %out, %scratch, %at; .reg .b32 %tid, %lane, %cta;
mov.u32 %tid, %tid.x; mov.u32 %lane, %laneid; mov.u32 %cta, %ctaid.x;
ld.param.u64 %out, [out]; ld.param.u64 %scratch, [scratch];
mov.u32 %r1, %ntid.x; mad.lo.u32 %r1, %cta, %r1, %tid; mul.wide.u32 %at, %r1, 4; add.u64 %out, %out, %at;
mov.u32 %r0, 0;
)" + body + "\nst.global.u32 [%out], %r0;\nret;\n}\n";
    ptx::PassOptions passes;
    passes.habits = ptx::model_of_h200().profile.habits;
    passes.set("unroll", shape.unroll);
    module_ = std::make_unique<sim::LoadedModule>(ptx::load_module_text(text, "test.ptx", ptx::isa_table()),
                                                  "", memory_, others_, passes);
    const sim::Kernel& kernel = module_->kernel("k");
    const uint64_t threads = shape.block.count() * shape.grid.count();
    const uint64_t out = memory_.allocate(threads * 4, "out"), scratch = memory_.allocate(4096, "scratch");
    ptx::Launch launch;
    launch.program = program = kernel.program.get();
    launch.block = shape.block;
    launch.grid = shape.grid;
    launch.cluster = shape.cluster;
    launch.explicit_cluster = shape.cluster.count() > 1;
    launch.shared_bytes = kernel.program->shared_static_bytes;
    launch.memory = &memory_;
    launch.const_bank = module_->const_bank().data();
    launch.const_bytes = module_->const_bank().size();
    launch.params.resize(16);
    launch.print = [this](const std::string& s) { printed += s; };
    std::memcpy(launch.params.data(), &out, 8);
    std::memcpy(launch.params.data() + 8, &scratch, 8);
    if (shape.options.max_warp_instructions == 0 && !shape.options.independent)
      shape.options.max_warp_instructions = 3'000'000;
    result = ptx::run_functional(launch, shape.options);
    values.resize(threads);
    memory_.read(out, values.data(), threads * 4);
    scratch_ = scratch;
  }

  uint64_t scratch_word(unsigned at) const {  // of 64 bits
    uint64_t word = 0;
    memory_.read(scratch_ + 8 * at, &word, sizeof word);
    return word;
  }

  uint32_t operator[](size_t thread) const { return values[thread]; }
  std::vector<uint32_t> values;
  ptx::FunctionalResult result;
  std::string printed;
  const ptx::Program* program = nullptr;

 private:
  sim::DeviceMemory memory_;
  uint64_t scratch_ = 0;
  std::vector<std::unique_ptr<sim::LoadedModule>> others_;
  std::unique_ptr<sim::LoadedModule> module_;
};

// The message of the fault that the PTX runs into; "" where it ends well.
inline std::string fault_of(const std::string& body, Shape shape = {}, const std::string& before = "") {
  try {
    PtxRun run(body, shape, before);
  } catch (const ptx::Fault& fault) {
    CHECK(fault.kind() == ErrorKind::kProgram);
    return fault.what();
  }
  return "";
}

inline bool contains(const std::string& text, const char* part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace gpuloom::test
