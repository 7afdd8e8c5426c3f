// SPDX-License-Identifier: Apache-2.0
// The side towards the host: the groups `launch` and `host`, and how blocks are handed out (`gpc`).
#pragma once
#include <cstdint>

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

struct LaunchConfig {
  uint32_t overhead_cycles = 0;  // of a kernel, before its first block
  uint32_t drain_cycles = 0;     // after its last
  uint32_t release_cycles = 0;   // after its last store has been answered, where it stored
  // At a launch each GPC reads the kernel's code, in blocks of so many bytes, and the launch's own data.
  uint32_t fetch_bytes = 0, code_block = 0;
};

LaunchConfig read_launch_config(const ConfigView& view);
// Checks the values of the host's side, which nothing acts on: one kernel runs at a time, and copies take no
// time.
void check_host_config(const ConfigView& view);

}  // namespace gpuloom::arch
