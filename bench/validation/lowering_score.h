// SPDX-License-Identifier: Apache-2.0
// Lowered kernels beside what ptxas makes of the same PTX: static machine instructions by class, registers.
// No kernel runs. bench/silicon/lowering holds the kernels and ptxas's answer.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "bench/validation/score.h"
#include "ptx/machine/machine_program.h"

namespace gpuloom::validation {

// A thread gets 16 at least, whatever ptxas says: launch__registers_per_thread of the reference suite.
constexpr double kLeastRegisters = 16;

struct StaticCode {
  std::map<std::string, double> opcodes;
  double registers = 0;
  double spill_bytes = 0;
  double instructions() const;
  double of_class(OpcodeClass c) const;
};

// What ptxas's side of a table counts.
enum class Counted : uint8_t {
  kCalls,      // the instructions that call slow paths and divisions of 64 bits, and not those functions
               // (collect.py)
  kFunctions,  // divisions of 64 bits where they are called, and no block that calls a slow path
               // (schedules.py)
};
StaticCode static_code(const ptx::MachineProgram& machine, Counted counted);

struct LoweredKernel {
  std::string module, name;
  StaticCode silicon, simulated;
  std::string problem;  // why there is no simulated side
};

// `folder` has sass.csv and ptx/<module>.ptx (either may be gzip-compressed). Kernels that match none of
// `patterns` are left out, if there are any.
std::vector<LoweredKernel> score_lowering(const std::string& folder, const std::string& config,
                                          const std::vector<std::string>& patterns);

// A line a kernel, then medians and shares; with `opcodes` the opcodes that differ most below each kernel.
std::string lowering_text(const std::vector<LoweredKernel>& kernels, bool opcodes);

// Every count of both sides, a line each.
std::string lowering_csv(const std::vector<LoweredKernel>& kernels);

}  // namespace gpuloom::validation
