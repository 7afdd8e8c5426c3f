// SPDX-License-Identifier: Apache-2.0
// Which lanes of an atomic go to L2 where a warp combines its own first (ideal.combined_atomics).
#pragma once
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace gpuloom::arch {

// Lanes that go on.
struct CombinedLanes {
  uint32_t together = 0;  // as the lanes of one atomic
  uint32_t apart = 0;     // each as an atomic of its own
};

// Where nobody reads a result, a word is sent once in the warp's life: what comes later can be added to it
// before. One that several lanes add to needs a sum over the warp, which leaves one number for one lane: such
// words go apart. Where results are read, one lane of each word goes, in every instruction.
class CombinedAtomics {
 public:
  explicit CombinedAtomics(unsigned warps) : sent_(warps) {}
  // Another warp has the number.
  void launch(unsigned warp) { sent_[warp].clear(); }
  // `operation`: TimeRecord::combines.
  CombinedLanes without_result(unsigned warp, const uint64_t* address, uint32_t lanes, uint8_t operation);
  static CombinedLanes with_result(const uint64_t* address, uint32_t lanes);

 private:
  std::vector<std::unordered_set<uint64_t>> sent_;  // by warp: words, each with its operation
};

}  // namespace gpuloom::arch
