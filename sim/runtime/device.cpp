// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/device.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "base/demangle.h"
#include "base/error.h"
#include "base/hash.h"
#include "ptx/exec/functional.h"
#include "ptx/parse/parser.h"
#include "ptx/target.h"
#include "sim/runtime/access_analysis.h"
#include "sim/runtime/child_grids.h"

namespace gpuloom::sim {
namespace {

// Kernels of a module may name each other's variables; this much of cooperative_groups' workspace is used (a
// barrier word).
constexpr uint64_t kGridWorkspaceBytes = 4096;

}  // namespace

unsigned DeviceOptions::host_threads() const {
  if (mode == Mode::kTimed) return threads;
  return block_threads != 0 ? block_threads : std::max(1u, std::thread::hardware_concurrency());
}

LoadedModule& Device::load_file(const std::string& path, frontend::PtxRequest request,
                                const ModuleOptions& how) {
  if (request.target.empty()) request.target = ptx::widest_target(gpu_.targets);
  frontend::PtxSource source = frontend::read_ptx(path, request);
  if (!source.note.empty()) note(std::move(source.note));
  made_ptx_ = source.content == frontend::Content::kPtx && !source.linked ? std::string() : source.text;
  return load_text(std::move(source.text), source.name, how);
}

LoadedModule& Device::load_text(std::string text, const std::string& file_name, const ModuleOptions& how) {
  std::string hash = sha256_hex(text);
  ptx::ParseOptions options;
  options.device = ptx::widest_target(gpu_.targets);
  std::unique_ptr<ptx::LaterBodies> bodies;
  std::unique_ptr<ptx::Module> module;
  if (how.bodies_later) {
    bodies = std::make_unique<ptx::LaterBodies>(std::move(text), file_name, ptx::isa_table(), options);
    module = bodies->take_module();
  } else {
    module = ptx::load_module_text(std::move(text), file_name, ptx::isa_table(), options);
  }
  // Lowering tells values apart by their rows, and lets them share rows itself.
  ptx::PassOptions passes;
  passes.habits = gpu_.lowering.habits;
  passes.set("contract", how.contract.value_or(options_.contract));
  const bool machine = options_.mode != Mode::kFunctional || options_.count_machine || options_.analyze;
  passes.reuse_rows = !machine;
  passes.set("promote", !options_.checks.init);  // what nobody has written is seen in memory alone
  passes.set("unroll", machine);  // without it each PTX instruction counts as often as the PTX says
  modules_.push_back(
      std::make_unique<LoadedModule>(std::move(module), std::move(hash), memory_, modules_, passes, how));
  modules_.back()->read_bodies_from(std::move(bodies));
  return *modules_.back();
}

bool Device::note(std::string text) {
  if (std::find(notes_.begin(), notes_.end(), text) != notes_.end()) return false;
  notes_.push_back(std::move(text));
  return true;
}

std::vector<ptx::Finding> Device::findings() const {
  return checks_ ? checks_->findings() : std::vector<ptx::Finding>();
}

void Device::provide_system_calls(ptx::Launch& launch) {
  printed_ = 0;
  launch.print = [this](const std::string& text) {
    printed_ += text.size();
    if (options_.print) return options_.print(text);
    std::fwrite(text.data(), 1, text.size(), stdout);
  };
  launch.heap_allocate = [this](uint64_t bytes) -> uint64_t {
    if (bytes == 0 || bytes > options_.limits.heap_bytes - heap_used_) return 0;
    const uint64_t address = memory_.allocate(bytes, "a block of device malloc");
    heap_.insert(address);
    heap_used_ += bytes;
    return address;
  };
  launch.heap_free = [this](uint64_t address) {
    if (heap_.erase(address) == 0) return false;
    heap_used_ -= memory_.find(address)->size;
    memory_.free(address);
    return true;
  };
  if (options_.error_text) launch.error_text = [this](int error, bool name) { return text_of(error, name); };
}

uint64_t Device::text_of(int error, bool name) {
  const std::string text = options_.error_text(error, name);
  const auto [known, added] = texts_.emplace(text, 0);
  if (added) {
    known->second = memory_.allocate(text.size() + 1, "text of an error");
    memory_.write(known->second, text.c_str(), text.size() + 1);
  }
  return known->second;
}

// Blocks of the heap outlive the kernel, as in CUDA; but nobody frees most of those that do.
void Device::note_leaks(const std::string& kernel) {
  if (!heap_.empty())
    note(fmt::format("after kernel '{}', {} {} of device malloc ({} bytes) {} not been freed", kernel,
                     heap_.size(), heap_.size() == 1 ? "block" : "blocks", heap_used_,
                     heap_.size() == 1 ? "has" : "have"));
}

// CUDA's printf goes through a ring that is emptied when the kernel has ended; what does not fit is lost,
// oldest first (CUDA C++ guide, formatted output). How many bytes a call takes there is not documented: its
// text is about as long.
void Device::note_printed(const std::string& kernel) {
  constexpr uint64_t kRing = 1ull << 20;  // cudaLimitPrintfFifoSize's default
  if (printed_ > kRing)
    note(
        fmt::format("kernel '{}' printed {} bytes: CUDA keeps about the last {} of a kernel "
                    "(cudaLimitPrintfFifoSize) and loses what comes before; here all of it is shown",
                    kernel, printed_, kRing));
}

ptx::Launch Device::prepare(const LaunchRequest& request) {
  const ptx::Program& program = *request.kernel->program;
  check_launch(gpu_, request, program.registers_per_thread);
  ptx::Launch launch;
  launch.program = &program;
  launch.grid = request.grid;
  launch.block = request.block;
  if (const auto cluster = cluster_of(request)) {
    launch.cluster = *cluster;
    launch.explicit_cluster = true;
  }
  launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
  launch.shared_bytes = shared_bytes_of(program, request.dynamic_shared_bytes);
  launch.params = request.params;
  launch.memory = &memory_;
  launch.const_bank = request.kernel->module->const_bank().data();
  launch.const_bytes = options_.bounds == Bounds::kPages ? request.kernel->module->const_bank().size()
                                                         : request.kernel->module->const_bytes();
  launch.grid_id = ++launches_;
  launch.sm_count = gpu_.sm_count();
  launch.local_limit_bytes = gpu_.sm.limits.local_per_thread;
  if (options_.limits.stack_bytes != 0)
    launch.local_limit_bytes =
        static_cast<uint32_t>(std::min<uint64_t>(launch.local_limit_bytes, options_.limits.stack_bytes));
  if (program.local_bytes > launch.local_limit_bytes)
    throw Error(ErrorKind::kInput,
                fmt::format("kernel '{}' needs {} bytes of stack a thread, the limit is {}",
                            short_name(program.name), program.local_bytes, launch.local_limit_bytes),
                {}, "raise it with --stack-limit, or limits: {stack: ...} of the launch file");
  provide_system_calls(launch);
  launch.checks = checks_.get();
  launch.pm_events = std::make_shared<ptx::PmEvents>();
  launch.remarks = std::make_shared<ptx::LaunchRemarks>();
  launch.clock_hz = static_cast<uint64_t>(gpu_.clock_hz);
  if (request.cooperative) {
    // Where cooperative_groups finds its barrier: envreg1 is the upper half, envreg2 the lower (grid_sync in
    // PTX of nvcc 13).
    if (grid_workspace_ == 0) {
      grid_workspace_ = memory_.allocate(kGridWorkspaceBytes, "grid workspace");
      memory_.mark_written(grid_workspace_, kGridWorkspaceBytes);
    }
    launch.envreg[1] = static_cast<uint32_t>(grid_workspace_ >> 32);
    launch.envreg[2] = static_cast<uint32_t>(grid_workspace_);
  }
  return launch;
}

void Device::run_functional(ptx::Launch& launch, const LaunchRequest& request, const LaunchOptions& options,
                            LaunchOutcome& outcome) {
  ptx::FunctionalOptions o;
  o.max_warp_instructions = options.max_instructions;
  o.cooperative = request.cooperative;
  o.keep_partial = options.keep_partial;
  o.threads = options_.block_threads;
  o.independent = [&request] { return request.kernel->blocks_independent(); };
  if (options.progress) {
    o.progress = [&options](const ptx::FunctionalProgress& p) {
      return options.progress({0, p.blocks_done, p.blocks_total, p.warp_instructions});
    };
  }
  if (options_.count_machine) {
    outcome.machine = &lowered_for(request);
    outcome.program = launch.program = outcome.machine->program;
    o.per_instruction = true;
  }
  std::optional<AccessAnalysis> analysis;
  if (options_.analyze && !options.functional) {  // repeats before the last are not part of it
    const ptx::MachineProgram& machine = lowered(*request.kernel);
    outcome.program = launch.program = machine.program;
    o.observer = &analysis.emplace(gpu_.sm, machine, options_.line_rule);
  }
  if (checks_) checks_->begin(*launch.program);
  ptx::FunctionalResult result = ptx::run_functional(launch, o);
  if (analysis) outcome.accesses = analysis->report();
  outcome.complete = result.complete;
  outcome.executed = std::move(result.executed);
  outcome.thread_executed = std::move(result.thread_executed);
  outcome.warp_instructions = result.warp_instructions;
  outcome.thread_instructions = result.thread_instructions;
}

LaunchOutcome Device::launch(const LaunchRequest& request, const LaunchOptions& options) {
  LaunchOutcome outcome;
  const bool functional = options_.mode == Mode::kFunctional || options.functional;
  if (!functional && launches_kernels(*request.kernel->program)) {
    run_with_children(request, options, outcome);
    return outcome;
  }
  ptx::Launch launch = prepare(request);
  outcome.kernel = request.kernel->name();
  outcome.program = request.kernel->program.get();
  if (functional) {
    ChildGrids children(*this, *request.kernel->module);
    children.provide(launch);
    run_functional(launch, request, options, outcome);
    children.run(options, outcome);
  } else {
    run_timed(launch, request, options, outcome);
  }
  complete(launch, outcome);
  return outcome;
}

// What is told of a launch after its end, whoever ran it.
void Device::complete(const ptx::Launch& launch, LaunchOutcome& outcome) {
  for (size_t k = 0; k < outcome.pm_events.size(); ++k) outcome.pm_events[k] = (*launch.pm_events)[k];
  for (const std::string& remark : launch.remarks->text())
    note("kernel '" + short_name(outcome.kernel) + "': " + remark);
  note_leaks(short_name(outcome.kernel));
  note_printed(short_name(outcome.kernel));
}

}  // namespace gpuloom::sim
