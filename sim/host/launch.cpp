// SPDX-License-Identifier: Apache-2.0
#include "sim/host/launch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/demangle.h"
#include "base/error.h"
#include "ptx/exec/fault.h"
#include "sim/api/trace_file.h"
#include "sim/host/status.h"
#include "sim/runtime/session.h"

namespace gpuloom::host {
namespace {

// What CUDA answers to each kind of fault (runtime API, cudaError_t; as an H200 gave them).
Status status_of(ptx::FaultKind kind) {
  switch (kind) {
    case ptx::FaultKind::kMisaligned:
      return Status::kMisalignedAddress;
    case ptx::FaultKind::kWrongSpace:
      return Status::kInvalidAddressSpace;
    case ptx::FaultKind::kStack:
      return Status::kHardwareStackError;
    case ptx::FaultKind::kAssert:
      return Status::kAssert;
    case ptx::FaultKind::kTrap:
    case ptx::FaultKind::kBarrier:
      return Status::kLaunchFailure;
    case ptx::FaultKind::kIllegal:
      return Status::kIllegalInstruction;
    case ptx::FaultKind::kDeadlock:  // hangs on hardware
    case ptx::FaultKind::kLimit:
      return Status::kLaunchTimeout;
    default:
      return Status::kIllegalAddress;
  }
}

}  // namespace

Launcher::Launcher(sim::Device& device, const Settings& settings, Timeline& timeline, Records& records)
    : device_(device), settings_(settings), timeline_(timeline), records_(records) {
  if (!settings.extract.empty()) extractor_ = std::make_unique<Extractor>(device, settings);
}

sim::Kernel& Launcher::kernel(Function& function) {
  if (sim::Kernel* known = function.on(device_).kernel; known != nullptr) return *known;
  require(function.image != nullptr, Status::kInvalidDeviceFunction);
  sim::LoadedModule& module = function.image->load(device_);
  sim::Kernel*& kernel = function.on(device_).kernel;
  try {
    kernel = module.find_kernel(function.name);
  } catch (const Error& error) {
    throw Failure(static_cast<Status>(report_failure(error)));
  }
  require(kernel != nullptr, Status::kInvalidDeviceFunction);
  return *kernel;
}

std::vector<uint8_t> Launcher::pack(Function& function, void* const* arguments) {
  const ptx::Program& program = *kernel(function).program;
  std::vector<uint8_t> buffer(program.param_bytes, 0);
  require(arguments != nullptr || program.params.empty());
  for (size_t i = 0; i < program.params.size(); ++i) {
    require(arguments[i] != nullptr);
    std::memcpy(buffer.data() + program.params[i].offset, arguments[i], program.params[i].size_bytes);
  }
  return buffer;
}

std::vector<uint8_t> Launcher::pack(Function& function, const void* source, size_t bytes) {
  const ptx::Program& program = *kernel(function).program;
  std::vector<uint8_t> buffer(program.param_bytes, 0);
  std::memcpy(buffer.data(), source, std::min(bytes, buffer.size()));
  return buffer;
}

sim::LaunchRequest Launcher::request_of(const Launch& launch) {
  sim::LaunchRequest r;
  r.kernel = &kernel(*launch.function);
  const Function::There& f = launch.function->on(device_);
  r.grid = launch.grid;
  r.block = launch.block;
  r.cluster = launch.cluster;
  r.dynamic_shared_bytes = launch.shared;
  // Without the attribute a block has the 48 KiB that any device has, less its static part.
  const uint32_t plain = device_.gpu().sm.limits.shared_per_block;
  r.max_dynamic_shared_bytes =
      f.max_dynamic_shared.value_or(plain - std::min(plain, r.kernel->program->shared_static_bytes));
  r.nonportable_cluster = f.nonportable_cluster;
  r.carveout_pct = launch.carveout;
  if (!r.carveout_pct && f.carveout >= 0) r.carveout_pct = static_cast<uint32_t>(f.carveout);
  r.cooperative = launch.cooperative;
  r.dependent = launch.dependent;
  r.window = launch.window;
  r.params = launch.params;
  return r;
}

void Launcher::check(const Launch& launch) {
  const sim::LaunchRequest request = request_of(launch);
  try {
    sim::check_launch(device_.gpu(), request, request.kernel->program->registers_per_thread);
  } catch (const Error& error) {
    throw Failure(static_cast<Status>(report_failure(error)));
  }
}

// Of the launches of kernels that -k names those that --launch-skip and --launch-count leave.
bool Launcher::chosen(Function& function) {
  if (!function.candidate)
    function.candidate = settings_.kernel.empty() || !names_meant(settings_.kernel, {function.name}).empty();
  if (!*function.candidate) return false;
  const uint64_t number = candidates_++;
  return number >= settings_.skip && number - settings_.skip < settings_.count;
}

bool Launcher::in_time(Function& function) { return settings_.timed && chosen(function); }

// Without time, with a launch file of what it begins with and what it leaves.
sim::LaunchOutcome Launcher::run_extracted(const sim::LaunchRequest& request,
                                           const sim::LaunchOptions& options, const Function& function,
                                           uint64_t number) {
  extractor_->begin(request, *function.image, number);
  try {
    sim::LaunchOutcome outcome = device_.launch(request, options);
    extractor_->end(outcome);
    return outcome;
  } catch (const Error&) {
    extractor_->end_with_fault();
    throw;
  }
}

// A functional launch takes what an empty kernel does: launch.overhead and what ends a kernel.
Time Launcher::duration(const sim::LaunchOutcome& outcome) const {
  const arch::LaunchConfig& l = device_.gpu().launch;
  const uint64_t cycles =
      outcome.timed ? outcome.timed->cycles : uint64_t{l.overhead_cycles} + l.drain_cycles;
  const double hz = outcome.timed ? outcome.timed->clock_hz : device_.gpu().clock_hz;
  return static_cast<Time>(static_cast<double>(cycles) / hz * 1e12);
}

// launch_12.json beside result.json: the number is that of its record.
void Launcher::write_trace(const sim::LaunchOutcome& outcome) const {
  if (settings_.trace.empty() || !outcome.timed || !outcome.timed->timeline) return;
  const sim::TraceChoice choice{settings_.trace,
                                settings_.output + "/launch_" + std::to_string(records_.launches())};
  for (const std::string& note : sim::write_trace(choice, {outcome.timed->timeline}).notes)
    std::fprintf(stderr, "gpuloom: trace: %s\n", note.c_str());
}

bool Launcher::out_of_time() const {
  return settings_.max_seconds > 0 && worked_.seconds() > settings_.max_seconds;
}

void Launcher::faulted(const Error& error, const std::string& kernel) {
  std::fprintf(stderr, "gpuloom: %s\n", error.what());
  const auto* fault = dynamic_cast<const ptx::Fault*>(&error);
  if (fault != nullptr && fault->info().kind == ptx::FaultKind::kOutOfBounds &&
      device_.memory().holds_address(fault->info().address) && settings_.bounds == sim::Bounds::kExact)
    std::fprintf(
        stderr,
        "  hint: a GPU does not notice this near other memory; --bounds pages allows what a GPU does\n");
  fault_ = static_cast<int>(fault != nullptr ? status_of(fault->info().kind) : Status::kLaunchFailure);
  records_.add_faulted(fault != nullptr && !fault->info().kernel.empty() ? fault->info().kernel : kernel);
}

void Launcher::run(const Launch& launch, Stream& stream) {
  flush_printed();
  const WorkingTime::Span span(worked_);
  // Here as well as within kernels: a program may launch short ones for ever.
  if (out_of_time()) throw OutOfTime{short_name(launch.function->name)};
  sim::LaunchRequest request = request_of(launch);
  if (!request.window) request.window = stream.window;
  sim::LaunchOptions options;
  options.functional = !in_time(*launch.function);
  options.cold_caches = false;  // the program's launches follow each other
  options.keep_partial = true;
  if (settings_.max_seconds > 0)
    options.progress = [this](const sim::RunProgress&) { return !out_of_time(); };
  LaunchRecord record = record_of(request, stream.id);
  last_number_ = record.number;
  ++launches_;
  try {
    if (queue_ != nullptr)
      return submit(request, options, record, stream,
                    launch.priority != 0 ? launch.priority : stream.priority);
    std::vector<LaunchRecord> children;
    options.child_launched = children_into(children, stream.id);
    const bool extract = extractor_ != nullptr && chosen(*launch.function);
    const sim::LaunchOutcome outcome = extract
                                           ? run_extracted(request, options, *launch.function, record.number)
                                           : device_.launch(request, options);
    if (!outcome.complete) throw OutOfTime{short_name(record.kernel), outcome.warp_instructions};
    record.start = timeline_.ready(stream, Engine::kCompute);
    record.end = timeline_.occupy(stream, Engine::kCompute, record.start, duration(outcome));
    add_record(record, request, outcome);
    for (LaunchRecord& child : children) {
      child.start = timeline_.ready(stream, Engine::kCompute);
      child.end = timeline_.occupy(stream, Engine::kCompute, child.start, duration({}));
      records_.add(child);
    }
  } catch (const sim::LaunchRefused& error) {
    throw Failure(static_cast<Status>(report_failure(error)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kProgram) throw Failure(static_cast<Status>(report_failure(error)));
    faulted(error, record.kernel);
  }
}

void Launcher::add_record(LaunchRecord record, const sim::LaunchRequest& request,
                          const sim::LaunchOutcome& outcome) {
  record.warp_instructions = outcome.warp_instructions;
  std::optional<ReportKernel> report;
  record.in_time = outcome.timed.has_value();
  if (outcome.timed) {
    if (!settings_.output.empty()) report = sim::report_kernel(device_, request, outcome);
    for (const uint64_t ticket : outcome.timed->shared_with) {
      const auto known = numbers_.find(ticket);  // else it is being submitted
      record.shared_with.push_back(known == numbers_.end() ? last_number_ : known->second->number);
    }
  }
  record.metrics = report ? &*report : nullptr;
  write_trace(outcome);
  records_.add(record);
}

// As work of the machine: it runs when the program waits for it, or for something behind it.
void Launcher::submit(const sim::LaunchRequest& request, const sim::LaunchOptions& options,
                      LaunchRecord record, Stream& stream, int priority) {
  if (options.functional) {
    sim::check_launch(device_.gpu(), request, request.kernel->program->registers_per_thread);
    queue_->call(
        stream,
        [this, request, options, record](Time at) mutable {
          std::vector<LaunchRecord> children;
          sim::LaunchOptions with_children = options;
          with_children.child_launched = children_into(children, record.stream);
          const sim::LaunchOutcome outcome = device_.launch(request, with_children);
          if (!outcome.complete) throw OutOfTime{short_name(record.kernel), outcome.warp_instructions};
          record.start = at;
          record.end = at + duration(outcome);
          add_record(record, request, outcome);
          for (LaunchRecord& child : children) {  // the machine knows nothing of them: they take no time
            child.start = child.end = record.end;
            records_.add(child);
          }
        },
        duration({}));
    return;
  }
  sim::LaunchOptions with_children = options;
  with_children.child_launched = [this, id = stream.id](const sim::LaunchRequest& child,
                                                        arch::Ticket ticket) {
    LaunchRecord its = record_of(child, id);
    const auto numbered = std::make_shared<Numbered>(Numbered{its.number});
    numbers_[ticket] = numbered;
    ++launches_;
    return taker(std::move(its), numbered);
  };
  const auto numbered = std::make_shared<Numbered>(Numbered{record.number});
  numbers_[queue_->launch(stream, request, with_children, priority, taker(record, numbered))] = numbered;
}

void Launcher::forget_numbers() {
  const uint64_t oldest = under_way_.empty() ? UINT64_MAX : under_way_.begin()->first;
  std::erase_if(numbers_, [oldest](const auto& launch) { return launch.second->newest < oldest; });
}

// Of grids that a kernel without time launches, in the order of their run.
std::function<sim::EndedFn(const sim::LaunchRequest&, arch::Ticket)> Launcher::children_into(
    std::vector<LaunchRecord>& children, uint64_t stream) {
  return [this, &children, stream](const sim::LaunchRequest& child, arch::Ticket) -> sim::EndedFn {
    ++launches_;
    const size_t place = children.size();  // before those that it launches in turn
    children.push_back(record_of(child, stream));
    return [&children, place](const sim::LaunchRequest&, const sim::LaunchOutcome& outcome) {
      children[place].warp_instructions = outcome.warp_instructions;
    };
  };
}

LaunchRecord Launcher::record_of(const sim::LaunchRequest& request, uint64_t stream) {
  LaunchRecord record;
  record.kernel = request.kernel->name();
  record.grid = {request.grid.x, request.grid.y, request.grid.z};
  record.block = {request.block.x, request.block.y, request.block.z};
  record.shared = request.dynamic_shared_bytes;
  record.device = device_.number();
  record.stream = stream;
  record.number = records_.next_number();
  return record;
}

sim::EndedFn Launcher::taker(LaunchRecord record, std::shared_ptr<Numbered> numbered) {
  under_way_[record.number] = record.kernel;
  return [this, record, numbered = std::move(numbered)](const sim::LaunchRequest& its,
                                                        const sim::LaunchOutcome& outcome) mutable {
    record.start = queue_->time_of(outcome.timed->start_cycle);
    record.end = queue_->time_of(outcome.timed->start_cycle + outcome.timed->cycles);
    add_record(record, its, outcome);
    under_way_.erase(record.number);
    numbered->newest = records_.newest_number();
  };
}

void Launcher::failed(const Error& error) {
  const std::string kernel = under_way_.empty() ? "a kernel" : under_way_.begin()->second;
  if (error.kind() == ErrorKind::kUsage && out_of_time()) throw OutOfTime{short_name(kernel)};
  if (error.kind() != ErrorKind::kProgram) throw Failure(static_cast<Status>(report_failure(error)));
  faulted(error, kernel);
}

void Launcher::finish() const {
  if (extractor_ == nullptr || extractor_->any() || launches_ == 0) return;
  std::fprintf(
      stderr,
      "gpuloom: no launch was extracted: the program made %llu, %llu of kernels that were asked for\n",
      static_cast<unsigned long long>(launches_), static_cast<unsigned long long>(candidates_));
}

void Launcher::flush_printed() {
  if (printed_.empty()) return;
  std::fwrite(printed_.data(), 1, printed_.size(), stdout);
  printed_.clear();
}

}  // namespace gpuloom::host
