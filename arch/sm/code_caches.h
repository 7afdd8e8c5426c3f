// SPDX-License-Identifier: Apache-2.0
// The SM's caches of code and constants, which stand behind the small ones of sub-cores and units.
#pragma once
#include <array>
#include <vector>

#include "arch/sm/config.h"
#include "arch/sm/grid_context.h"
#include "arch/sm/tag_array.h"

namespace gpuloom::arch {

// What neither the SM nor the launch has brought waits for L2, or for memory where L2 was `flushed`: all SMs
// ask for it at about the same time, so that the first cannot help the others.
inline Cycle miss_latency(const FetchConfig& config, bool flushed) {
  return Cycle{config.l2_latency} + (flushed ? config.memory_latency : 0);
}

// What an SM finds of the code beyond its own cache. Where its GPC has a cache of code, the SM's share of
// that one's port is what the SMs with blocks of the grid leave it: they run the same code at about the same
// time, and nobody's line helps another. What a launch brings along is there some time after its first block.
class CodeBeyond {
 public:
  explicit CodeBeyond(const FetchConfig& config) : config_(config), miss_(miss_latency(config, false)) {
    if (there()) tags_.configure(config.gpc.cache);
  }
  void invalidate(bool flushed) {
    if (there()) tags_.invalidate();
    miss_ = miss_latency(config_, flushed);
  }
  // When a line that the SM's cache lacks comes there.
  Cycle fetch(ResidentGrid& grid, uint64_t line, Cycle now);
  // When the next line can be asked for.
  Cycle free() const { return static_cast<Cycle>(free_); }

 private:
  bool there() const { return config_.gpc.cache.size != 0; }
  Cycle from_launch(ResidentGrid& grid, uint64_t line, uint32_t bytes, Cycle otherwise) const;
  const FetchConfig& config_;
  TagArray tags_;
  Cycle miss_;
  double free_ = 0;
};

// An SM's lines of code. A request brings along the next line that is not here, if it is near enough, when
// no warp needs the way to it. So the requests of sub-cores that are not in step bring more lines ahead than
// those of one alone.
class InstructionL1 {
 public:
  explicit InstructionL1(const FetchConfig& config) : config_(config), beyond_(config) {
    tags_.configure(config.l1);
  }
  void invalidate(bool flushed) {
    tags_.invalidate();
    beyond_.invalidate(flushed);
    asked_.fill({});
    ahead_.clear();
  }
  // When a line of the grid's code is in the L0 that asks for it. kNever: it is asked for ahead, is not here,
  // and has to be asked for again.
  Cycle fetch(ResidentGrid& grid, uint64_t line, Cycle now, bool ahead);

 private:
  struct Asked {
    uint64_t line = UINT64_MAX;
    Cycle answered = 0;
  };
  struct Ahead {
    ResidentGrid* grid;
    uint64_t line, base;
    Cycle from;
  };
  void bring_ahead(Cycle now);
  void bring_next(ResidentGrid& grid, uint64_t line, Cycle now, Cycle answered);
  bool put_ahead(ResidentGrid& grid, uint64_t line, Cycle now);
  const FetchConfig& config_;
  TagArray tags_;
  CodeBeyond beyond_;
  Cycle free_ = 0;
  std::array<Asked, 16> asked_{};  // by line: requests whose answers may be on their way
  std::vector<Ahead> ahead_;       // lines that no warp needs yet, the oldest first
};

// A sub-core's lines of code. A miss is asked for at the next turn of the port to the SM's cache, which takes
// a line each l0_fill_interval; the lines behind it follow at the turns that no warp needs (HUERTA: one
// stream buffer, whose stream begins anew at each miss). So what has not been asked for never holds up a
// warp.
class InstructionL0 {
 public:
  InstructionL0(const FetchConfig& config, InstructionL1& l1, std::vector<ResidentGrid>& grids)
      : config_(config), l1_(l1), grids_(grids) {
    tags_.configure(config.l0);
  }
  void invalidate() {
    tags_.invalidate();
    stream_ = {};
  }
  struct Needed {
    Cycle ready;
    bool missed;
  };
  // When a warp of the grid can have the line, of code that ends with the line `last`.
  Needed need(unsigned grid, uint64_t line, uint64_t last, Cycle now);

 private:
  // Lines from `next` to `end` that have not been asked for, since `from`.
  struct Stream {
    uint64_t next = 0, end = 0, base = 0;
    unsigned grid = 0;
    Cycle from = 0;
    bool empty() const { return next == end; }
  };
  uint64_t base_of(unsigned grid) const { return grids_[grid].grid->line_base; }
  Cycle ask(unsigned grid, uint64_t line, Cycle now, bool ahead);
  void ask_ahead(Cycle now);

  const FetchConfig& config_;
  InstructionL1& l1_;
  std::vector<ResidentGrid>& grids_;
  TagArray tags_;
  Stream stream_;
  Cycle port_free_ = 0;
};

// Lines of the constant bank. A launch brings parameters along, other constants come from L2 or memory at
// first.
class ConstantL1 {
 public:
  explicit ConstantL1(const SmConfig& config) : config_(config), miss_(miss_latency(config.fetch, false)) {
    tags_.configure(config.constant.l1);
  }
  void invalidate(bool flushed) {
    tags_.invalidate();
    miss_ = miss_latency(config_.fetch, flushed);
  }
  // When a line is in the small cache of indexed loads, and in that of a sub-core, which takes its turn.
  Cycle line(uint64_t address, uint64_t line_base, bool parameter, Cycle now);
  Cycle fill(uint64_t address, uint64_t line_base, bool parameter, Cycle now);

 private:
  Cycle find(uint64_t address, uint64_t line_base, bool parameter, Cycle now);
  const SmConfig& config_;
  TagArray tags_;
  Cycle miss_, fill_free_ = 0;
};

}  // namespace gpuloom::arch
