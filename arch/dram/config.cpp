// SPDX-License-Identifier: Apache-2.0
#include "arch/dram/config.h"

#include "arch/policy/reading.h"
#include "base/config/config_view.h"

namespace gpuloom::arch {

DramConfig read_dram_config(const ConfigView& view, double clock_hz) {
  DramConfig d;
  d.clock_hz = clock_hz;
  d.capacity = view.size_bytes("capacity", 1 << 20);
  d.channels = view.count("channels", 1, 1024);
  d.banks = view.count("banks", 1, 256);
  d.row_bytes = static_cast<uint32_t>(view.size_bytes("row_bytes", 128, 1 << 20));
  d.burst = static_cast<uint32_t>(view.size_bytes("burst", 8, 1024));
  d.bandwidth = view.bandwidth("bandwidth");
  d.latency = view.nanoseconds("latency");
  d.queue_entries = view.count("queue_entries", 1, 65536);
  d.write_batch = static_cast<uint32_t>(view.size_bytes("write_batch", 32, 1 << 20));
  d.read_window = view.count("read_window", 1, 1024);
  d.aside_conflicts = view.number("aside_conflicts", 0, 1000);
  d.scheduler = view.choice<DramScheduler>(
      "scheduler", {{"frfcfs", DramScheduler::kFrFcfs}, {"fcfs", DramScheduler::kFcfs}});
  d.interleave = view.choice<DramInterleave>(
      "interleave", {{"row", DramInterleave::kRow}, {"line", DramInterleave::kLine}});
  d.refresh = view.choice<DramRefresh>("refresh", {{"all_banks", DramRefresh::kAllBanks},
                                                   {"one_bank", DramRefresh::kOneBank},
                                                   {"each_bank", DramRefresh::kEachBank}});
  d.refresh_together = view.count("refresh_together", 1, 1024);
  d.page = read_policy<policy::PagePolicy>(view, "page_policy", "page");
  const ConfigView t = view.child("timing");
  d.timing.tRCD = t.nanoseconds("tRCD");
  d.timing.tRP = t.nanoseconds("tRP");
  d.timing.tCL = t.nanoseconds("tCL");
  d.timing.tRAS = t.nanoseconds("tRAS");
  d.timing.tWTR = t.nanoseconds("tWTR");
  d.timing.tRTW = t.nanoseconds("tRTW");
  d.timing.tRRD = t.nanoseconds("tRRD");
  d.timing.tFAW = t.nanoseconds("tFAW");
  d.timing.tCCD = t.nanoseconds("tCCD");
  d.timing.tREFI = t.nanoseconds("tREFI");
  d.timing.tRFC = t.nanoseconds("tRFC");
  view.power_of_two("row_bytes", d.row_bytes);
  view.power_of_two("banks", d.banks);
  return d;
}

}  // namespace gpuloom::arch
