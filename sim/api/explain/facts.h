// SPDX-License-Identifier: Apache-2.0
// What was measured of a kernel, by name, for the conditions and the evidence of advice. Beside the metrics
// of result.json there are
//   stall.<reason>.pct       of the cycles that warps waited
//   opcode.<name>            warp instructions of a machine opcode, and opcode.<name>.pct of all
//   limiter.<name>           1 where it limits the blocks on an SM
//   divergence.pct           lanes that were off in executed instructions
//   lines.excess_sectors     sectors beyond what the bytes of global accesses need, summed over instructions
//   conversions_to_double    warp instructions cvt.f64.f32
//   conversions, divisions   warp instructions: cvt to or from a floating-point type; div, rem and rcp.rn
//   volatile_loads           warp instructions ld.volatile of global memory
//   uncached_loads           the same of ld.cg and ld.cv
//   bulk_copies              warp instructions of bulk and tensor copies
//   narrow_accesses          warp instructions of global loads and stores of one or two bytes a lane
//   constant_loads           warp instructions ld.const (opcode.LDC has those of parameters too)
//   global_atomics           warp instructions, with and without a result
//   single_lane.pct          instructions that were executed for one lane alone, of all
//   accesses_per_warp        requests of global loads and stores, and atomics, for each warp launched
//   sectors_loaded_from_l2   by SMs: without stores, atomics and what the halves of L2 ask of each other
//   loop_turns               how often a warp executes the instruction that it executes most
//   launch.last_wave_pct     how full the last wave of blocks is; 100 where there is one wave only
//   launch.outside_pct       elapsed cycles before the first block of an SM and after its last
//   launch.buffer_bytes      of all buffers of the launch file or command line
//   switch.<key>.pct         cycles that a switch of `ideal` saves, where it was run
#pragma once
#include <map>
#include <optional>
#include <string>

#include "sim/report/result.h"

namespace gpuloom::sim {

class Facts {
 public:
  explicit Facts(const ReportKernel& kernel);
  std::optional<double> find(const std::string& name) const;
  double value_or(const std::string& name, double otherwise) const;
  std::string unit(const std::string& name) const;
  void set(const std::string& name, double value) { values_[name] = value; }

 private:
  std::map<std::string, double> values_;
  std::map<std::string, std::string> units_;
};

// A counter of a line; 0 where it was not collected. "excess_sectors" is sectors less ideal_sectors,
// "idle_lanes" the lanes that were off, summed over executions; "lone_inst" executions for one lane, where
// all of the instruction are.
double line_counter(const ReportLine& line, const std::string& name);

}  // namespace gpuloom::sim
