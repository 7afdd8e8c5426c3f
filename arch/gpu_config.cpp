// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu_config.h"

#include <algorithm>

#include "arch/lowering_config.h"
#include "base/config/config_view.h"

namespace gpuloom::arch {

uint32_t GpuConfig::window_cycles(bool clusters) const {
  // What crosses an SM's border: a request and its reply through L2, a message to another SM of the cluster
  // (one way is half the round trip), a block that the distributor hands out.
  uint32_t w = noc.request_latency + l2.hit_latency + noc.reply_latency;
  if (noc.merged_reads > 1) w = std::min(w, merged_latency());
  if (clusters) w = std::min(w, noc.cluster_latency / 2);
  if (clusters && sm.barrier.cluster_latency) w = std::min(w, sm.barrier.cluster_latency);
  w = std::min(w, gpc.block_launch_latency);
  return std::max(w, 1u);
}

std::vector<const PolicyChoice*> GpuConfig::loaded_policies() const {
  std::vector<const PolicyChoice*> loaded;
  for (const PolicyChoice* choice :
       {&sm.scheduler, &sm.l1.replacement, &l2.replacement, &l2.hash, &l2.prefetch, &dram.page, &gpc.order})
    if (!choice->library.empty()) loaded.push_back(choice);
  return loaded;
}

namespace {

void read_identity(const ConfigView& root, GpuConfig& g) {
  g.name = root.text("name");
  g.description = root.text("description");
  const std::string cc = root.text("compute_capability");
  if (const size_t dot = cc.find('.');
      dot != std::string::npos && cc.find_first_not_of("0123456789.") == std::string::npos) {
    g.cc_major = static_cast<uint32_t>(std::stoul("0" + cc.substr(0, dot)));
    g.cc_minor = static_cast<uint32_t>(std::stoul("0" + cc.substr(dot + 1)));
  } else if (!cc.empty()) {
    root.problem("compute_capability", "must be two numbers and a dot in quotes, such as \"9.0\"");
  }
  g.targets = root.texts("targets");
}

void read_ideal_pipes(const ConfigView& ideal, SmConfig& sm) {
  if (!ideal.present()) return;
  const ConfigView pipes = ideal.optional_child("pipes");
  if (!pipes.present()) return;
  for (size_t p = 1; p < kPipes; ++p)
    sm.pipes[p].ideal = pipes.has(kPipeNames[p]) && pipes.boolean(kPipeNames[p]);
}

}  // namespace

GpuConfig load_capability(const ConfigView& root) {
  GpuConfig g;
  read_identity(root, g);
  g.sm.limits = read_limits(root.child("limits"));
  g.sm.sub_cores = root.child("sm").count("sub_cores", 1, 8);
  return g;
}

GpuConfig load_sm(const ConfigView& root) {
  GpuConfig g;
  read_identity(root, g);
  g.sm = read_sm_config(root.child("sm"), read_limits(root.child("limits")));
  g.lowering = read_lowering(root.child("lowering"));
  return g;
}

GpuConfig load_gpu_config(const ConfigView& root) {
  GpuConfig g;
  read_identity(root, g);
  const ConfigView clocks = root.child("clocks");
  g.clock_hz = clocks.frequency("sm");
  g.sm = read_sm_config(root.child("sm"), read_limits(root.child("limits")));
  g.lowering = read_lowering(root.child("lowering"));
  g.gpc = read_gpc_config(root.child("gpc"));
  g.noc = read_noc_config(root.child("noc"));
  g.l2 = read_l2_config(root.child("l2"), clocks.frequency("l2"));
  g.dram = read_dram_config(root.child("dram"), clocks.frequency("dram"));
  if (g.dram.channels && g.l2.slices % g.dram.channels)
    root.child("l2").problem("slices",
                             "must be a multiple of dram.channels, " + std::to_string(g.dram.channels),
                             "each slice has one channel, and each channel a slice");
  g.launch = read_launch_config(root.child("launch"));
  g.host = read_host_config(root.child("host"));
  g.link = read_link_config(root.child("link"));
  if (root.sound("clocks.sm") && root.sound("link.latency") &&
      g.link.latency_ns * 1e-9 * g.clock_hz < g.window_cycles(false))
    root.child("link").problem("latency",
                               "must be as long as a window of the simulation, " +
                                   std::to_string(g.window_cycles(false)) + " cycles",
                               "GPUs run so long without hearing of each other");
  const ConfigView ideal = root.optional_child("ideal");
  g.sm.ideal = read_ideal_config(ideal);
  read_ideal_pipes(ideal, g.sm);
  apply_ideal(g);
  return g;
}

ptx::MachineModel machine_model(const GpuConfig& config) {
  ptx::MachineModel m;
  for (size_t i = 0; i < kOpClasses; ++i) {
    const Operation& row = config.sm.operations[i];
    m.latency[i].latency = row.latency;
    m.latency[i].interval = row.interval;
    m.latency[i].variable = config.sm.pipes[static_cast<size_t>(row.pipe)].variable;
    // The two FMA pipes forward to each other; XU reads as early as they do (SASS: FMUL to MUFU 4).
    if (row.pipe == Pipe::kFmaLite || row.pipe == Pipe::kFmaHeavy) m.latency[i].forwards = 1;
    if (row.pipe == Pipe::kAlu) {
      m.latency[i].forwards = 2;
      m.latency[i].alu_interval = row.interval;
    }
    // SASS of the reference suite: of 900 pairs side by side of the ALU, the integer multiplier or the f64
    // unit all stall two cycles or more.
    if (row.pipe == Pipe::kAlu) m.latency[i].stalled_unit = 1;
    // A rate that no stall count can say is not kept (ptxas 12.4 for sm_61: HFMA2, 128 cycles, side by side).
    const bool slow = row.interval > ptx::kMostOfStall;
    if (row.pipe == Pipe::kFmaHeavy && row.also == Pipe::kNone && !slow) m.latency[i].stalled_unit = 2;
    if (row.pipe == Pipe::kFp64) m.latency[i].stalled_unit = ptx::kStalledF64;
    m.latency[i].reads_early = row.pipe == Pipe::kXu;
    m.sequence[i] = row.sequence;
    m.divisor_steps[i] = row.divisor_steps;
    m.slow_path[i] = row.slow_path;
  }
  const DependenceConfig& d = config.sm.dependence;
  m.dependence.other_pipe = static_cast<uint16_t>(d.other_pipe_extra);
  m.dependence.memory = static_cast<uint16_t>(d.memory_extra);
  m.dependence.special = static_cast<uint16_t>(d.special_extra);
  m.dependence.guard = static_cast<uint16_t>(d.guard_extra);
  m.dependence.uniform = static_cast<uint16_t>(d.uniform_extra);
  m.dependence.uniform_memory = static_cast<uint16_t>(d.uniform_memory_extra);
  m.max_registers = config.sm.limits.registers_per_thread;
  m.file_registers = config.sm.limits.registers_per_sm;
  m.scoreboards = config.sm.scoreboards;
  m.register_unit = std::max(1u, config.sm.limits.register_allocation_unit / kWarpSize);
  m.profile = config.lowering;
  return m;
}

}  // namespace gpuloom::arch
