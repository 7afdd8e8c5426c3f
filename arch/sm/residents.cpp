// SPDX-License-Identifier: Apache-2.0
// Grids come to an SM and leave it: places for them, what they find in its caches, whose carve-out holds.
#include <algorithm>
#include <utility>

#include "arch/sm/sm.h"

namespace gpuloom::arch {

// An SM that no block has come to since it was emptied has nothing to forget. Its caches are set up for the
// grid when a block of it comes: a program of many small kernels leaves most SMs alone.
void Sm::start_alone(GridContext& grid) {
  if (used_) {
    for (ResidentGrid& r : residents_) r = {};
    resident_end_ = 0;
    gone_instructions_ = 0;
    async_.start_kernel();
    outbox.clear();
    apart.clear();
    news.clear();
    execution_.start_alone();
    late_.clear();
    fences_.start_alone();
    empty_caches(grid.carveout, grid.flushed);
  }
  empties_later_ = !used_;
  flushed_ = grid.flushed;
  used_ = false;
  carveout_ = grid.carveout;
  admit(grid);
  set_counts(0);
}

// The carve-out can change where nothing is left on the SM; nobody has seen a way to keep L1 over it.
void Sm::empty_caches(uint32_t carveout, bool flushed) {
  carveout_ = carveout;
  lsu_.start_kernel(config_.l1.size - carveout_);
  constants_.start_kernel();
  for (auto& sub : sub_cores_) sub->start_kernel();
  code_.invalidate(flushed);
  constant_l1_.invalidate(flushed);
}

const ResidentGrid* Sm::find(const GridContext& grid) const {
  for (unsigned k = 0; k < resident_end_; ++k)
    if (residents_[k].grid == &grid) return &residents_[k];
  return nullptr;
}

bool Sm::quiet() const {
  return busy_slots_ == 0 && lsu_.idle() &&
         std::all_of(residents_.begin(), residents_.end(),
                     [](const ResidentGrid& r) { return r.stores_in_flight == 0; });
}

bool Sm::has_place_for(const GridContext& grid) const {
  return resident_end_ < residents_.size() || find(grid) != nullptr ||
         std::any_of(residents_.begin(), residents_.end(),
                     [](const ResidentGrid& r) { return r.grid == nullptr; });
}

unsigned Sm::admit(GridContext& grid) {
  unsigned k = 0;
  while (residents_[k].grid != nullptr) ++k;
  ResidentGrid& r = residents_[k];
  r = {};
  r.grid = &grid;
  // Blocks go to all GPCs alike.
  const uint64_t blocks = grid.kernel.launch->grid.count();
  r.gpc_sms = static_cast<uint32_t>(std::min<uint64_t>(gpc_sms_, (blocks * gpc_sms_ + sms_ - 1) / sms_));
  r.preloaded.assign(1 + config_.fetch.preload_bytes / config_.fetch.l1.line / 64, 0);
  resident_end_ = std::max(resident_end_, k + 1);
  if (!link_ && grid.kernel.launch->cluster.count() > 1) link_ = std::make_unique<ClusterLink>(noc_);
  return k;
}

// What earlier grids wrote has to be seen: L1 is forgotten at a grid's first block, as at a kernel's start.
unsigned Sm::place_of(GridContext& grid) {
  used_ = true;
  if (std::exchange(empties_later_, false)) empty_caches(carveout_, flushed_);
  if (const ResidentGrid* r = find(grid)) return static_cast<unsigned>(r - residents_.data());
  if (quiet())
    empty_caches(grid.carveout, grid.flushed);
  else
    lsu_.forget_l1();
  return admit(grid);
}

void Sm::forget(const GridContext& grid) {
  for (unsigned k = 0; k < resident_end_; ++k)
    if (residents_[k].grid == &grid) {
      gone_instructions_ += residents_[k].warp_instructions;
      residents_[k] = {};
      counts_.tables[k] = nullptr;
    }
  while (resident_end_ > 0 && residents_[resident_end_ - 1].grid == nullptr) --resident_end_;
}

void Sm::set_counts(unsigned thread) {
  for (unsigned k = 0; k < resident_end_; ++k) {
    GridContext* grid = residents_[k].grid;
    counts_.tables[k] = grid == nullptr || grid->tables.empty() ? nullptr : grid->tables[thread].data();
  }
}

uint64_t Sm::warp_instructions(const GridContext& grid) const {
  const ResidentGrid* r = find(grid);
  if (r == nullptr) return 0;
  uint64_t sum = r->warp_instructions;
  for (const BlockSlot& b : blocks_) {
    if (!b.cta || residents_[b.grid].grid != &grid) continue;
    for (const uint16_t number : b.warps) {
      const WarpSlot& w = sub_cores_[number / slots_per_sub_]->slot(number % slots_per_sub_);
      if (w.mode != WarpMode::kEmpty && w.warp->cta == b.cta) sum += w.warp->executed;
    }
  }
  return sum;
}

uint64_t Sm::warp_instructions() const {
  uint64_t sum = gone_instructions_;
  for (unsigned k = 0; k < resident_end_; ++k)
    if (residents_[k].grid != nullptr) sum += warp_instructions(*residents_[k].grid);
  return sum;
}

void Sm::assign(GridContext& grid, uint64_t block, const std::shared_ptr<ClusterHold>& cluster, unsigned rank,
                Cycle at) {
  const unsigned resident = place_of(grid);
  unsigned slot = 0;
  while (blocks_[slot].busy) ++slot;
  BlockSlot& b = blocks_[slot];
  b = BlockSlot{};
  queue_used_[slot] = 0;
  b.block = block;
  b.busy = true;
  b.grid = static_cast<uint8_t>(resident);
  b.cluster = cluster;
  if (cluster) {
    b.cta = cluster->blocks[rank].get();
    cluster->places.push_back({this, slot});
  }
  ++residents_[resident].blocks;
  ++busy_slots_;
  push(at, {EventKind::kCtaStart, 0, static_cast<uint16_t>(slot), 0});
}

// ---------------------------------------------------------------- grids that depend on each other

void Sm::let_dependents(unsigned cta_slot, Cycle now) {
  BlockSlot& b = blocks_[cta_slot];
  if (b.lets_dependents) return;
  b.lets_dependents = true;
  news.push_back({now, residents_[b.grid].grid, false, true});
}

void Sm::tell_grids_ended(const GridContext& grid, Cycle at) {
  if (const ResidentGrid* r = find(grid))
    push(at, {EventKind::kGridsEnded, 0, static_cast<uint16_t>(r - residents_.data()), 0});
}

// What the others wrote has to be seen: L1 is forgotten, as at a kernel's start.
void Sm::grids_ended(unsigned grid, Cycle now) {
  lsu_.forget_l1();
  for (unsigned warp = 0; warp < slots_per_sub_ * sub_cores_.size(); ++warp) {
    const WarpSlot& w = warp_slot(warp);
    if (w.mode == WarpMode::kGrids && w.grid == grid) sub_core_of(warp).resume(slot_of(warp), now);
  }
}

}  // namespace gpuloom::arch
