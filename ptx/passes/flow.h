// SPDX-License-Identifier: Apache-2.0
// Control flow and liveness of a Program, as the passes look at it while they change the code.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

// Basic blocks of all functions, in code order. Calls end a block and go on behind it.
struct Flow {
  std::vector<Block> blocks;
  std::vector<uint32_t> block_of;                 // by instruction
  std::vector<std::vector<uint32_t>> successors;  // by block
  std::vector<std::vector<uint32_t>> predecessors;
  std::vector<uint32_t> first_block;  // by function; one more at the end
};
Flow build_flow(const Program& program);

bool ends_block(const Instr& in);
bool leaves_function(const Instr& in);  // returns or exits

// A set of rows of one function. Few rows live at one place of a large function, so that only words with
// something in them are kept: what lives at all borders of blocks then takes memory as there are lives, not
// as the square of the code.
class RowSet {
 public:
  explicit RowSet(size_t = 0) {}
  bool has(uint32_t row) const {
    const auto at = find(row / 64);
    return at != words_.end() && at->number == row / 64 && (at->bits >> (row % 64) & 1u) != 0;
  }
  void add(uint32_t row) {
    auto at = words_.begin() + (find(row / 64) - words_.cbegin());
    if (at == words_.end() || at->number != row / 64) at = words_.insert(at, {row / 64, 0});
    at->bits |= uint64_t{1} << (row % 64);
  }
  void remove(uint32_t row) {
    const auto at = words_.begin() + (find(row / 64) - words_.cbegin());
    if (at == words_.end() || at->number != row / 64) return;
    at->bits &= ~(uint64_t{1} << (row % 64));
    if (at->bits == 0) words_.erase(at);
  }
  bool merge(const RowSet& other);  // true if this changed
  template <class Fn>
  void for_each(Fn fn) const {
    for (const Word& w : words_) {
      for (uint64_t rest = w.bits; rest != 0; rest &= rest - 1)
        fn(w.number * 64 + static_cast<uint32_t>(__builtin_ctzll(rest)));
    }
  }

 private:
  struct Word {
    uint32_t number;
    uint64_t bits;  // not all 0
  };
  std::vector<Word>::const_iterator find(uint32_t number) const {
    return std::lower_bound(words_.begin(), words_.end(), number,
                            [](const Word& w, uint32_t n) { return w.number < n; });
  }
  std::vector<Word> words_;  // in order
};

// Which rows are live at the borders of blocks. Rows are numbered densely, per function.
struct Liveness {
  struct FunctionRows {
    std::vector<uint32_t> number_of;  // by frame offset / 4; UINT32_MAX: no row begins there
    std::vector<uint32_t> offset;     // by number
    std::vector<uint8_t> bytes;       // a lane; 0: a predicate
  };
  std::vector<FunctionRows> rows;         // by function
  std::vector<uint32_t> function_of;      // by block
  std::vector<RowSet> live_in, live_out;  // by block
  uint32_t number(uint32_t function, Place place) const {
    return rows[function].number_of[static_cast<uint32_t>(place.at) / 4];
  }
};
Liveness find_liveness(const Program& program, const Flow& flow);

// Goes backward over one instruction: `live` behind it becomes `live` before it.
void step_back(const Program& program, const Liveness& liveness, uint32_t function, uint32_t instruction,
               RowSet& live);

}  // namespace gpuloom::ptx
