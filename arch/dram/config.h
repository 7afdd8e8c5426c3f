// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

// Times in nanoseconds: they belong to the memory, not to the core clock.
struct DramConfig {
  uint64_t bytes = 0;
  uint32_t channels = 0, banks = 0;                             // banks of one channel
  uint32_t row_bytes = 0;                                       // of one bank
  uint32_t access_bytes = 64;                                   // least that one burst moves
  double bandwidth = 0;                                         // bytes a second, all channels
  double latency_ns = 0;                                        // controller and interface, both ways
  double row_activate_ns = 0, column_ns = 0, precharge_ns = 0;  // tRCD, tCL, tRP
  double turnaround_ns = 0;                                     // read to write and back
  double refresh_fraction = 0;                                  // of time that a channel is not available
};

DramConfig read_dram_config(const ConfigView& view);

}  // namespace gpuloom::arch
