// SPDX-License-Identifier: Apache-2.0
// One slice of the level-2 cache: sectored lines, write-back, eviction classes, atomics. A DRAM channel, or
// any TLM-2.0 memory, is bound to `memory`.
//
// With two partitions an SM talks to the slices of its own side. Where the address belongs to the other side
// (`home` false), a read is answered from a copy kept here, and fetched from the peer slice if there is none;
// writes and atomics pass through to the peer.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/l2/atomic_unit.h"
#include "arch/noc/bandwidth.h"
#include "arch/systemc/memory_socket.h"
#include "base/stats/intervals.h"

namespace gpuloom::arch {

struct L2Stats : stats::Group {
  stats::Counter requests{this, "lts__t_requests", "request", "Requests to the tag stage."};
  stats::Counter sectors{this, "lts__t_sectors", "sector", "Sectors looked up."};
  stats::Counter sectors_read{this, "lts__t_sectors_op_read", "sector", "Sectors read."};
  stats::Counter sectors_write{this, "lts__t_sectors_op_write", "sector", "Sectors written."};
  stats::Counter sectors_atom{this, "lts__t_sectors_op_atom", "sector", "Sectors of atomics with a result."};
  stats::Counter sectors_red{this, "lts__t_sectors_op_red", "sector", "Sectors of reductions."};
  stats::Counter hit{this, "lts__t_sectors_lookup_hit", "sector", "Sectors found."};
  stats::Counter miss{this, "lts__t_sectors_lookup_miss", "sector",
                      "Sectors not found, with those that are fetched along with them."};
  stats::Counter tex{this, "lts__t_sectors_srcunit_tex", "sector", "Sectors asked by the SMs' L1."};
  stats::Counter tex_hit{this, "lts__t_sectors_srcunit_tex_lookup_hit", "sector",
                         "Sectors asked by the SMs' L1 and found."};
  stats::Counter tex_miss{this, "lts__t_sectors_srcunit_tex_lookup_miss", "sector",
                          "Sectors not found for the SMs' L1, with those that are fetched along with them."};
  stats::Counter instruction{this, "lts__t_sectors_srcunit_gcc", "sector",
                             "Sectors asked by the GPCs' caches of instructions and constants."};
  stats::Counter fabric{this, "lts__t_sectors_srcunit_ltcfabric", "sector",
                        "Sectors asked by the other partition."};
  stats::Counter fills{this, "sim__lts_fill_sectors", "sector", "Sectors read from device memory."};
  stats::Counter prefetched{this, "sim__lts_prefetch_sectors", "sector",
                            "Sectors read from device memory because l2.prefetch said so."};
  stats::Counter write_backs{this, "sim__lts_write_back_sectors", "sector",
                             "Dirty sectors written to device memory."};
};

class L2Slice : public sim::MemoryTarget {
 public:
  L2Slice(const sim::ModuleName& name, const GpuConfig& config, unsigned index = 0);
  sim::MemoryInitiator memory;
  // The slice of the other partition that has this one's place there; none with one partition.
  void set_peer(L2Slice* peer) { peer_ = peer; }
  // All slices by number, to which l2.prefetch may send lines.
  void set_slices(const std::vector<std::unique_ptr<L2Slice>>* slices) { slices_ = slices; }
  // The host's caches may bring what access() will look at.
  void prefetch(const sim::MemoryRequest& request, Cycle at, bool home) const;
  void access(sim::MemoryRequest& request) override;
  // Ways of each set that lines to be evicted last may hold.
  void set_persisting_ways(uint32_t ways) { persisting_ways_ = ways; }
  // Writes dirty sectors back at `now` and forgets everything.
  void flush(Cycle now);
  // Counters over time, by the cycle in which the slice takes a request; null where nobody has asked.
  void log_intervals(uint64_t cycles_each);
  stats::IntervalLog* interval_log() { return log_.get(); }
  L2Stats stats;

 private:
  struct Line {
    uint64_t line = UINT64_MAX;
    Cycle ready = 0;     // latest sector that is on its way
    uint32_t used = 0;   // place in the set's order: the least is the oldest
    uint32_t state = 0;  // the replacement policy's
    uint8_t valid = 0, dirty = 0;
    sim::EvictHint evict = sim::EvictHint::kNormal;
    std::array<uint8_t, kLineSectors> written{};  // bytes of a sector that was written before it was read
  };
  struct Found {
    Line* line;
    bool here;
    Cycle free;  // what it takes the place of has gone
  };
  Cycle serve(sim::MemoryRequest& request);  // returns when the slice takes it
  size_t first_way(uint64_t line) const { return size_t{hash_->set(line)} * ways_; }  // of its set
  Found find_or_evict(const sim::MemoryRequest& request, size_t first, Cycle now);    // of the set at `first`
  class WayOrder;
  Line* victim(Line* set, bool persisting, const policy::CacheAccess& access);
  void take_place(Line& line, policy::Place place);
  void look_ahead(const sim::MemoryRequest& request, Cycle now);
  void bring(uint64_t line, Cycle now);
  void classify(Line& line, sim::EvictHint hint);
  uint8_t partial(const Line& line, uint8_t sectors) const;
  void mark_written(Line& line, const sim::MemoryRequest& request, uint8_t missing);
  static void await(Line& line, uint8_t sectors, Cycle ready);
  void fill(Line& line, const sim::MemoryRequest& request, uint8_t sectors, Cycle now);
  void pass_on(Line& line, sim::MemoryRequest& request, Cycle now);
  unsigned data_bytes(const sim::MemoryRequest& request, unsigned sectors, size_t first);
  static void copy_written(Line& line, const sim::MemoryRequest& request, Cycle ready);
  void lose(const sim::MemoryRequest& request, size_t first);
  void prefetch_set(size_t first, Cycle at) const;
  Cycle write_back(Line& line, Cycle now);
  uint32_t way_of(uint64_t line, size_t first) const;
  uint8_t held(uint64_t line, size_t first) const;
  void count(const sim::MemoryRequest& request, unsigned sectors, unsigned hits, unsigned misses);

  const GpuConfig& config_;
  const std::vector<std::unique_ptr<L2Slice>>* slices_ = nullptr;
  std::unique_ptr<policy::AddressHash> hash_;
  std::unique_ptr<policy::Replacement> replacement_;
  std::unique_ptr<policy::Prefetcher> prefetcher_;  // null: `none`, which is not worth asking
  uint32_t ways_, persisting_ways_ = 0;
  uint32_t clock_ = 0;
  Cycle fabric_latency_;  // one way to the other side; the slice there takes its own time
  L2Slice* peer_ = nullptr;
  BandwidthCalendar data_;
  AtomicUnit atomics_;
  BandwidthCalendar fabric_;
  std::vector<Line> lines_;
  std::unique_ptr<stats::IntervalLog> log_;
};

}  // namespace gpuloom::arch
