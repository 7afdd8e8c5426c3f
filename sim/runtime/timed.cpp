// SPDX-License-Identifier: Apache-2.0
// The timed side of Device: the only file of the runtime that drives the architecture model.
#include "sim/base/error.h"
#include "sim/runtime/device.h"

namespace gpuloom::sim {

struct Device::Timed {};

namespace {

// Reads everything and refuses what is wrong before anything is built from it.
arch::GpuConfig checked(const Config& config) {
  arch::GpuConfig gpu = arch::load_gpu_config(config.root());
  config.check();
  return gpu;
}

}  // namespace

Device::Device(const DeviceOptions& options)
    : options_(options),
      config_(Config::load(options.config, options.overrides)),
      gpu_(checked(config_)),
      memory_(gpu_.dram.capacity) {}

Device::~Device() = default;

void Device::run_timed(ptx::Launch&, const LaunchRequest&, const LaunchOptions&, LaunchOutcome&) {
  throw Error(ErrorKind::kUnsupported, "timed simulation is not modelled yet", {}, "run with --functional");
}

std::vector<arch::NamedMetric> timed_metrics(const Device&, const arch::KernelResult&) { return {}; }

}  // namespace gpuloom::sim
