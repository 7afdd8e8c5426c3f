// SPDX-License-Identifier: Apache-2.0
// Which registers of a file are taken when, while values get theirs.
#pragma once
#include <bitset>
#include <cstdint>
#include <vector>

namespace gpuloom::ptx {

constexpr unsigned kFile = 256;

// Where a value lives: [from, to) in positions of the final order, two for each operation (operands are read
// at the even one, results written at the odd one).
struct Range {
  uint32_t from, to;
};

class File {
 public:
  using Lives = std::vector<const std::vector<Range>*>;  // by register of a run

  explicit File(unsigned reserved) : busy_(kFile), unread_(kFile), reserved_(reserved) {}
  void clear();
  // Keeps a register for something else for all time.
  void block(unsigned r);
  // The first aligned run of registers in which each is free over its own ranges; kFile where none is. From
  // `begin` on, every `step`-th register.
  unsigned find(const Lives& lives, unsigned begin, unsigned step) const;
  // The run below `limit`, aligned to its length, that suits the values best (see cost()); kFile where none
  // is free. With `late` it may be written before earlier memory operations have read it. `odd` says how many
  // more of what is read beside the values lie in even registers than in odd ones.
  unsigned find_best(const Lives& lives, unsigned limit, bool late, int odd) const;
  void take(const Lives& lives, unsigned first);
  void release(const Lives& lives, unsigned first);
  // What a memory operation reads at range.from it may read as late as range.to.
  void note_unread(unsigned r, Range range) { unread_[r].push_back(range); }
  unsigned used() const { return used_; }

 private:
  using Mask = std::bitset<kFile>;  // of registers

  Mask taken_over(const std::vector<Range>& ranges) const;
  Mask taken(const Lives& lives) const;
  uint32_t busy_until(unsigned r, uint32_t at) const;
  uint64_t cost(const Lives& lives, unsigned first, bool late) const;

  std::vector<std::vector<Range>> busy_;    // by register: disjoint, in order
  std::vector<Mask> busy_at_;               // the same by position, as far as it goes: asked most
  Mask blocked_;                            // for all time
  std::vector<std::vector<Range>> unread_;  // by register
  unsigned reserved_;
  unsigned used_ = 0;
};

}  // namespace gpuloom::ptx
