// SPDX-License-Identifier: Apache-2.0
// Operations of a block that may come next, for the list scheduler. It asks at every step for the most urgent
// one of those that keep to a limit of registers; looking at each of them takes time that grows with the
// square of the block, so they stand in heaps by what they add to the registers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpuloom::ptx {

// A set of small numbers, with its least and its greatest.
class IndexSet {
 public:
  void restart(size_t count);
  void insert(uint32_t k);
  void erase(uint32_t k);
  uint32_t least() const;     // the set must not be empty
  uint32_t greatest() const;  // as above

 private:
  std::vector<std::vector<uint64_t>> levels_;  // [0]: a bit a number; above: a bit a word that is not zero
};

constexpr uint32_t kNoNode = UINT32_MAX;

class ReadyQueue {
 public:
  enum Kind : uint8_t { kQuiet, kAlu, kLoads, kMatrix };  // others; of the ALU; loads of either; tensor cores
  static constexpr unsigned kKinds = 4;

  // An empty queue for `rank.size()` operations: by operation its kind and its rank, 0 for the most urgent of
  // those that could issue now. No operation adds more than `most` registers.
  // `line`: the operations in the order that first() and last() mean, each once; that of their numbers where
  // there is none.
  void restart(const std::vector<uint32_t>& rank, const std::vector<Kind>& kind, uint32_t most,
               const std::vector<uint32_t>* line = nullptr);

  bool empty() const { return members_.empty(); }
  bool has(uint32_t node) const { return heap_of_[node] != kNoHeap; }
  void add(uint32_t node, uint32_t ready_at, int change);
  void remove(uint32_t node);
  void set_change(uint32_t node, int change);  // of a member
  // It is `now`, and never earlier again: what is ready by then goes by rank, the rest by when it is.
  void advance(uint32_t now);

  // The most urgent of those that add no more than room[kind] registers, at least 0; kNoNode where there is
  // none.
  uint32_t most_urgent(const int (&room)[kKinds]) const;
  // The same of those alone that are ready now, and of a kind whose bit `kinds` has.
  uint32_t ready_now(unsigned kinds, int room) const;
  // The most urgent of those that add the least. The queue must not be empty.
  uint32_t adds_least() const;
  // What those add that add the least above `room`, which is at least 0; INT_MAX where nothing does.
  int adds_next(int room) const;
  uint32_t first() const { return in_line(by_index_.least()); }
  uint32_t last() const { return in_line(by_index_.greatest()); }
  const std::vector<uint32_t>& members() const { return members_; }  // in no order
  uint32_t ready_at(uint32_t node) const { return ready_at_[node]; }
  int change(uint32_t node) const { return change_[node]; }
  uint32_t age(uint32_t node) const { return age_[node]; }  // greater for what was added later

 private:
  static constexpr uint32_t kNoHeap = UINT32_MAX;

  struct Entry {
    uint64_t key;  // when it is ready, if it waits, then its rank
    uint32_t node;
  };
  using Heap = std::vector<Entry>;
  // Heaps by what their members add (0 for nothing or less), and which of them hold anything.
  struct Side {
    std::vector<Heap> heaps;
    std::vector<uint64_t> used;
  };

  uint32_t in_line(uint32_t place) const { return line_ == nullptr ? place : (*line_)[place]; }
  uint32_t place_in_line(uint32_t node) const { return line_ == nullptr ? node : line_place_[node]; }
  Side& side(uint32_t node) { return sides_[kind_[node]][waits_[node]]; }
  void push(uint32_t node);
  void pull(uint32_t node);
  void rise(Heap& heap, size_t at);
  void sink(Heap& heap, size_t at);
  static Entry best_of(const Side& side, int room);

  const std::vector<uint32_t>* rank_ = nullptr;
  const Kind* kind_ = nullptr;
  Side sides_[kKinds][2];  // ready now, or later
  std::vector<uint8_t> waits_;
  std::vector<uint32_t> heap_of_, place_, ready_at_, age_, member_;
  std::vector<int> change_;
  std::vector<uint32_t> members_;
  const std::vector<uint32_t>* line_ = nullptr;
  std::vector<uint32_t> line_place_;
  IndexSet by_index_;
  uint32_t added_ = 0, now_ = 0;
};

}  // namespace gpuloom::ptx
