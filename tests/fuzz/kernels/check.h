// SPDX-License-Identifier: Apache-2.0
// Runs a kernel in every way that gpuloom has, and compares the memory that each leaves.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/runtime/device.h"
#include "tests/fuzz/kernels/kernel.h"

namespace gpuloom::fuzz {

// One way of running a kernel.
struct Way {
  std::string name;
  sim::Mode mode = sim::Mode::kFunctional;
  unsigned threads = 1;  // of the host
  sim::ModuleOptions how;
  bool contract() const { return !how.passes || how.passes->runs("contract"); }
};

// Contraction changes bits, so the ways with it are compared with each other, and so are those without.
// `turn` says which of the timed ways that take turns are there; all of them with every_way.
std::vector<Way> ways(uint64_t turn, bool every_way);

enum class Outcome : uint8_t { kSame, kDiffers, kRefused, kFailed };

struct Verdict {
  Outcome outcome = Outcome::kSame;
  std::string way;      // the first that is not as the others
  std::string message;  // of the error, or where memory differs
  // What makes two failures the same one, for shrinking.
  bool same_as(const Verdict& other) const { return outcome == other.outcome && way == other.way; }
};

class Checker {
 public:
  Checker();
  ~Checker();
  // Runs the kernel in each of the ways, the first with contraction and the first without being the measure
  // of the others.
  Verdict check(const RandomKernel& kernel, const std::vector<Way>& ways);
  // The output buffer after the kernel, run without time; throws Error.
  std::vector<uint8_t> run(const RandomKernel& kernel, const Way& way);

 private:
  struct Machine;  // a device and its buffers
  Machine& machine(const Way& way);
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<uint8_t> fresh_;
  uint64_t launches_ = 0;
};

}  // namespace gpuloom::fuzz
