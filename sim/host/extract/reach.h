// SPDX-License-Identifier: Apache-2.0
// The memory that a launch may reach: allocations whose addresses stand in its parameters, in variables of
// its module, or in memory that is reached already.
//
// Any aligned 64-bit word that lies in an allocation counts as a pointer to it, as a conservative garbage
// collector has it. A number that looks like one costs a file, nothing else. A pointer that is only computed
// (from outside its allocation, or from halves) is missed; the launch then faults where it uses it.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/memory/device_memory.h"
#include "sim/runtime/module.h"

namespace gpuloom::host {

struct ReachedMemory {
  std::vector<sim::Allocation> allocations;  // in address order; variables of the module are not among them
  bool registered = false;                   // memory of the process, which a launch file cannot place
};

ReachedMemory memory_in_reach(const sim::DeviceMemory& memory, const sim::LoadedModule& module,
                              const std::vector<uint8_t>& params);

// Variables of the module that have a place, by name, and what they hold.
struct PlacedVariable {
  std::string name;
  sim::SymbolPlace place;
  bool constant = false;
};
std::vector<PlacedVariable> variables_of(const sim::LoadedModule& module);
std::vector<uint8_t> contents(const sim::LoadedModule& module, const PlacedVariable& variable);

}  // namespace gpuloom::host
