// SPDX-License-Identifier: Apache-2.0
// Grids that the kernels of one launch launch (CUDA's dynamic parallelism), and their copies.
//
// Without time they run when the launch's own blocks have ended: in the order of their launch, each with all
// that it launches in turn, and those of the tail stream last. Nothing in a kernel can wait for a grid that
// it has launched, so this is one of the orders that CUDA allows. In time (timed_children.h) each is work of
// the machine.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "sim/runtime/device.h"

namespace gpuloom::sim {

// A grid or a copy that a kernel has asked for.
struct Child {
  Kernel* kernel = nullptr;
  ptx::ChildGrid grid;
  uint64_t parameters = 0;  // where they are
  uint64_t stream = 0;
  std::optional<ptx::ChildCopy> copy;  // instead of a grid
  ptx::ChildCaller caller = {};
  bool at_tail() const;
  bool fired() const;  // comes after nothing of its stream (cudaStreamFireAndForget)
};

// Takes what the kernels of a module ask for.
class ChildCalls {
 public:
  using TakeFn = std::function<void(Child)>;
  ChildCalls(Device& device, LoadedModule& module, TakeFn take)
      : device_(device), module_(module), take_(std::move(take)) {}
  ChildCalls(const ChildCalls&) = delete;
  ChildCalls& operator=(const ChildCalls&) = delete;
  ~ChildCalls();

  void provide(ptx::Launch& launch);
  LaunchRequest request(const Child& child);

 private:
  uint64_t prepare(const ptx::ChildGrid& grid);
  void launch(uint64_t parameters, uint64_t stream, const ptx::ChildCaller& caller);

  Device& device_;
  LoadedModule& module_;
  TakeFn take_;
  std::map<uint64_t, Child> prepared_;  // by the address of their parameters
  // Memory of parameters; it lives as long as the kernel runs, for a warp may know the allocation.
  std::vector<uint64_t> memory_;
};

class ChildGrids {
 public:
  ChildGrids(Device& device, LoadedModule& module)
      : device_(device), calls_(device, module, [this](Child c) { launched_.push_back(std::move(c)); }) {}
  ChildGrids(const ChildGrids&) = delete;
  ChildGrids& operator=(const ChildGrids&) = delete;

  void provide(ptx::Launch& launch) { calls_.provide(launch); }
  // Each goes to its taker (LaunchOptions::child_launched); what nobody takes is added to `outcome`.
  void run(const LaunchOptions& options, LaunchOutcome& outcome);

 private:
  Device& device_;
  std::vector<Child> launched_;
  ChildCalls calls_;
};

void carry_out(Device& device, const ptx::ChildCopy& copy);
// Whether the kernel's code may launch kernels, or ask for copies.
bool launches_kernels(const ptx::Program& program);
// Whether it lets grids wait for each other by events.
bool has_events_between_children(const ptx::Program& program);

}  // namespace gpuloom::sim
