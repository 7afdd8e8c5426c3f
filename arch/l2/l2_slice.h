// SPDX-License-Identifier: Apache-2.0
// One slice of the level-2 cache: sectored lines, write-back, least recently used replacement, atomics. A
// DRAM channel, or any TLM-2.0 memory, is bound to `memory`.
#pragma once
#include <memory>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/noc/bandwidth.h"
#include "sim/base/stats/stats.h"
#include "sim/kernel/memory_socket.h"

namespace gpuloom::arch {

struct L2Stats : stats::Group {
  stats::Counter requests{this, "lts__t_requests", "request", "Requests to the tag stage."};
  stats::Counter sectors{this, "lts__t_sectors", "sector", "Sectors looked up."};
  stats::Counter sectors_read{this, "lts__t_sectors_op_read", "sector", "Sectors read."};
  stats::Counter sectors_write{this, "lts__t_sectors_op_write", "sector", "Sectors written."};
  stats::Counter sectors_atom{this, "lts__t_sectors_op_atom", "sector", "Sectors of atomics with a result."};
  stats::Counter sectors_red{this, "lts__t_sectors_op_red", "sector", "Sectors of reductions."};
  stats::Counter hit{this, "lts__t_sectors_lookup_hit", "sector", "Sectors found."};
  stats::Counter miss{this, "lts__t_sectors_lookup_miss", "sector", "Sectors not found."};
  stats::Counter tex{this, "lts__t_sectors_srcunit_tex", "sector", "Sectors asked by the SMs' L1."};
  stats::Counter tex_hit{this, "lts__t_sectors_srcunit_tex_lookup_hit", "sector",
                         "Sectors asked by the SMs' L1 and found."};
  stats::Counter tex_miss{this, "lts__t_sectors_srcunit_tex_lookup_miss", "sector",
                          "Sectors asked by the SMs' L1 and not found."};
  stats::Counter fills{this, "sim__lts_fill_sectors", "sector", "Sectors read from device memory."};
  stats::Counter write_backs{this, "sim__lts_write_back_sectors", "sector",
                             "Dirty sectors written to device memory."};
};

class L2Slice : public sim::MemoryTarget {
 public:
  L2Slice(const sim::ModuleName& name, const GpuConfig& config);
  sim::MemoryInitiator memory;
  void access(sim::MemoryRequest& request) override;
  // Writes dirty sectors back at `now` and forgets everything.
  void flush(Cycle now);
  L2Stats stats;

 private:
  struct Line {
    uint64_t line = UINT64_MAX;
    Cycle ready = 0;  // latest sector that is on its way
    uint32_t used = 0;
    uint8_t valid = 0, dirty = 0;
  };
  Line& find_or_evict(uint64_t line, Cycle now, bool& here);
  void write_back(Line& line, Cycle now);
  void count(const sim::MemoryRequest& request, unsigned sectors, unsigned hits);

  const GpuConfig& config_;
  uint32_t sets_, ways_;
  uint32_t clock_ = 0;
  Cycle tag_free_ = 0, atomic_free_ = 0;
  BandwidthCalendar data_;
  std::vector<Line> lines_;
};

}  // namespace gpuloom::arch
