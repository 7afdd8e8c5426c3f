// SPDX-License-Identifier: Apache-2.0
#include "arch/host/work_distributor.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/error.h"

namespace gpuloom::arch {

WorkDistributor::WorkDistributor(const GpuConfig& config, std::vector<BlockHost*> sms)
    : config_(config),
      sms_(std::move(sms)),
      held_(sms_.size()),
      freed_(sms_.size(), 0),
      next_(sms_.size(), 0),
      stagger_(sms_.size(), 0) {
  std::vector<uint32_t> in_gpc(config.gpc.count, 0);
  for (const BlockHost* sm : sms_)
    stagger_[sm->id()] = in_gpc[sm->gpc()]++ % config.gpc.sms_per_tpc * config.gpc.tpc_stagger;
  size_t next = 0;
  for (uint32_t n : config.gpc.cluster_groups) {
    groups_.emplace_back(sms_.begin() + static_cast<ptrdiff_t>(next),
                         sms_.begin() + static_cast<ptrdiff_t>(next + n));
    next += n;
  }
  order_sms(config);
  grid_order_ = config.gpc.grids.make<policy::GridOrder>({});
}

// Where each SM stands, for the policy.
void WorkDistributor::order_sms(const GpuConfig& config) {
  const uint32_t tpc = config.gpc.sms_per_tpc;
  places_.resize(sms_.size());
  wave_.resize(sms_.size());
  for (const auto& group : groups_)
    for (uint32_t i = 0; i < group.size(); ++i)
      places_[group[i]->id()] = {group[i]->id(), group[i]->gpc(), i / tpc, i % tpc, group.size() <= tpc, 0};
}

void WorkDistributor::start(Grid& grid) {
  const ptx::Launch& launch = grid.launch();
  const Cycle now = grid.begin;
  grid.total = launch.grid.count();
  grid.last_end = now;
  grid.held.assign(sms_.size(), 0);
  const uint64_t warps = (launch.block.count() + kWarpSize - 1) / kWarpSize;
  grid.interval = config_.gpc.block_interval +
                  static_cast<Cycle>(std::llround(config_.gpc.warp_interval * static_cast<double>(warps)));
  grid.cluster_blocks = static_cast<uint32_t>(launch.cluster.count());
  if (grid.fits.blocks == 0)
    throw Error(ErrorKind::kInput, "a block of this kernel does not fit on an SM of " + config_.name);
  if (grid.cluster_blocks > 1) check_cluster(grid);
  if (!grid.joined) {
    grids_.clear();
    held_.assign(sms_.size(), {});
    issue_free_ = ends_free_ = static_cast<double>(now);
    std::fill(freed_.begin(), freed_.end(), now);
    std::fill(next_.begin(), next_.end(), 0);
  }
  if (orders_.empty())
    orders_.push_back(
        config_.gpc.order.make<policy::BlockOrder>({places_.data(), static_cast<uint32_t>(places_.size())}));
  grid.order = std::move(orders_.back());
  orders_.pop_back();
  grid.order->start({launch.grid.x, launch.grid.y, launch.grid.z});
  grids_.push_back(&grid);
  place(now);
}

void WorkDistributor::forget(Grid& grid) {
  std::erase(grids_, &grid);
  if (grid.order) orders_.push_back(std::move(grid.order));
}

bool WorkDistributor::done() const {
  return std::all_of(grids_.begin(), grids_.end(), [](const Grid* g) { return g->ended(); });
}

void WorkDistributor::check_cluster(const Grid& grid) const {
  uint32_t most = 0;
  for (uint32_t n : config_.gpc.cluster_groups) most = std::max(most, n);
  if (grid.cluster_blocks > config_.sm.limits.cluster_max || grid.cluster_blocks > most)
    throw Error(ErrorKind::kInput, "a cluster of " + std::to_string(grid.cluster_blocks) +
                                       " blocks does not fit on " + config_.name);
  if (grid.total % grid.cluster_blocks != 0)
    throw Error(ErrorKind::kInput, "the grid is not a multiple of the cluster");
}

// ---------------------------------------------------------------- room

void WorkDistributor::add(Held& held, const Grid& grid, int sign) {
  const auto by = [sign](uint32_t& value, uint32_t amount) {
    value = static_cast<uint32_t>(static_cast<int64_t>(value) + sign * int64_t{amount});
  };
  by(held.blocks, 1);
  by(held.warps, grid.fits.warps_per_block);
  by(held.registers, grid.fits.allocated_registers);
  by(held.shared, grid.fits.allocated_shared);
  by(held.barriers, grid.needs.barriers);
}

// How many further blocks of the grid fit beside other grids' blocks. The carve-out stays as it is while the
// SM has work.
uint32_t WorkDistributor::room(const Grid& grid, const BlockHost& sm) const {
  if (!sm.has_place_for(grid)) return 0;
  const Held& h = held_[sm.id()];
  const LimitsConfig& l = config_.sm.limits;
  const auto left = [](uint32_t limit, uint32_t used, uint32_t each) {
    return each == 0 ? kUnlimited : (limit - std::min(limit, used)) / each;
  };
  const uint32_t barriers = l.barriers_per_sm == 0 ? 0 : grid.needs.barriers;
  return std::min({left(l.blocks_per_sm, h.blocks, 1),
                   left(l.warps_per_sm, h.warps, grid.fits.warps_per_block),
                   left(l.registers_per_sm, h.registers, grid.fits.allocated_registers),
                   left(sm.quiet() ? grid.carveout : sm.carveout(), h.shared, grid.fits.allocated_shared),
                   left(l.barriers_per_sm, h.barriers, barriers)});
}

bool WorkDistributor::has_room() const {
  if (grids_.empty()) return true;
  const LimitsConfig& l = config_.sm.limits;
  return std::all_of(grids_.begin(), grids_.end(), [](const Grid* g) { return g->placed(); }) &&
         std::any_of(held_.begin(), held_.end(),
                     [&](const Held& h) { return h.blocks < l.blocks_per_sm && h.warps < l.warps_per_sm; });
}

uint32_t WorkDistributor::taken(const Grid& grid, const BlockHost& sm) const {
  const uint32_t own = grid.held[sm.id()];
  if (grid.lone()) return own;
  return std::max(own, grid.fits.blocks - std::min(grid.fits.blocks, room(grid, sm)));
}

// ---------------------------------------------------------------- handing out

void WorkDistributor::take(Grid& grid, BlockHost& sm) {
  ++grid.held[sm.id()];
  add(held_[sm.id()], grid, +1);
}

// A block starts a fixed time after the distributor knows of its place, and a while after the SM's last
// launch.
Cycle WorkDistributor::start_time(const Grid& grid, BlockHost& sm, Cycle now) {
  const Cycle first = grid.begin + config_.gpc.block_launch_latency + stagger_[sm.id()];
  const Cycle ready = std::max({freed_[sm.id()] + config_.gpc.block_launch_latency, next_[sm.id()], first});
  // The distributor's turn and the SM's own wait pass at the same time: an SM that is not ready holds up no
  // other.
  const double turn = std::max(static_cast<double>(now), issue_free_);
  issue_free_ = turn + 1 / config_.gpc.blocks_per_cycle;
  const Cycle at = std::max(ready, static_cast<Cycle>(turn));
  next_[sm.id()] = at + grid.interval;
  return at;
}

bool WorkDistributor::place_wave(Grid& grid, Cycle now) {
  for (const BlockHost* sm : sms_) places_[sm->id()].blocks = taken(grid, *sm);
  const uint32_t count = grid.order->wave(places_.data(), static_cast<uint32_t>(places_.size()),
                                          grid.fits.blocks, grid.total - grid.next_block, wave_.data());
  for (uint32_t i = 0; i < count; ++i) {
    BlockHost& sm = *sms_[wave_[i]];
    take(grid, sm);
    sm.assign(grid, grid.order->block(grid.next_block++), nullptr, 0, start_time(grid, sm, now));
  }
  return count != 0;
}

// The group in which a cluster finds its places with the fewest blocks on an SM; of equals the one that has
// most such places (H200: clusters of 4 and 8 of a grid of 128 blocks stand on 117 to 119 SMs).
std::vector<BlockHost*>* WorkDistributor::home_of_cluster(const Grid& grid) {
  std::vector<BlockHost*>* home = nullptr;
  uint32_t level = UINT32_MAX, most = 0;
  for (auto& group : groups_) {
    if (group.size() < grid.cluster_blocks) continue;  // as cudaOccupancyMaxActiveClusters counts
    for (uint32_t deep = 1; deep <= std::min(grid.fits.blocks, level); ++deep) {
      uint32_t room = 0;
      for (const BlockHost* sm : group) room += deep - std::min(deep, taken(grid, *sm));
      if (room < grid.cluster_blocks) continue;
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
bool WorkDistributor::place_cluster(Grid& g, Cycle now) {
  std::vector<BlockHost*>* home = home_of_cluster(g);
  if (!home) return false;
  const ptx::Dim3 &grid = g.launch().grid, &shape = g.launch().cluster;
  const uint64_t number = g.next_block / g.cluster_blocks;
  const uint64_t nx = grid.x / shape.x, ny = grid.y / shape.y;
  const uint64_t cx = number % nx * shape.x, cy = number / nx % ny * shape.y, cz = number / nx / ny * shape.z;
  auto hold = std::make_shared<ClusterHold>();
  for (uint32_t rank = 0; rank < g.cluster_blocks; ++rank) {
    const uint64_t x = cx + rank % shape.x, y = cy + rank / shape.x % shape.y,
                   z = cz + rank / shape.x / shape.y;
    BlockHost* best = nullptr;
    uint32_t fewest = g.fits.blocks;
    for (BlockHost* sm : *home)
      if (const uint32_t blocks = taken(g, *sm); blocks < fewest) best = sm, fewest = blocks;
    const uint64_t linear = (z * grid.y + y) * grid.x + x;
    hold->blocks.push_back(ptx::create_cta(g.launch(), linear, &hold->cluster, best->id()));
    take(g, *best);
    best->assign(g, linear, hold, rank, start_time(g, *best, now));
  }
  g.next_block += g.cluster_blocks;
  return true;
}

// Whose blocks are next: those of grids that have some left, as the policy chooses.
void WorkDistributor::place(Cycle now) {
  choices_.clear();
  for (uint32_t i = 0; i < grids_.size(); ++i) {
    const Grid& g = *grids_[i];
    if (!g.placed()) choices_.push_back({i, g.priority, g.ticket, g.total - g.next_block, true});
  }
  while (!choices_.empty()) {
    const uint32_t chosen = grid_order_->next(choices_.data(), static_cast<uint32_t>(choices_.size()));
    if (chosen >= choices_.size()) return;
    policy::GridPlace& choice = choices_[chosen];
    Grid& g = *grids_[choice.index];
    choice.fits = g.cluster_blocks > 1 ? place_cluster(g, now) : place_wave(g, now);
    choice.left = g.total - g.next_block;
    if (choice.left == 0) choices_.erase(choices_.begin() + chosen);
  }
}

Cycle WorkDistributor::mean_end() const {
  return std::accumulate(freed_.begin(), freed_.end(), Cycle{0}) / freed_.size();
}

// Ends of blocks wait for each other at the distributor; a place is free, and a grid has ended, once it has
// taken them (H200: 65,536 blocks of a warp end at its rate, and their places stand empty meanwhile). They
// come in order of time, so that nothing depends on where windows begin and end.
void WorkDistributor::serve(Cycle end) {
  news_.clear();
  for (BlockHost* sm : sms_)
    std::erase_if(sm->news, [&](const BlockHost::BlockNews& b) {
      if (b.at < end) news_.push_back({b, sm->id()});
      return b.at < end;
    });
  // An SM whose place counts as free before its turn has come would be given a block too early.
  std::stable_sort(news_.begin(), news_.end(),
                   [](const News& a, const News& b) { return a.what.at < b.what.at; });
  for (const News& n : news_) {
    Grid& grid = n.grid();
    if (n.what.ends) take_end(n);
    if (!n.what.lets_dependents || ++grid.letting != grid.total) continue;
    grid.lets_dependents = n.what.ends ? grid.last_end : n.what.at + config_.gpc.block_end_latency;
  }
}

void WorkDistributor::take_end(const News& news) {
  Grid& grid = news.grid();
  --grid.held[news.sm];
  add(held_[news.sm], grid, -1);
  ++grid.finished;
  ends_free_ = std::max(ends_free_, static_cast<double>(news.what.at + config_.gpc.block_end_latency)) +
               config_.gpc.block_end_interval;
  freed_[news.sm] = grid.last_end = static_cast<Cycle>(ends_free_);
  place(grid.last_end);
}

}  // namespace gpuloom::arch
