// SPDX-License-Identifier: Apache-2.0
// What the checks have found: one entry for each pair of instructions, with how often.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

enum class FindingKind : uint8_t {
  kUninitialised,  // a read of what nobody has written
  kRace,           // two accesses of different threads that nothing orders, one of them a write
  kConflict,       // lanes of one store write different values to one place
};
const char* name(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::kUninitialised;
  std::string kernel, file;
  Position position;         // of the later access, in the PTX
  std::string source;        // "kernel.cu:7", "" without .loc
  std::string message;       // of the first time: threads, address, symbol, the other access's place
  std::string calls;         // of the later access, a line each
  uint64_t count = 0;        // accesses of one lane
  std::string text() const;  // all of it, in one or two lines
};

class Findings {
 public:
  static constexpr uint32_t kNoOther = UINT32_MAX;
  // Counts the finding; true where it is new, and `message` has to follow.
  bool count(FindingKind kind, const Program& program, uint32_t pc, uint32_t other);
  void message(const Warp& w, uint32_t pc, std::string text);
  const std::vector<Finding>& all() const { return all_; }
  void forget_program() { known_.clear(); }

 private:
  std::vector<Finding> all_;
  std::map<std::tuple<FindingKind, uint32_t, uint32_t>, size_t> known_;  // of the program that runs
  size_t newest_ = 0;
};

}  // namespace gpuloom::ptx
