// SPDX-License-Identifier: Apache-2.0
// Grids that the kernels of one launch launch (CUDA's dynamic parallelism), and their copies, without time.
//
// They run when the launch's own blocks have ended: in the order of their launch, each with all that it
// launches in turn, and those of the tail stream last. Nothing in a kernel can wait for a grid that it has
// launched, so this is one of the orders that CUDA allows.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "sim/runtime/device.h"

namespace gpuloom::sim {

class ChildGrids {
 public:
  ChildGrids(Device& device, LoadedModule& module) : device_(device), module_(module) {}
  ChildGrids(const ChildGrids&) = delete;
  ChildGrids& operator=(const ChildGrids&) = delete;
  ~ChildGrids();

  void provide(ptx::Launch& launch);
  // Adds to `outcome` what they execute.
  void run(const LaunchOptions& options, LaunchOutcome& outcome);

 private:
  struct Child {
    Kernel* kernel = nullptr;
    ptx::ChildGrid grid;
    uint64_t parameters = 0;
    bool tail = false;
    std::optional<ptx::ChildCopy> copy;  // instead of a grid
  };
  uint64_t prepare(const ptx::ChildGrid& grid);
  void launch(uint64_t parameters, uint64_t stream);
  void launch_copy(const ptx::ChildCopy& copy, uint64_t stream);
  std::vector<uint8_t> taken_parameters(const Child& child);
  void carry_out(const ptx::ChildCopy& copy);

  Device& device_;
  LoadedModule& module_;
  std::map<uint64_t, Child> prepared_;  // by the address of their parameters
  std::vector<Child> launched_;
};

// Whether the kernel's code may launch kernels.
bool launches_kernels(const ptx::Program& program);

}  // namespace gpuloom::sim
