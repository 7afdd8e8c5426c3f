// SPDX-License-Identifier: Apache-2.0
// A running CTA (thread block), and the launch it belongs to.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

// What all CTAs of a grid share. Immutable while it runs, memory contents aside.
struct Launch {
  const Program* program = nullptr;
  Dim3 grid, block;
  Dim3 cluster;  // 1,1,1 without clusters
  bool explicit_cluster = false;
  uint32_t dynamic_shared_bytes = 0;
  uint32_t shared_bytes = 0;    // static + dynamic, as laid out
  std::vector<uint8_t> params;  // parameter buffer (Program::params)
  GlobalMemory* memory = nullptr;
  const uint8_t* const_bank = nullptr;  // .const variables, at offsets from kConstWindowBase
  uint64_t const_bytes = 0;
  uint64_t grid_id = 1;
  uint32_t sm_count = 1;
  uint32_t local_limit_bytes = 0;     // stack of one lane: frames and depots of nested calls must fit
  uint64_t clock_hz = 1'000'000'000;  // for %globaltimer
};

constexpr unsigned kNamedBarriers = 16;

// One CTA barrier (PTX ISA 9.7.13.1).
struct NamedBarrier {
  uint32_t expected_threads = 0;  // 0: not in use
  uint32_t arrived_threads = 0;
  uint32_t waiting_warps_count = 0;
  uint32_t reduction_and = ~0u, reduction_or = 0, reduction_popc = 0;
};

struct Cluster;

struct Cta {
  Launch* launch = nullptr;
  uint32_t id[3] = {0, 0, 0};
  uint64_t linear_id = 0;
  uint32_t cluster_rank = 0;
  Cluster* cluster = nullptr;  // null without clusters
  uint32_t sm = 0;
  std::vector<uint8_t> shared;  // Launch::shared_bytes
  std::vector<std::unique_ptr<Warp>> warps;
  uint32_t live_warps = 0;
  NamedBarrier barriers[kNamedBarriers];
  uint64_t phase_changes = 0;  // counts mbarrier phases and barrier releases: something that waits may go on
};

// CTAs that run together and see each other's shared memory.
struct Cluster {
  std::vector<Cta*> ctas;  // by rank
  uint32_t arrived_threads = 0, expected_threads = 0;
  uint64_t phase = 0;
};

}  // namespace gpuloom::ptx
