// SPDX-License-Identifier: Apache-2.0
#include "sim/host/runtime.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "sim/host/status.h"
#include "sim/host/visible_devices.h"
#include "sim/runtime/session.h"

namespace gpuloom::host {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

std::string program_path() {
  std::string path(4096, '\0');
  const ssize_t n = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(n < 0 ? 0 : static_cast<size_t>(n));
  return path;
}

}  // namespace

// Limits are the defaults of the CUDA C++ guide, and those that an H200 answers.
Runtime::Runtime(Settings settings)
    : limits{{kLimitStack, 1024},    {kLimitPrintf, 1 << 20},       {kLimitHeap, 8 << 20},
             {kLimitSyncDepth, 2},   {kLimitPendingLaunches, 2048}, {kLimitFetch, 64},
             {kLimitPersistingL2, 0}},
      settings_(std::move(settings)),
      visible_(visible_devices(
          std::getenv(kVisible), kInstalled,
          [this](int) { return device_uuid(Config::load(settings_.config, settings_.overrides)); })),
      records_(std::make_unique<Records>(settings_)) {}

Runtime::~Runtime() = default;

// The variable may be left from a machine with other GPUs, so it is named.
void Runtime::require_some_device() {
  if (!visible_.empty()) return;
  if (!said_none_)
    std::fprintf(stderr, "gpuloom: no device is visible: %s is '%s', and the machine has device 0 alone\n",
                 kVisible, std::getenv(kVisible));
  said_none_ = true;
  throw Failure(Status::kNoDevice);
}

Context& Runtime::context() {
  if (!context_) {
    // A host function may use its own locks; it must not wait for ours.
    const auto call = [this](const std::function<void()>& function) {
      const uint64_t thread = context_->timeline().thread();
      in_functions_.push_back(std::this_thread::get_id());
      mutex_.unlock();
      function();
      mutex_.lock();
      context_->timeline().enter(thread);
      in_functions_.erase(std::find(in_functions_.begin(), in_functions_.end(), std::this_thread::get_id()));
    };
    context_ = std::make_unique<Context>(settings_, programs_, *records_, call);
    used_ = true;
    if (!settings_.output.empty()) remember_provenance();
  }
  return *context_;
}

// Now, for at the program's end the libraries that read configurations have ended already.
void Runtime::remember_provenance() {
  sim::LaunchFile file;
  file.path = program_path();
  provenance_ = sim::provenance_of(context_->device(), file);
}

void Runtime::reset() {
  lost_ = 0;
  if (!context_) return;
  context_->finish();
  before_reset_ += context_->timeline().latest();
  programs_.forget_device(context_->device());
  context_.reset();
}

void Runtime::finish(const std::string& ended) {
  if (finished_ || !used_) return;
  finished_ = true;
  Time end = before_reset_;
  if (context_) {  // else the program's last act was cudaDeviceReset
    context_->finish();
    end += context_->timeline().latest();
  }
  std::fflush(stdout);
  records_->finish(provenance_, end, ended);
}

}  // namespace gpuloom::host
