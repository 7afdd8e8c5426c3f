// SPDX-License-Identifier: Apache-2.0
// The whole machine as typed values, read once from a configuration.
#pragma once
#include <string>
#include <vector>

#include "arch/dram/config.h"
#include "arch/gpc/config.h"
#include "arch/host/config.h"
#include "arch/l2/config.h"
#include "arch/noc/config.h"
#include "arch/sm/config.h"
#include "ptx/machine/machine_program.h"

namespace gpuloom::arch {

struct GpuConfig {
  std::string name, description;
  uint32_t cc_major = 0, cc_minor = 0;
  std::vector<std::string> targets;  // PTX targets that run natively
  double clock_hz = 0;               // core
  SmConfig sm;
  ptx::LoweringProfile lowering;
  GpcConfig gpc;
  NocConfig noc;
  L2Config l2;
  DramConfig dram;
  LaunchConfig launch;
  HostConfig host;
  LinkConfig link;

  uint32_t sm_count() const { return gpc.sm_count(); }
  // Policies that come from shared objects: results depend on those files too.
  std::vector<const PolicyChoice*> loaded_policies() const;
  // Window length W: the least time in which one SM can influence another (arch/systemc/README.md). Without
  // clusters none of them sends another anything.
  uint32_t window_cycles(bool clusters) const;
  // An answer that a GPC already has (noc.merged_reads) reaches an SM so long after it has asked. Estimated:
  // the joint stands half way to the slices.
  uint32_t merged_latency() const { return (noc.request_latency + noc.reply_latency) / 2; }
};

// Reads everything; problems are collected in the view's Config: call Config::check() before using the
// result.
GpuConfig load_gpu_config(const ConfigView& root);

// What one SM of a compute capability holds: name, version, targets, `limits` and the sub-cores. That is what
// occupancy() needs, and a file of configs/cc, which is not a whole machine, has it.
GpuConfig load_capability(const ConfigView& root);

// The same with all of `sm` and `lowering`: what machine_model() needs.
GpuConfig load_sm(const ConfigView& root);

// What the lowering needs to know: latencies and sequences of sm.operations.
ptx::MachineModel machine_model(const GpuConfig& config);

}  // namespace gpuloom::arch
