// SPDX-License-Identifier: Apache-2.0
// The asynchronous unit's neighbours in tests: they write down what they are asked and told.
#pragma once
#include <utility>
#include <vector>

#include "arch/sm/async_unit.h"

namespace gpuloom::arch {

struct CopyTrafficSeen final : CopyTraffic {
  std::vector<std::pair<uint64_t, Cycle>> asked, written, fetched;
  bool full = false;
  unsigned loads = 0;
  uint32_t begin_bulk_load(uint16_t, uint8_t, uint32_t) override { return loads++; }
  void end_bulk_load(uint32_t) override { --loads; }
  void request_bulk_line(uint32_t, uint64_t line, uint8_t, Cycle at) override {
    asked.emplace_back(line, at);
  }
  Cycle write_line(sim::RequestOp, uint64_t line, uint8_t, uint16_t, unsigned, Cycle at) override {
    written.emplace_back(line, at);
    return at + 4;
  }
  Cycle prefetch_line(uint64_t line, uint8_t, const L2Hint&, Cycle at) override {
    fetched.emplace_back(line, at);
    return at + 1;
  }
  Cycle next_write(Cycle now) const override { return now; }
  bool bulk_writes_full() const override { return full; }
  Cycle write_shared(unsigned passes, unsigned more, Cycle now) override { return now + passes + more; }
};

struct CopyBlocksTold final : CopyBlocks {
  unsigned barriers = 0;
  std::vector<unsigned> changed;
  void barriers_changed(unsigned, Cycle, Cycle) override { ++barriers; }
  void copies_changed(unsigned warp, Cycle) override { changed.push_back(warp); }
  uint64_t waited(unsigned, Cycle) override { return 0; }
};

}  // namespace gpuloom::arch
