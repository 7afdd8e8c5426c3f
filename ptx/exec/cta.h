// SPDX-License-Identifier: Apache-2.0
// A running CTA (thread block), and the launch it belongs to.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

class Checks;              // check/checks.h
struct ClusterShadow;      // what it knows of a cluster
struct WarpgroupMeetings;  // matrix/warpgroup_meeting.h

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

// What a launch says about itself beside its results: one place of each kind, and how often. Several
// host threads may add.
class LaunchRemarks {
 public:
  void reached_ended_block(const std::string& first);
  std::vector<std::string> text() const;

 private:
  mutable std::mutex mutex_;
  std::string ended_;
  uint64_t ended_count_ = 0;
};

// How often warps executed `pmevent`, by event; several host threads may count.
using PmEvents = std::array<std::atomic<uint64_t>, 16>;

// A grid that a kernel launches (device_runtime.h).
struct ChildGrid {
  uint64_t function = 0;  // address of its kernel, as address_of a function of the module
  Dim3 grid, block;
  uint32_t shared_bytes = 0;
};

// The thread that asks for it: its block, and when.
struct ChildCaller {
  uint64_t block = 0, cycle = 0;
};

// A copy or a fill of global memory that a kernel asks for (device_runtime.h).
struct ChildCopy {
  uint64_t to = 0, to_pitch = 0, from = 0, from_pitch = 0;
  uint64_t width = 0, height = 1;  // bytes, rows
  bool fill = false;               // with `value`, from nowhere
  uint8_t value = 0;
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
  uint32_t envreg[32] = {};  // %envreg0 ..: set by the runtime (1 and 2: workspace of a cooperative launch)
  uint32_t sm_count = 1;
  uint32_t local_limit_bytes = 0;     // stack of one lane: frames and depots of nested calls must fit
  uint64_t clock_hz = 1'000'000'000;  // for %globaltimer
  // Device system calls; may stay empty. `print` receives the text of one printf of one thread.
  std::function<void(const std::string&)> print;
  std::function<uint64_t(uint64_t bytes)> heap_allocate;  // device malloc: generic address, 0 when full
  std::function<bool(uint64_t address)> heap_free;        // false: not a live block
  // Memory for the parameters of a grid that the kernel launches, and the launch with them.
  std::function<uint64_t(const ChildGrid&)> child_parameters;
  std::function<void(uint64_t parameters, uint64_t stream, const ChildCaller&)> launch_child;
  std::function<void(const ChildCopy&, uint64_t stream, const ChildCaller&)> launch_copy;
  std::function<uint64_t()> child_stream;  // the handle of a stream that no other has
  uint64_t child_call_ns = 0;              // what either takes a thread
  // Where a text about an error of the runtime is: its name, else what it means.
  std::function<uint64_t(int error, bool name)> error_text;
  std::shared_ptr<PmEvents> pm_events;     // null: nobody counts
  std::shared_ptr<LaunchRemarks> remarks;  // null: nobody reads them
  bool timeless = false;                   // the functional engine runs it
  bool concurrent = false;                 // its blocks run on several host threads at the same time
  Checks* checks = nullptr;                // observes what the program does (`--check`); null: nobody does
  // How far the clock is ahead of what was executed, where no time is modelled: it hurries while a warp does
  // nothing but look at it. Blocks that read it do not run at the same time.
  uint64_t clock_ahead = 0;
};

constexpr unsigned kNamedBarriers = 16;

enum class BarrierOp : uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr };

// A warp that waits at a barrier, and where its reduction result goes.
struct BarrierWaiter {
  Warp* warp = nullptr;
  uint32_t lanes = 0;  // of one convergence set
  BarrierOp op = BarrierOp::kSync;
  Place result;
  uint32_t frame_regs = 0;
};

// One CTA barrier (PTX ISA 9.7.13.1). Warps arrive as a whole: a warp has arrived when all of its lanes that
// have not exited are there.
struct NamedBarrier {
  uint32_t expected_warps = 0;  // 0: not in use, or all warps that still run (see counts_all)
  bool in_use = false;
  bool counts_all = false;  // without a thread count
  uint32_t arrived_warps = 0;
  uint64_t arrived_mask = 0;  // by Warp::index_in_cta
  std::vector<BarrierWaiter> waiters;
  uint32_t reduction_popc = 0;
  bool reduction_and = true, reduction_or = false;
};

struct Cta;

// CTAs that run together and see each other's shared memory.
struct Cluster {
  std::vector<Cta*> ctas;        // by rank
  uint32_t arrived_threads = 0;  // at the cluster barrier
  uint32_t live_threads = 0;
  uint64_t phase = 0;
  std::shared_ptr<ClusterShadow> shadow;  // of Launch::checks
};

struct Cta {
  Launch* launch = nullptr;
  uint32_t id[3] = {0, 0, 0};
  uint64_t linear_id = 0;
  uint32_t cluster_rank = 0;
  Cluster* cluster = nullptr;  // never null: a block without a cluster is alone in `alone`
  Cluster alone;
  uint32_t sm = 0;
  std::vector<uint8_t> shared;  // Launch::shared_bytes
  std::vector<std::unique_ptr<Warp>> warps;
  uint32_t live_warps = 0;
  NamedBarrier barriers[kNamedBarriers];
  std::shared_ptr<WarpgroupMeetings> meetings;  // of warpgroups at a product; null: none yet
  uint64_t phase_changes = 0;  // counts mbarrier phases and barrier releases: something that waits may go on
};

constexpr unsigned kMaxWarpsPerCta = 64;

// A block ready to run: warps at the entry, special registers filled, shared memory zeroed. `linear_id`
// counts x first. `cluster` null: alone; otherwise the block is appended with the next rank.
std::unique_ptr<Cta> create_cta(Launch& launch, uint64_t linear_id, Cluster* cluster = nullptr,
                                uint32_t sm = 0);
// Writes the special registers of the activation at Warp::regs.
void fill_specials(Warp& w, const FunctionCode& code);
// Value of a kDynamic special register now.
uint64_t read_dynamic(Warp& w, SpecialRegister reg);

// `lanes` of the current set arrive at barrier `id`; `threads` 0: all. `values`: predicate of a reduction.
// Sets Warp::wait (or goes on with another set) where the lanes have to wait.
void barrier_arrive(Warp& w, const Instr& in, uint32_t lanes, BarrierOp op, uint32_t id, uint32_t threads,
                    uint32_t values, Place result);
// `lanes` arrive at, or wait for, the cluster barrier (PTX ISA 9.7.13.4).
void cluster_arrive(Warp& w, const Instr& in, uint32_t lanes);
void cluster_wait(Warp& w, const Instr& in, uint32_t lanes);
// Called when lanes have exited: barriers no longer wait for them.
void after_exit(Warp& w, uint32_t lanes);

}  // namespace gpuloom::ptx
