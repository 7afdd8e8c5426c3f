// SPDX-License-Identifier: Apache-2.0
#include "arch/host/work_distributor.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"

namespace gpuloom::arch {

WorkDistributor::WorkDistributor(const GpuConfig& config, std::vector<Sm*> sms)
    : config_(config),
      sms_(std::move(sms)),
      gpcs_(config.gpc.count),
      freed_(sms_.size(), 0),
      next_(sms_.size(), 0),
      ending_(sms_.size(), 0) {
  for (Sm* sm : sms_) gpcs_[sm->gpc()].push_back(sm);
  size_t next = 0;
  for (uint32_t n : config.gpc.cluster_groups) {
    groups_.emplace_back(sms_.begin() + static_cast<ptrdiff_t>(next),
                         sms_.begin() + static_cast<ptrdiff_t>(next + n));
    next += n;
  }
  order_sms(config);
}

// Where each SM stands, for the policy.
void WorkDistributor::order_sms(const GpuConfig& config) {
  const uint32_t tpc = config.gpc.sms_per_tpc;
  places_.resize(sms_.size());
  wave_.resize(sms_.size());
  for (const auto& group : groups_)
    for (uint32_t i = 0; i < group.size(); ++i)
      places_[group[i]->id()] = {group[i]->id(), group[i]->gpc(), i / tpc, i % tpc, group.size() <= tpc, 0};
  order_ = config.gpc.order.make<policy::BlockOrder>({places_.data(), static_cast<uint32_t>(places_.size())});
}

void WorkDistributor::start(ptx::Launch& launch, const Occupancy& occupancy, Cycle now) {
  launch_ = &launch;
  per_sm_ = occupancy.blocks;
  total_ = launch.grid.count();
  next_block_ = finished_ = 0;
  last_end_ = now;
  issue_free_ = ends_free_ = static_cast<double>(now);
  std::fill(freed_.begin(), freed_.end(), now);
  const uint64_t warps = (launch.block.count() + kWarpSize - 1) / kWarpSize;
  interval_ = config_.gpc.block_interval +
              static_cast<Cycle>(std::llround(config_.gpc.warp_interval * static_cast<double>(warps)));
  for (auto& gpc : gpcs_)
    for (size_t i = 0; i < gpc.size(); ++i)
      next_[gpc[i]->id()] =
          now + config_.gpc.block_launch_latency + i % config_.gpc.sms_per_tpc * config_.gpc.tpc_stagger;
  std::fill(ending_.begin(), ending_.end(), 0);
  cluster_blocks_ = static_cast<uint32_t>(launch.cluster.count());
  if (per_sm_ == 0)
    throw Error(ErrorKind::kInput, "a block of this kernel does not fit on an SM of " + config_.name);
  if (cluster_blocks_ > 1) check_cluster();
  order_->start({launch.grid.x, launch.grid.y, launch.grid.z});
  place(now);
}

void WorkDistributor::check_cluster() const {
  uint32_t most = 0;
  for (uint32_t n : config_.gpc.cluster_groups) most = std::max(most, n);
  if (cluster_blocks_ > config_.sm.limits.cluster_max || cluster_blocks_ > most)
    throw Error(ErrorKind::kInput, "a cluster of " + std::to_string(cluster_blocks_) +
                                       " blocks does not fit on " + config_.name);
  if (total_ % cluster_blocks_ != 0)
    throw Error(ErrorKind::kInput, "the grid is not a multiple of the cluster");
}

// A block starts a fixed time after the distributor knows of its place, and a while after the SM's last
// launch.
Cycle WorkDistributor::start_time(Sm& sm, Cycle now) {
  const Cycle ready = std::max(freed_[sm.id()] + config_.gpc.block_launch_latency, next_[sm.id()]);
  // The distributor's turn and the SM's own wait pass at the same time: an SM that is not ready holds up no
  // other.
  const double turn = std::max(static_cast<double>(now), issue_free_);
  issue_free_ = turn + 1 / config_.gpc.blocks_per_cycle;
  const Cycle at = std::max(ready, static_cast<Cycle>(turn));
  next_[sm.id()] = at + interval_;
  return at;
}

bool WorkDistributor::place_wave(Cycle now) {
  for (const Sm* sm : sms_) places_[sm->id()].blocks = blocks(*sm);
  const uint32_t count = order_->wave(places_.data(), static_cast<uint32_t>(places_.size()), per_sm_,
                                      total_ - next_block_, wave_.data());
  for (uint32_t i = 0; i < count; ++i) {
    Sm& sm = *sms_[wave_[i]];
    sm.assign(order_->block(next_block_++), nullptr, 0, start_time(sm, now));
  }
  return count != 0;
}

// The group in which a cluster finds its places with the fewest blocks on an SM; of equals the one that has
// most such places (H200: clusters of 4 and 8 of a grid of 128 blocks stand on 117 to 119 SMs).
std::vector<Sm*>* WorkDistributor::home_of_cluster() {
  std::vector<Sm*>* home = nullptr;
  uint32_t level = UINT32_MAX, most = 0;
  for (auto& group : groups_) {
    if (group.size() < cluster_blocks_) continue;  // as cudaOccupancyMaxActiveClusters counts
    for (uint32_t deep = 1; deep <= std::min(per_sm_, level); ++deep) {
      uint32_t room = 0;
      for (const Sm* sm : group) room += deep - std::min(deep, blocks(*sm));
      if (room < cluster_blocks_) continue;
      if (deep < level || room > most) {
        home = &group;
        most = room;
      }
      level = deep;
      break;
    }
  }
  return home;
}

// Blocks of a cluster count through the grid in x, y, z boxes of the cluster's shape (PTX ISA 2.2.1).
bool WorkDistributor::place_cluster(Cycle now) {
  std::vector<Sm*>* home = home_of_cluster();
  if (!home) return false;
  const ptx::Dim3 &grid = launch_->grid, &shape = launch_->cluster;
  const uint64_t number = next_block_ / cluster_blocks_;
  const uint64_t nx = grid.x / shape.x, ny = grid.y / shape.y;
  const uint64_t cx = number % nx * shape.x, cy = number / nx % ny * shape.y, cz = number / nx / ny * shape.z;
  auto hold = std::make_shared<ClusterHold>();
  for (uint32_t rank = 0; rank < cluster_blocks_; ++rank) {
    const uint64_t x = cx + rank % shape.x, y = cy + rank / shape.x % shape.y,
                   z = cz + rank / shape.x / shape.y;
    Sm* best = nullptr;
    for (Sm* sm : *home)
      if (blocks(*sm) < per_sm_ && (!best || blocks(*sm) < blocks(*best))) best = sm;
    const uint64_t linear = (z * grid.y + y) * grid.x + x;
    hold->blocks.push_back(ptx::create_cta(*launch_, linear, &hold->cluster, best->id()));
    const unsigned slot = best->assign(linear, hold, rank, start_time(*best, now));
    hold->places.push_back({best, slot});
  }
  next_block_ += cluster_blocks_;
  return true;
}

void WorkDistributor::place(Cycle now) {
  while (next_block_ < total_ && (cluster_blocks_ > 1 ? place_cluster(now) : place_wave(now))) {
  }
}

// Ends of blocks wait for each other at the distributor; a place is free, and a grid has ended, once it has
// taken them (H200: 65,536 blocks of a warp end at its rate, and their places stand empty meanwhile). They
// come in order of time, so that nothing depends on where windows begin and end.
void WorkDistributor::serve(Cycle end) {
  ends_.clear();
  for (Sm* sm : sms_)
    std::erase_if(sm->finished, [&](Cycle ended) {
      if (ended < end) ends_.push_back({ended, sm->id()});
      return ended < end;
    });
  // An SM whose place counts as free before its turn has come would be given a block too early.
  std::sort(ends_.begin(), ends_.end());
  for (const auto& [cycle, sm] : ends_) ++ending_[sm];
  for (const auto& [cycle, sm] : ends_) {
    --ending_[sm];
    ++finished_;
    ends_free_ = std::max(ends_free_, static_cast<double>(cycle + config_.gpc.block_end_latency)) +
                 config_.gpc.block_end_interval;
    freed_[sm] = last_end_ = static_cast<Cycle>(ends_free_);
    place(last_end_);
  }
}

}  // namespace gpuloom::arch
