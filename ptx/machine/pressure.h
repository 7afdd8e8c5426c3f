// SPDX-License-Identifier: Apache-2.0
// How many registers and predicates live while a block is put in order.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

// 32-bit registers of the vector file, and predicates of its lanes.
struct Need {
  int registers = 0, predicates = 0;
};

class Pressure {
 public:
  Pressure(const Graph& graph, const std::vector<Node>& nodes, const RowSet& live_in, const RowSet& live_out);

  // Back to the block's begin.
  void restart();
  // 32-bit registers of the vector file that live now.
  uint32_t now() const { return static_cast<uint32_t>(now_.registers); }
  uint32_t predicates() const { return static_cast<uint32_t>(now_.predicates); }
  // What issuing `node` (by index) would add; negative where it frees more.
  Need change(uint32_t node) const;
  void issue(uint32_t node);

  // The same from the block's end upwards: operations are placed in front of those that have been placed.
  void restart_at_end();
  Need change_above(uint32_t node) const;
  void place_above(uint32_t node);

  // Calls fn with each operation whose change() or change_above() the last issue() or place_above() may have
  // altered, once or more.
  template <class Fn>
  void for_altered(Fn fn) const {
    for (const uint32_t v : altered_) {
      for (uint32_t k = touch_begin_[v]; k < touch_begin_[v + 1]; ++k) fn(touching_[k]);
    }
  }
  // Calls fn(value, words, lives_on) with each value that `node` reads, by dense number.
  template <class Fn>
  void for_used(uint32_t node, Fn fn) const {
    for (const uint32_t v : operands_[node].uses) fn(v, values_[v].need.registers, values_[v].live_out);
  }
  // Registers of what it defines and somebody reads.
  int defined(uint32_t node) const {
    int sum = 0;
    for (const uint32_t v : operands_[node].defs) {
      if (values_[v].uses != 0 || values_[v].live_out) sum += values_[v].need.registers;
    }
    return sum;
  }
  size_t values() const { return values_.size(); }
  // No operation's change of registers is more than this.
  uint32_t most_change() const { return most_change_; }
  // Whether `node` reads or writes a predicate.
  bool touches_predicates(uint32_t node) const { return touches_predicates_[node] != 0; }

 private:
  struct Value {
    Need need;
    uint32_t uses;  // in the block
    uint32_t defs;
    bool live_in, live_out;
  };
  // Of one node, values by dense number; each once.
  struct Operands {
    std::vector<uint32_t> uses, defs;
  };
  static void add(Need& sum, const Need& more, int times) {
    sum.registers += times * more.registers;
    sum.predicates += times * more.predicates;
  }
  void find_touching();
  void stand_at(bool Value::*live, uint32_t Value::*left);

  std::vector<Value> values_;
  std::vector<Operands> operands_;
  std::vector<uint32_t> left_;  // uses that have not issued; upwards: definitions that have not been placed
  std::vector<uint8_t> live_;
  std::vector<uint32_t> altered_;                 // values
  std::vector<uint32_t> touch_begin_, touching_;  // by value: operations that use or define it
  std::vector<uint8_t> touches_predicates_;       // by operation
  uint32_t most_change_ = 0;
  Need through_;  // live in and out, not touched
  Need now_;
};

}  // namespace gpuloom::ptx
