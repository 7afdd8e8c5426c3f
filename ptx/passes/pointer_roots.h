// SPDX-License-Identifier: Apache-2.0
// Which arrays an entry's accesses reach, by what their addresses are made of.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

// A set of arrays: a bit for each parameter or variable that an address may come from. Pointers that come
// from memory, or from a caller, are kUnknown: they may lead anywhere.
using Roots = uint64_t;
constexpr Roots kUnknownRoot = Roots{1} << 63;

class PointerRoots {
 public:
  // Calls `access` for each instruction of the entry that has an address, with the roots of that.
  using AccessFn = std::function<void(uint32_t instruction, Roots roots)>;
  PointerRoots(const Program& program, const Flow& flow, const Liveness& liveness);
  void for_each_access(const AccessFn& access);

 private:
  using State = std::vector<Roots>;  // by row number
  void find();
  void step(uint32_t i, State& state);
  Roots address(uint32_t i, const State& state);
  Roots made_of(uint32_t i, const State& state);
  Roots root(uint64_t key);
  uint64_t constant(Place place) const;

  const Program& p_;
  const Flow& flow_;
  const Liveness& liveness_;
  std::map<uint64_t, Roots> known_;  // by the offset of a parameter, or a variable's address
  std::vector<State> in_;            // by block
};

}  // namespace gpuloom::ptx
