// SPDX-License-Identifier: Apache-2.0
// One channel of device memory: banks with open rows, a data bus, activation limits, write batches. Times
// inside are core cycles.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/noc/bandwidth.h"
#include "arch/systemc/memory_socket.h"
#include "base/stats/intervals.h"

namespace gpuloom::arch {

struct DramStats : stats::Group {
  stats::Counter bytes_read{this, "dram__bytes_read", "byte", "Bytes read from device memory."};
  stats::Counter bytes_write{this, "dram__bytes_write", "byte", "Bytes written to device memory."};
  stats::Counter sectors_read{this, "dram__sectors_read", "sector", "Sectors read from device memory."};
  stats::Counter sectors_write{this, "dram__sectors_write", "sector", "Sectors written to device memory."};
  stats::Counter row_hits{this, "sim__dram_row_hits", "", "Accesses that found their row open."};
  stats::Counter row_misses{this, "sim__dram_row_misses", "", "Accesses that had to open their row."};
};

class DramChannel : public sim::MemoryTarget {
 public:
  // The `index`-th channel: groups of channels refresh one after another.
  DramChannel(const sim::ModuleName& name, const GpuConfig& config, unsigned index = 0);
  void access(sim::MemoryRequest& request) override;
  void close_rows();
  // The share of L2's groups of ways that no set-aside holds.
  void set_l2_share(double left);
  // Counters over time, by the cycle in which the bus begins to move an access's data.
  void log_intervals(uint64_t cycles_each);
  stats::IntervalLog* interval_log() { return log_.get(); }
  DramStats stats;

 private:
  struct OpenRow {
    uint64_t row = UINT64_MAX;
    Cycle last_column = 0;  // of the last access that is planned for it
  };
  struct Bank {
    std::array<OpenRow, 4> rows;  // [0] is the latest
    Cycle activated = 0, free = 0;
    Cycle closes = 0;  // its row is open before that; 0: no row has been
  };
  // Where an address is: `refreshed` is the bank whose turn of refreshes is its own.
  struct Place {
    uint64_t row = 0;
    uint32_t bank = 0, refreshed = 0;
  };
  Place place_of(uint64_t address) const;
  Cycle column_time(uint64_t address, Cycle at, bool reads);
  Cycle open_row(const Place& place, Cycle at, bool reads);
  Cycle in_turn(Cycle activate) const;
  void take_turn(Cycle activate);
  Cycle after_refresh(Cycle at, const Place& place, bool reads) const;
  void plan_refresh(Cycle now);
  Cycle read(sim::MemoryRequest& request);  // both return when the data moves
  Cycle write(sim::MemoryRequest& request);
  void drain(Cycle at);

  const DramConfig& config_;
  unsigned channels_;
  Cycle rcd_, rp_, cl_, ras_, ccd_, rrd_, faw_, latency_, turnaround_;
  Cycle refi_, rfc_, next_refresh_, refresh_phase_;
  bool each_bank_ = false;  // is refreshed by itself
  Cycle queue_time_ = 0;
  double bytes_per_cycle_ = 0;  // of the bus
  uint32_t refresh_bytes_;      // that it could move meanwhile
  BandwidthCalendar bus_;
  std::vector<Bank> banks_;
  uint32_t used_banks_;
  BandwidthCalendar activations_;     // of rows, as many as tRRD and tFAW let be
  std::array<Cycle, 4> for_reads_{};  // the last four of them, for tFAW where reads keep their order
  unsigned oldest_for_reads_ = 0;
  std::vector<Cycle> window_;  // those that reads of read_window may overtake
  size_t oldest_in_window_ = 0;
  Cycle before_window_ = 0;  // the latest of those that nobody may overtake any more
  std::unique_ptr<policy::PagePolicy> page_;
  struct Write {
    uint64_t line;
    uint32_t bytes;
  };
  std::vector<Write> writes_;  // that wait for a batch
  uint32_t waiting_bytes_ = 0;
  Cycle drained_ = 0;        // when the last batch's data moves
  bool read_since_ = false;  // the last batch of writes
  bool ideal_bandwidth_ = false;
  std::unique_ptr<stats::IntervalLog> log_;
};

// A further way into a channel that several slices share: a TLM target socket takes one initiator.
class DramPort : public sim::MemoryTarget {
 public:
  DramPort(const sim::ModuleName& name, DramChannel& channel, double clock_hz)
      : MemoryTarget(name, clock_hz), channel_(channel) {}
  void access(sim::MemoryRequest& request) override { channel_.access(request); }

 private:
  DramChannel& channel_;
};

}  // namespace gpuloom::arch
