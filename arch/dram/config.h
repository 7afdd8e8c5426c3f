// SPDX-License-Identifier: Apache-2.0
// Device memory: the group `dram`. Times are nanoseconds: they belong to the memory, not to the core clock.
#pragma once
#include <cstdint>

#include "arch/policy/choice.h"

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

struct DramTiming {
  double tRCD = 0, tRP = 0, tCL = 0, tRAS = 0, tWTR = 0, tRTW = 0, tRRD = 0, tFAW = 0, tCCD = 0, tREFI = 0,
         tRFC = 0;
};

// What is refreshed at once: the channel, which works on nothing meanwhile; a bank that nobody waits for; or
// each bank in its turn, whoever waits.
enum class DramRefresh : uint8_t { kAllBanks, kOneBank, kEachBank };

enum class DramScheduler : uint8_t { kFrFcfs, kFcfs };

// What of a channel's neighbouring addresses a bank holds before the next one comes: a row, or a line.
enum class DramInterleave : uint8_t { kRow, kLine };

struct DramConfig {
  uint64_t capacity = 0;
  uint32_t channels = 0, banks = 0;  // banks of one channel
  uint32_t row_bytes = 0, burst = 0;
  double bandwidth = 0;        // bytes a second, all channels
  double latency = 0;          // between slice and pins, both ways, ns
  uint32_t queue_entries = 0;  // of a channel
  uint32_t write_batch = 0;    // bytes that a channel collects before its bus turns round for them
  uint32_t read_window = 0;    // reads among which a channel opens rows as banks are ready
  double aside_conflicts = 0;  // see DramChannel::set_l2_share()
  DramScheduler scheduler = DramScheduler::kFrFcfs;
  DramInterleave interleave = DramInterleave::kRow;
  DramRefresh refresh = DramRefresh::kAllBanks;
  uint32_t refresh_together = 0;  // channels that are refreshed at the same time
  PolicyChoice page;
  double clock_hz = 0;
  DramTiming timing;
};

DramConfig read_dram_config(const ConfigView& view, double clock_hz);

}  // namespace gpuloom::arch
