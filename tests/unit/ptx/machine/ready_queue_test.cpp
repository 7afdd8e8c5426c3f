// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/ready_queue.h"

#include <algorithm>
#include <climits>
#include <random>
#include <set>

#include "tests/catch2.h"

namespace gpuloom::ptx {
namespace {

struct Member {
  uint32_t node, ready_at;
  int change;
};

// What the queue says, from a list that is looked through.
uint32_t most_urgent(const std::vector<Member>& list, const std::vector<uint32_t>& rank, uint32_t now,
                     int room) {
  const auto key = [&](const Member& m) {
    const uint32_t later = m.ready_at > now ? m.ready_at : 0;
    return std::pair(later, rank[m.node]);
  };
  const Member* best = nullptr;
  for (const Member& m : list) {
    if (m.change > room && m.change > 0) continue;
    if (best == nullptr || key(m) < key(*best)) best = &m;
  }
  return best == nullptr ? kNoNode : best->node;
}

TEST_CASE("What may come next is found as by looking through all of it") {
  std::mt19937 random(5);
  constexpr uint32_t kNodes = 200, kMost = 70;
  std::vector<uint32_t> rank(kNodes);
  for (uint32_t k = 0; k < kNodes; ++k) rank[k] = (k * 77 + 13) % kNodes;
  const std::vector<ReadyQueue::Kind> kind(kNodes, ReadyQueue::kQuiet);
  ReadyQueue queue;
  for (int turn = 0; turn < 3; ++turn) {  // the second time over what the first one left
    queue.restart(rank, kind, kMost);
    std::vector<Member> list;
    std::set<uint32_t> outside;
    for (uint32_t k = 0; k < kNodes; ++k) outside.insert(outside.end(), k);
    uint32_t now = 0;
    for (int step = 0; step < 2000; ++step) {
      const int change = static_cast<int>(random() % (kMost + 9)) - 8;
      if (random() % 2 == 0 && !outside.empty()) {
        const uint32_t node = *std::next(outside.begin(), static_cast<ptrdiff_t>(random() % outside.size()));
        outside.erase(node);
        list.push_back({node, now + static_cast<uint32_t>(random() % 9), change});
        queue.add(node, list.back().ready_at, change);
      } else if (!list.empty() && random() % 3 != 0) {
        Member& m = list[random() % list.size()];
        m.change = change;
        queue.set_change(m.node, change);
      } else if (!list.empty()) {
        const size_t at = random() % list.size();
        outside.insert(list[at].node);
        queue.remove(list[at].node);
        list.erase(list.begin() + static_cast<ptrdiff_t>(at));
      }
      if (random() % 4 == 0) queue.advance(++now);
      for (const int room : {0, 3, 20, INT_MAX})
        REQUIRE(queue.most_urgent({room, room, room}) == most_urgent(list, rank, now, room));
      REQUIRE(queue.empty() == list.empty());
      if (list.empty()) continue;
      uint32_t first = UINT32_MAX, last = 0;
      for (const Member& m : list) first = std::min(first, m.node), last = std::max(last, m.node);
      REQUIRE(queue.first() == first);
      REQUIRE(queue.last() == last);
    }
  }
}

TEST_CASE("Where nothing fits, what adds least is next, and how much that is is known") {
  const std::vector<uint32_t> rank = {0, 1, 2, 3};
  const std::vector<ReadyQueue::Kind> kind(4, ReadyQueue::kLoads);
  ReadyQueue queue;
  queue.restart(rank, kind, 100);
  queue.add(0, 0, 90);
  queue.add(1, 0, 66);
  queue.add(2, 0, 66);
  CHECK(queue.adds_next(0) == 66);
  CHECK(queue.adds_next(66) == 90);
  CHECK(queue.adds_next(90) == INT_MAX);
  CHECK(queue.adds_least() == 1);
}

TEST_CASE("First and last are meant of the line that is given, or of the operations' numbers") {
  const std::vector<uint32_t> rank = {0, 1, 2, 3}, line = {2, 0, 3, 1};
  const std::vector<ReadyQueue::Kind> kind(4, ReadyQueue::kQuiet);
  ReadyQueue queue;
  queue.restart(rank, kind, 4, &line);
  for (const uint32_t k : {0u, 1u, 3u}) queue.add(k, 0, 0);
  CHECK(queue.first() == 0);
  CHECK(queue.last() == 1);
  queue.remove(1);
  CHECK(queue.last() == 3);
  queue.restart(rank, kind, 4);
  for (const uint32_t k : {0u, 1u, 3u}) queue.add(k, 0, 0);
  CHECK(queue.last() == 3);
}

}  // namespace
}  // namespace gpuloom::ptx
