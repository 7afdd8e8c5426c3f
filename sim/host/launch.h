// SPDX-License-Identifier: Apache-2.0
// A launch as a program asks for it, and the one place that carries launches out.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/working_time.h"
#include "sim/host/extract/extractor.h"
#include "sim/host/program.h"
#include "sim/host/record.h"
#include "sim/host/settings.h"
#include "sim/runtime/device.h"
#include "sim/streams/device_queue.h"
#include "sim/streams/stream.h"

namespace gpuloom::host {

struct Launch {
  Function* function = nullptr;
  ptx::Dim3 grid, block;
  std::optional<ptx::Dim3> cluster;
  uint32_t shared = 0;
  bool cooperative = false;
  bool dependent = false;  // cudaLaunchAttributeProgrammaticStreamSerialization
  std::optional<uint32_t> carveout;
  std::optional<sim::PolicyWindow> window;
  int priority = 0;
  std::vector<uint8_t> params;
};

// The run has used up its --max-seconds in the middle of a kernel.
struct OutOfTime {
  std::string kernel;
  uint64_t warp_instructions = 0;  // of it, until then
};

class Launcher {
 public:
  Launcher(sim::Device& device, const Settings& settings, Timeline& timeline, Records& records);

  // The kernel on the device, loaded and decoded by the first call. Throws Failure.
  sim::Kernel& kernel(Function& function);
  // The parameter buffer, from pointers to the arguments or from one buffer of all of them. A kernel without
  // parameters wants neither.
  std::vector<uint8_t> pack(Function& function, void* const* arguments);
  std::vector<uint8_t> pack(Function& function, const void* buffer, size_t bytes);

  // Carries it out in the stream. Throws Failure for what CUDA refuses at once, OutOfTime; a fault of the
  // kernel is kept for fault().
  void run(const Launch& launch, Stream& stream);
  // As it would run: throws Failure where the device refuses it.
  void check(const Launch& launch);

  // Code of the first fault; 0 as long as there was none. Nothing runs after it.
  int fault() const { return fault_; }
  // Launches are work of the machine from here on; what goes wrong there comes to failed().
  void run_on(DeviceQueue& queue) {
    queue_ = &queue;
    queue.count_in(worked_);
  }
  void failed(const Error& error);
  // Prints what kernels have printed, where CUDA does: at the next launch or wait.
  void flush_printed();
  // The program ends: says where nothing was there for the user's choice.
  void finish() const;
  void print(const std::string& text) { printed_ += text; }
  // Those of launches that no launch under way can name.
  void forget_numbers();

 private:
  sim::LaunchRequest request_of(const Launch& launch);
  void submit(const sim::LaunchRequest& request, const sim::LaunchOptions& options, LaunchRecord record,
              Stream& stream, int priority);
  LaunchRecord record_of(const sim::LaunchRequest& request, uint64_t stream);
  struct Numbered;
  // Of a launch that is under way.
  sim::EndedFn taker(LaunchRecord record, std::shared_ptr<Numbered> numbered);
  std::function<sim::EndedFn(const sim::LaunchRequest&, arch::Ticket)> children_into(
      std::vector<LaunchRecord>& children, uint64_t stream);
  void add_record(LaunchRecord record, const sim::LaunchRequest& request, const sim::LaunchOutcome& outcome);
  bool chosen(Function& function);
  bool in_time(Function& function);
  sim::LaunchOutcome run_extracted(const sim::LaunchRequest& request, const sim::LaunchOptions& options,
                                   const Function& function, uint64_t number);
  Time duration(const sim::LaunchOutcome& outcome) const;
  void write_trace(const sim::LaunchOutcome& outcome) const;
  bool out_of_time() const;
  // `kernel`: of the launch, where the error does not name one.
  void faulted(const Error& error, const std::string& kernel);

  sim::Device& device_;
  const Settings& settings_;
  Timeline& timeline_;
  Records& records_;
  DeviceQueue* queue_ = nullptr;          // in timed runs
  std::unique_ptr<Extractor> extractor_;  // where Settings::extract asks for it
  uint64_t launches_ = 0, last_number_ = 0;
  // Launches by ticket, as long as another that was on the GPU with them may name them when it ends.
  struct Numbered {
    uint64_t number = 0;
    uint64_t newest = UINT64_MAX;  // launch, when this one ended
  };
  std::unordered_map<uint64_t, std::shared_ptr<const Numbered>> numbers_;
  std::map<uint64_t, std::string> under_way_;  // kernels, mangled, by number of the launch
  uint64_t candidates_ = 0;                    // launches of kernels that -k names
  int fault_ = 0;
  std::string printed_;
  WorkingTime worked_;  // in kernels and copies: the program's own code does not count
};

}  // namespace gpuloom::host
