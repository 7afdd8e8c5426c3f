// SPDX-License-Identifier: Apache-2.0
// What has been issued and is not done while control codes are made. For control.cpp and scoreboards.cpp.
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/machine/latency.h"

namespace gpuloom::ptx {

// Of each virtual register: cycles until a fixed-latency result is there, scoreboards of outstanding results.
// Of each word of the register file: scoreboards of outstanding reads.
class Outstanding {
 public:
  struct Value {
    uint16_t ready = 0;
    OpClass maker = OpClass::none;  // of the fixed-latency result
    uint8_t written_by = 0;         // a mask of scoreboards
  };
  using Reads = std::array<uint8_t, kReadPaths>;  // masks, by where the reader waits

  // What is outstanding at a block's border: little of all registers, so that only that is kept.
  struct Border {
    using List = std::vector<std::pair<uint32_t, uint8_t>>;  // masks, by place, in order
    List writes;                                             // by virtual register
    List reads;                                              // by word and path
    bool merge(const Border& other);                         // true if this changed
  };

  explicit Outstanding(size_t registers) : values_(registers) {}
  void enter(const Border& border);
  Border leave();

  const Value& value(uint32_t v) const { return values_[v]; }
  void define(uint32_t v, const Value& value);
  const Reads& reads(unsigned word) const { return reads_[word]; }
  void read(unsigned word, ReadPath path, uint8_t boards);
  void clear(uint8_t boards);  // they have been waited for

 private:
  std::vector<Value> values_;
  std::array<Reads, 2 * (kNoRegister + 1)> reads_{};  // a value beyond the file has words beyond it too
  std::vector<uint32_t> touched_;                     // the values that are not empty, at most
  // By scoreboard: values, and words with their paths, that may have it.
  std::array<std::vector<uint32_t>, kMostScoreboards> writes_of_, reads_of_;
};

// Adds the words of the register file that v has; none for a predicate or a uniform register.
void add_words(const Graph& graph, uint32_t v, std::vector<unsigned>& out);

// Where the operations of a block use or write what, to find the next place.
class Places {
 public:
  void add(uint32_t key, uint32_t at) { places_[key].push_back(at); }  // in order of `at`
  // The first place behind `at`; UINT32_MAX where there is none.
  uint32_t next(uint32_t key, uint32_t at) const;

 private:
  std::unordered_map<uint32_t, std::vector<uint32_t>> places_;
};

}  // namespace gpuloom::ptx
