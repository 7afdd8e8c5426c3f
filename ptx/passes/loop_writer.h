// SPDX-License-Identifier: Apache-2.0
// Writes what an unrolled loop needs beside copies of its body: tests, distances, branches. For the unroller
// alone.
#pragma once
#include <string_view>
#include <vector>

#include "ptx/passes/unroll_find.h"

namespace gpuloom::ptx {

// Code in the making.
struct Code {
  std::vector<Instr> instrs;
  std::vector<OperandRef> refs;
  std::vector<uint32_t> begin;
  void add(const Instr& in, const std::vector<OperandRef>& list) {
    begin.push_back(static_cast<uint32_t>(refs.size()));
    instrs.push_back(in);
    refs.insert(refs.end(), list.begin(), list.end());
  }
  uint32_t next() const { return static_cast<uint32_t>(instrs.size()); }
};

class LoopWriter {
 public:
  LoopWriter(Draft& d, const Loop& loop, Code& out) : d_(d), p_(d.program), loop_(loop), out_(out) {}

  // A row of the loop's function, of so many bytes a lane (0: a predicate), and one that holds a number of
  // the counter's type.
  Place row(unsigned bytes_a_lane);
  Place number(int64_t value);
  // What three steps before the bound `ne` means.
  Relation direction() const;
  Type signed_type() const;

  // p = a relation b, or with `also`: (a relation b) combined with it.
  void compare(Place p, Relation relation, Type type, Place a, Place b, std::string_view combine = {},
               Place also = {});
  void set(Place p, bool value);
  void subtract(Place d, Place a, Place b, bool saturate);
  // Gives the instruction's index, for targets that are not known yet.
  uint32_t branch(Place condition, bool negated, uint32_t target);
  // p = `more` further iterations follow this one for certain.
  void test_far(Place p, int64_t more);

 private:
  Draft& d_;
  Program& p_;
  const Loop& loop_;
  Code& out_;
};

}  // namespace gpuloom::ptx
