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

// With the devices that the program sees, in its order. Where it sees none, the configurations stay.
Settings with_visible_devices(Settings s) {
  const auto uuid = [&](int device) {
    const auto k = static_cast<unsigned>(device);
    return device_uuid(Config::load(s.configs[k], s.overrides), k);
  };
  s.places = visible_devices(std::getenv(kVisible), static_cast<int>(s.configs.size()), uuid);
  if (s.places.empty()) return s;
  std::vector<std::string> seen;
  seen.reserve(s.places.size());
  for (const int place : s.places) seen.push_back(s.configs[static_cast<size_t>(place)]);
  s.configs = std::move(seen);
  return s;
}

}  // namespace

// Limits are the defaults of the CUDA C++ guide, and those that an H200 answers.
Runtime::Runtime(Settings settings)
    : limits{{kLimitStack, 1024},    {kLimitPrintf, 1 << 20},       {kLimitHeap, 8 << 20},
             {kLimitSyncDepth, 2},   {kLimitPendingLaunches, 2048}, {kLimitFetch, 64},
             {kLimitPersistingL2, 0}},
      settings_(with_visible_devices(std::move(settings))),
      records_(std::make_unique<Records>(settings_)),
      host_code_(parse_host_code(settings_.host_code)),
      contexts_(settings_.configs.size()),
      machines_([this] {
        std::vector<sim::Device*> devices;
        for (unsigned k = 0; k < contexts_.size(); ++k) devices.push_back(&context(k).device());
        return devices;
      }),
      lost_(settings_.configs.size()) {}

Runtime::~Runtime() = default;

std::string Runtime::devices_there() const {
  const size_t last = settings_.configs.size() - 1;
  return last == 0 ? "device 0 alone" : "devices 0 to " + std::to_string(last);
}

// The variable may be left from a machine with other GPUs, so it is named.
void Runtime::require_some_device() {
  if (!settings_.places.empty()) return;
  if (!said_none_)
    std::fprintf(stderr, "gpuloom: no device is visible: %s is '%s', and the machine has %s\n", kVisible,
                 std::getenv(kVisible), devices_there().c_str());
  said_none_ = true;
  throw Failure(Status::kNoDevice);
}

Context& Runtime::context(unsigned device) {
  return contexts_[device] != nullptr ? *contexts_[device] : make_context(device);
}

Context& Runtime::make_context(unsigned device) {
  // A host function may use its own locks; it must not wait for ours.
  const auto call = [this](const std::function<void()>& function) {
    const uint64_t thread = clock_.thread();
    in_functions_.push_back(std::this_thread::get_id());
    mutex_.unlock();
    function();
    mutex_.lock();
    clock_.enter(thread);
    in_functions_.erase(std::find(in_functions_.begin(), in_functions_.end(), std::this_thread::get_id()));
  };
  Context::MachineFn machine;
  if (contexts_.size() > 1)
    machine = [this](unsigned number) -> arch::Simulation& { return machines_.of(number); };
  auto made = std::make_unique<Context>(settings_, device, programs_, *records_, clock_, call, machine);
  for_each_context([&](Context& other) {
    other.meet(*made);
    made->meet(other);
  });
  machines_.replace(device, &made->device());
  contexts_[device] = std::move(made);
  Context& context = *contexts_[device];
  if (!settings_.output.empty() && !used_) remember_provenance(context);
  used_ = true;
  return context;
}

void Runtime::enter(uint64_t thread, double own_code_ns) {
  if (std::none_of(contexts_.begin(), contexts_.end(), [](const auto& c) { return c != nullptr; })) return;
  clock_.enter(thread);
  const double ns = host_code_.fixed_ns + host_code_.scale * own_code_ns;
  clock_.advance(clock_.now() + static_cast<Time>(ns * 1e3));
}

Context& Runtime::owner_of(uint64_t address, Context& otherwise) {
  if (otherwise.memory().owns(address)) return otherwise;
  for (const auto& context : contexts_)
    if (context != nullptr && context->memory().owns(address)) return *context;
  return otherwise;
}

// Now, for at the program's end the libraries that read configurations have ended already.
void Runtime::remember_provenance(Context& context) {
  sim::LaunchFile file;
  file.path = program_path();
  provenance_ = sim::provenance_of(context.device(), file);
}

// With several devices the others' memory and time go on. In time their machines are one simulation, out of
// which none can be taken: it stays for the next context. After a fault all of them are built anew for the
// first device that is reset and used again; the others are lost to the program until it resets them too.
void Runtime::reset(unsigned device) {
  lost_[device] = 0;
  if (contexts_[device] == nullptr) return;
  for_each_context([](Context& c) { c.wait_for_other_threads(); });
  if (machines_.broken()) {
    for_each_context([](Context& c) { c.abandon(0); });
    machines_.release();
  }
  contexts_[device]->finish();
  for_each_context([&](Context& c) {
    if (c.number() != device) c.part(*contexts_[device]);
  });
  programs_.forget_device(contexts_[device]->device());
  machines_.replace(device, nullptr);
  contexts_[device].reset();
  if (std::any_of(contexts_.begin(), contexts_.end(), [](const auto& c) { return c != nullptr; })) return;
  machines_.release();
  before_reset_ += clock_.latest();
  clock_ = {};
}

// All devices of the process have it (two H200s: tests/cuda/peers), and machines on one timeline cannot go
// on. By number, for callbacks of the program may make contexts meanwhile.
void Runtime::lose(int status) {
  std::fill(lost_.begin(), lost_.end(), status);
  if (!machines_.broken()) return;
  for (size_t k = 0; k < contexts_.size(); ++k)
    if (contexts_[k] != nullptr) contexts_[k]->abandon(status);
}

void Runtime::finish(const std::string& ended) {
  if (finished_ || !used_) return;
  finished_ = true;
  for_each_context([](Context& c) { c.finish(); });  // none: the program's last act was cudaDeviceReset
  std::fflush(stdout);
  records_->finish(provenance_, before_reset_ + clock_.latest(), ended);
}

}  // namespace gpuloom::host
