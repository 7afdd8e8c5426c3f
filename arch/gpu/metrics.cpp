// SPDX-License-Identifier: Apache-2.0
// Metrics of a result under Nsight Compute's names: roll-ups of the counters, and what is derived from
// several.
#include <algorithm>
#include <string_view>

#include "arch/simulation.h"

namespace gpuloom::arch {
namespace {

class Sheet {
 public:
  Sheet(const GpuConfig& config, const KernelResult& result) : config_(config), result_(result) {}

  std::vector<NamedMetric> build() {
    roll_ups();
    time();
    stalls();
    occupancy();
    memory();
    launch();
    return std::move(out_);
  }

 private:
  void add(std::string name, std::string unit, double value) {
    out_.push_back({std::move(name), std::move(unit), value});
  }
  const stats::Metric& metric(std::string_view name) const { return result_.statistics.at(name); }
  double sum(std::string_view name) const { return static_cast<double>(metric(name).sum()); }
  static double ratio(double a, double b) { return b == 0 ? 0 : a / b; }
  static double percent(double a, double b) { return 100.0 * ratio(a, b); }
  double elapsed() const { return static_cast<double>(result_.cycles); }

  void roll_ups() {
    for (const stats::Metric& m : result_.statistics.metrics()) {
      if (m.combine == stats::Combine::kMax) {
        add(m.name, m.unit, static_cast<double>(m.max()));
        continue;
      }
      add(m.name + ".sum", m.unit, static_cast<double>(m.sum()));
      add(m.name + ".avg", m.unit, m.avg());
      add(m.name + ".min", m.unit, static_cast<double>(m.min()));
      add(m.name + ".max", m.unit, static_cast<double>(m.max()));
    }
  }

  void time() {
    const double seconds = elapsed() / result_.clock_hz;
    for (const char* name : {"sm__cycles_elapsed.max", "sm__cycles_elapsed.avg", "gpc__cycles_elapsed.max"})
      add(name, "cycle", elapsed());
    add("gpu__time_duration.sum", "ns", seconds * 1e9);
    add("sm__cycles_elapsed.avg.per_second", "Hz", config_.clock_hz);
    add("lts__cycles_elapsed.avg.per_second", "Hz", config_.l2.clock_hz);
    add("dram__cycles_elapsed.avg.per_second", "Hz", config_.dram.clock_hz);
    add("dram__bytes_read.sum.per_second", "byte/s", ratio(sum("dram__bytes_read"), seconds));
    add("dram__bytes_write.sum.per_second", "byte/s", ratio(sum("dram__bytes_write"), seconds));
    const double bytes = sum("dram__bytes_read") + sum("dram__bytes_write");
    add("dram__throughput.avg.pct_of_peak_sustained_elapsed", "%",
        percent(bytes, config_.dram.bandwidth * seconds));
    const double l2_peak = config_.l2.bytes_per_cycle * config_.l2.clock_hz * config_.l2.slices;
    add("lts__throughput.avg.pct_of_peak_sustained_elapsed", "%",
        percent(sum("lts__t_sectors") * kSectorBytes, l2_peak * seconds));
    const double l1 = percent(sum("l1tex__data_pipe_lsu_wavefronts"), elapsed() * config_.sm_count());
    const double l2 = percent(sum("lts__t_sectors") * kSectorBytes, l2_peak * seconds);
    add("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%",
        std::max({l1, l2, percent(bytes, config_.dram.bandwidth * seconds)}));
    const double inst = sum("smsp__inst_executed"), active = sum("sm__cycles_active");
    add("sm__inst_executed.sum", "inst", inst);
    add("sm__inst_executed.avg.per_cycle_active", "inst/cycle", ratio(inst, active));
    add("sm__inst_executed.avg.per_cycle_elapsed", "inst/cycle", ratio(inst, elapsed() * config_.sm_count()));
    add("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%",
        percent(sum("smsp__issue_active"), elapsed() * config_.sm_count() * config_.sm.sub_cores));
    add("smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
        percent(sum("smsp__issue_active"), sum("smsp__cycles_active")));
    add("l1tex__throughput.avg.pct_of_peak_sustained_active", "%",
        percent(sum("l1tex__data_pipe_lsu_wavefronts"), active));
    add("smsp__thread_inst_executed_per_inst_executed.ratio", "thread",
        ratio(sum("smsp__thread_inst_executed"), inst));
    add("sim__ptx_inst_executed.sum", "inst", static_cast<double>(result_.warp_instructions));
    uint64_t threads = 0;
    for (const InstructionCounts& c : result_.instructions) threads += c.thread_executed;
    if (!result_.instructions.empty())
      add("sim__ptx_thread_inst_executed.sum", "inst", static_cast<double>(threads));
  }

  void stalls() {
    const double issues = sum("smsp__issue_active"), warps = sum("smsp__warps_active");
    for (const char* reason : kStallNames) {
      const double cycles = sum(std::string("smsp__warps_issue_stalled_") + reason);
      add(std::string("smsp__average_warps_issue_stalled_") + reason + "_per_issue_active.ratio", "inst",
          ratio(cycles, issues));
      add(std::string("smsp__average_warp_latency_issue_stalled_") + reason + ".ratio", "cycle",
          ratio(cycles, sum("smsp__inst_executed")));
      add(std::string("smsp__warp_issue_stalled_") + reason + "_per_warp_active.pct", "%",
          percent(cycles, warps));
    }
  }

  void occupancy() {
    const double active = sum("sm__cycles_active"), slots = config_.sm.limits.warps_per_sm;
    add("sm__warps_active.avg.per_cycle_active", "warp", ratio(sum("sm__warps_active"), active));
    add("sm__warps_active.avg.pct_of_peak_sustained_active", "%",
        percent(sum("sm__warps_active"), active * slots));
    add("sm__maximum_warps_per_active_cycle_pct", "%", result_.launch.theoretical_occupancy_pct);
    add("sm__maximum_warps_avg_per_active_cycle", "warp",
        result_.launch.theoretical_occupancy_pct / 100 * slots);
  }

  void memory() {
    add("l1tex__t_sector_hit_rate.pct", "%",
        percent(sum("l1tex__t_sectors_lookup_hit"), sum("l1tex__t_sectors")));
    add("lts__t_sector_hit_rate.pct", "%", percent(sum("lts__t_sectors_lookup_hit"), sum("lts__t_sectors")));
    add("dram__bytes.sum", "byte", sum("dram__bytes_read") + sum("dram__bytes_write"));
  }

  void launch() {
    const LaunchFacts& f = result_.launch;
    add("launch__registers_per_thread", "register/thread", f.registers_per_thread);
    add("launch__shared_mem_per_block_static", "byte/block", f.shared_static_bytes);
    add("launch__shared_mem_per_block_dynamic", "byte/block", f.shared_dynamic_bytes);
    add("launch__shared_mem_per_block_driver", "byte/block", f.shared_reserved_bytes);
    add("launch__shared_mem_config_size", "byte", f.shared_config_bytes);
    add("launch__occupancy_limit_warps", "block", f.limit_warps);
    add("launch__occupancy_limit_registers", "block", f.limit_registers);
    add("launch__occupancy_limit_shared_mem", "block", f.limit_shared);
    add("launch__occupancy_limit_blocks", "block", f.limit_blocks);
    add("launch__occupancy_limit_barriers", "block", f.limit_barriers);
    add("launch__waves_per_multiprocessor", "", f.waves_per_sm);
  }

  const GpuConfig& config_;
  const KernelResult& result_;
  std::vector<NamedMetric> out_;
};

}  // namespace

std::vector<NamedMetric> nsight_metrics(const GpuConfig& config, const KernelResult& result) {
  return Sheet(config, result).build();
}

}  // namespace gpuloom::arch
