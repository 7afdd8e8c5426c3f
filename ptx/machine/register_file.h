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

struct Life {
  std::vector<Range> at;  // disjoint, in order
  // Functions that run meanwhile: what they work on lies elsewhere. Values that live across different calls
  // of one function do not meet there, so that they may share a register.
  std::vector<Range> during = {};
};

class File {
 public:
  using Lives = std::vector<const Life*>;  // by register of a run

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
  void release(const Lives& lives, unsigned first);  // of values that live across no call
  // What a memory operation reads at range.from it may read as late as range.to.
  void note_unread(unsigned r, Range range);
  unsigned used() const { return used_; }

 private:
  using Mask = std::bitset<kFile>;  // of registers

  // Which registers have something at which positions. What covers a whole stretch of them is noted for it.
  class Presence {
   public:
    void clear();
    void note(unsigned r, Range range);
    void forget(unsigned r, Range range);  // one that has been noted; no other one of r overlaps it
    Mask at(uint32_t position) const;
    void add_over(Range range, Mask& found) const;  // to `found`, those that have at any position

   private:
    static constexpr uint32_t kStretch = 64;
    struct Stretch {
      Mask all, some;  // at all of its positions; at any
    };
    template <class Part, class Whole>
    static void in_stretches(Range range, Part part, Whole whole);
    std::vector<Mask> at_;  // where not by stretch
    std::vector<Stretch> stretches_;
  };

  // What is asked of all registers where a value's life begins.
  struct Begin {
    Mask taken, unread;
  };
  Mask taken_over(const Life& life) const;
  Mask taken(const Lives& lives) const;
  uint32_t busy_until(unsigned r, uint32_t at) const;
  uint32_t unread_until(unsigned r, uint32_t at) const;
  uint64_t cost(const Lives& lives, unsigned first, const Begin& begin) const;
  static const Mask& beginnings(unsigned step);
  static Mask standing_alone(unsigned words, const Begin& begin);

  std::vector<std::vector<Range>> busy_;    // by register: disjoint, in order
  Presence busy_at_, unread_at_;            // the same, and of unread_
  Presence across_at_;                      // what lives across calls, while the called functions run
  Mask blocked_;                            // for all time
  std::vector<std::vector<Range>> unread_;  // by register: those that end later than all that begin before
  unsigned reserved_;
  unsigned used_ = 0;
};

}  // namespace gpuloom::ptx
