// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/ready_queue.h"

#include <algorithm>
#include <climits>
#include <utility>

namespace gpuloom::ptx {

void IndexSet::restart(size_t count) {
  size_t level = 0;
  do {
    count = (count + 63) / 64;
    if (level == levels_.size()) levels_.emplace_back();
    levels_[level++].assign(count, 0);
  } while (count > 1);
  levels_.resize(level);
}

void IndexSet::insert(uint32_t k) {
  for (std::vector<uint64_t>& level : levels_) {
    level[k / 64] |= uint64_t{1} << (k % 64);
    k /= 64;
  }
}

void IndexSet::erase(uint32_t k) {
  for (std::vector<uint64_t>& level : levels_) {
    level[k / 64] &= ~(uint64_t{1} << (k % 64));
    if (level[k / 64] != 0) return;
    k /= 64;
  }
}

uint32_t IndexSet::least() const {
  uint32_t k = 0;
  for (size_t level = levels_.size(); level-- > 0;)
    k = k * 64 + static_cast<uint32_t>(__builtin_ctzll(levels_[level][k]));
  return k;
}

uint32_t IndexSet::greatest() const {
  uint32_t k = 0;
  for (size_t level = levels_.size(); level-- > 0;)
    k = k * 64 + 63 - static_cast<uint32_t>(__builtin_clzll(levels_[level][k]));
  return k;
}

void ReadyQueue::restart(const std::vector<uint32_t>& rank, const std::vector<Kind>& kind, uint32_t most,
                         const std::vector<uint32_t>* line) {
  const size_t count = rank.size();
  while (!members_.empty()) remove(members_.back());
  rank_ = &rank;
  kind_ = kind.data();
  for (auto& of_kind : sides_) {
    for (Side& side : of_kind) {
      if (side.heaps.size() <= most) side.heaps.resize(most + 1);
      side.used.assign(most / 64 + 1, 0);
    }
  }
  waits_.assign(count, 0);
  heap_of_.assign(count, kNoHeap);
  place_.assign(count, 0);
  ready_at_.assign(count, 0);
  age_.assign(count, 0);
  member_.assign(count, 0);
  change_.assign(count, 0);
  by_index_.restart(count);
  line_ = line;
  if (line != nullptr) {
    line_place_.resize(count);
    for (uint32_t k = 0; k < count; ++k) line_place_[(*line)[k]] = k;
  }
  added_ = now_ = 0;
}

void ReadyQueue::rise(Heap& heap, size_t at) {
  const Entry mine = heap[at];
  for (; at > 0 && heap[(at - 1) / 2].key > mine.key; at = (at - 1) / 2) {
    heap[at] = heap[(at - 1) / 2];
    place_[heap[at].node] = static_cast<uint32_t>(at);
  }
  heap[at] = mine;
  place_[mine.node] = static_cast<uint32_t>(at);
}

void ReadyQueue::sink(Heap& heap, size_t at) {
  const Entry mine = heap[at];
  for (;;) {
    size_t below = 2 * at + 1;
    if (below >= heap.size()) break;
    if (below + 1 < heap.size() && heap[below + 1].key < heap[below].key) ++below;
    if (heap[below].key >= mine.key) break;
    heap[at] = heap[below];
    place_[heap[at].node] = static_cast<uint32_t>(at);
    at = below;
  }
  heap[at] = mine;
  place_[mine.node] = static_cast<uint32_t>(at);
}

void ReadyQueue::push(uint32_t node) {
  const auto adds = static_cast<uint32_t>(std::max(0, change_[node]));
  Side& in = side(node);
  Heap& heap = in.heaps[adds];
  heap_of_[node] = adds;
  const uint64_t at = waits_[node] != 0 ? ready_at_[node] : 0;
  heap.push_back({at << 32 | (*rank_)[node], node});
  in.used[adds / 64] |= uint64_t{1} << (adds % 64);
  rise(heap, heap.size() - 1);
}

void ReadyQueue::pull(uint32_t node) {
  const uint32_t adds = heap_of_[node];
  Side& in = side(node);
  Heap& heap = in.heaps[adds];
  const size_t at = place_[node];
  heap_of_[node] = kNoHeap;
  const Entry moved = heap.back();
  heap.pop_back();
  if (heap.empty()) in.used[adds / 64] &= ~(uint64_t{1} << (adds % 64));
  if (moved.node == node) return;
  heap[at] = moved;
  rise(heap, at);
  sink(heap, place_[moved.node]);
}

void ReadyQueue::add(uint32_t node, uint32_t ready_at, int change) {
  ready_at_[node] = ready_at;
  change_[node] = change;
  waits_[node] = ready_at > now_ ? 1 : 0;
  age_[node] = added_++;
  member_[node] = static_cast<uint32_t>(members_.size());
  members_.push_back(node);
  by_index_.insert(place_in_line(node));
  push(node);
}

void ReadyQueue::remove(uint32_t node) {
  pull(node);
  by_index_.erase(place_in_line(node));
  members_[member_[node]] = members_.back();
  member_[members_.back()] = member_[node];
  members_.pop_back();
}

void ReadyQueue::set_change(uint32_t node, int change) {
  const bool moves = std::max(0, change) != std::max(0, change_[node]);
  if (moves) pull(node);
  change_[node] = change;
  if (moves) push(node);
}

void ReadyQueue::advance(uint32_t now) {
  now_ = now;
  for (auto& of_kind : sides_) {
    Side& later = of_kind[1];
    for (size_t w = 0; w < later.used.size(); ++w) {
      for (uint64_t rest = later.used[w]; rest != 0; rest &= rest - 1) {
        const Heap& heap = later.heaps[w * 64 + static_cast<size_t>(__builtin_ctzll(rest))];
        while (!heap.empty() && ready_at_[heap[0].node] <= now) {
          const uint32_t node = heap[0].node;
          pull(node);
          waits_[node] = 0;
          push(node);
        }
      }
    }
  }
}

ReadyQueue::Entry ReadyQueue::best_of(const Side& side, int room) {
  Entry best{UINT64_MAX, kNoNode};
  const auto most = static_cast<size_t>(room);
  for (size_t w = 0; w < side.used.size() && w * 64 <= most; ++w) {
    for (uint64_t rest = side.used[w]; rest != 0; rest &= rest - 1) {
      const size_t adds = w * 64 + static_cast<size_t>(__builtin_ctzll(rest));
      if (adds > most) return best;
      if (side.heaps[adds][0].key < best.key) best = side.heaps[adds][0];
    }
  }
  return best;
}

uint32_t ReadyQueue::most_urgent(const int (&room)[kKinds]) const {
  for (const unsigned waits : {0u, 1u}) {
    Entry best{UINT64_MAX, kNoNode};
    for (unsigned kind = 0; kind < kKinds; ++kind) {
      const Entry next = best_of(sides_[kind][waits], room[kind]);
      if (next.key < best.key) best = next;
    }
    if (best.node != kNoNode) return best.node;
  }
  return kNoNode;
}

uint32_t ReadyQueue::ready_now(unsigned kinds, int room) const {
  Entry best{UINT64_MAX, kNoNode};
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    if ((kinds >> kind & 1u) == 0) continue;
    const Entry next = best_of(sides_[kind][0], room);
    if (next.key < best.key) best = next;
  }
  return best.node;
}

uint32_t ReadyQueue::adds_least() const {
  int least = 0;
  if (most_urgent({0, 0, 0, 0}) == kNoNode) least = adds_next(0);
  return most_urgent({least, least, least, least});
}

int ReadyQueue::adds_next(int room) const {
  const auto first = static_cast<size_t>(room) + 1;
  int next = INT_MAX;
  for (const auto& of_kind : sides_) {
    for (const Side& side : of_kind) {
      for (size_t w = first / 64; w < side.used.size(); ++w) {
        const uint64_t from = w == first / 64 ? ~uint64_t{0} << (first % 64) : ~uint64_t{0};
        if ((side.used[w] & from) == 0) continue;
        next = std::min(next, static_cast<int>(w * 64) + __builtin_ctzll(side.used[w] & from));
        break;
      }
    }
  }
  return next;
}

}  // namespace gpuloom::ptx
