// SPDX-License-Identifier: Apache-2.0
// Who waits for what: as a record, and in words for the message of a deadlock.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace gpuloom::ptx {

struct Cta;
struct Warp;

// The mbarrier that a warp, or one of its convergence sets, is suspended at.
struct AwaitedMbarrier {
  uint64_t address = 0;  // within the block's shared memory
  uint64_t word = 0;     // mbarrier.h: MbarrierWord
  uint32_t pc = 0;       // of the wait
};
std::optional<AwaitedMbarrier> awaited_mbarrier(const Warp& w);
// What a warp waits for, in words that follow its name.
std::string describe_wait(const Warp& w);
// The same of each warp of a block that has not exited; the first eight of them.
std::string describe_waits(const Cta& cta);

}  // namespace gpuloom::ptx
