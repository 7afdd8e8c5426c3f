// SPDX-License-Identifier: Apache-2.0
// A slice of L2 beside memories that take 500 cycles.
#include "arch/l2/l2_slice.h"

#include "tests/catch2.h"
#include "tests/unit/arch/memory_neighbours.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

// A slice of L2 between who asks and a memory that takes 500 cycles.
struct OneSlice {
  GpuConfig gpu = tiny();
  sim::Context context;
  L2Slice slice{"slice", gpu};
  SlowMemory memory{"memory"};
  Source source{"source", gpu.clock_hz};
  OneSlice() {
    source.out.socket.bind(slice.socket);
    slice.memory.socket.bind(memory.socket);
  }
};

// A slice of each side of L2, with their memories.
struct TwoSides {
  GpuConfig gpu = tiny();
  sim::Context context;
  L2Slice near{"near", gpu}, home{"home", gpu};
  SlowMemory memory{"memory"}, other{"other"};
  Source a_source{"a_source", gpu.clock_hz}, b_source{"b_source", gpu.clock_hz};
  TwoSides() {
    a_source.out.socket.bind(near.socket);
    b_source.out.socket.bind(home.socket);
    near.memory.socket.bind(other.socket);
    home.memory.socket.bind(memory.socket);
    near.set_peer(&home);
    home.set_peer(&near);
  }
};

}  // namespace

TEST_CASE("L2 fetches missing sectors once and then hits after its latency", "[arch]") {
  OneSlice one;
  const GpuConfig& gpu = one.gpu;
  L2Slice& slice = one.slice;
  SlowMemory& memory = one.memory;
  once([&] {
    sim::MemoryRequest a = read(0x1000, 0b0011, 100), b = read(0x1000, 0b0111, 2000),
                       c = read(0x1000, 0b1111, 4000);
    slice.access(a);
    REQUIRE(a.time == 100 + gpu.l2.hit_latency + 500);
    slice.access(b);
    REQUIRE(memory.seen.size() == 2);
    REQUIRE(memory.seen[1].sectors == 0b1100);  // with its neighbour
    slice.access(c);
    REQUIRE(c.time == 4000 + gpu.l2.hit_latency);
    REQUIRE(memory.seen.size() == 2);
    REQUIRE(slice.stats.hit.value() == 2 + 4);
    REQUIRE(slice.stats.miss.value() == 2 + 2);
  });
}

TEST_CASE("A read for the other partition leaves a copy on this side", "[arch]") {
  TwoSides sides;
  const GpuConfig& gpu = sides.gpu;
  L2Slice &near = sides.near, &home = sides.home;
  SlowMemory &memory = sides.memory, &other = sides.other;
  once([&] {
    sim::MemoryRequest a = read(0x1000, 0b1111, 100), b = read(0x1000, 0b1111, 5000);
    a.home = b.home = false;
    near.access(a);
    REQUIRE(memory.seen.size() == 1);
    REQUIRE(other.seen.empty());
    REQUIRE(home.stats.fabric.value() == 4);
    near.access(b);
    REQUIRE(b.time == 5000 + gpu.l2.hit_latency);
    REQUIRE(near.stats.tex_hit.value() == 4);
    REQUIRE(near.stats.tex_miss.value() == 4);
    REQUIRE(home.stats.tex.value() == 0);
  });
}

// As on an H200: bench/silicon/probes/sides, kept.

TEST_CASE("What is written where it belongs is lost on the other side, what crosses to it stays on both",
          "[arch]") {
  TwoSides sides;
  const GpuConfig& gpu = sides.gpu;
  L2Slice &near = sides.near, &home = sides.home;
  once([&] {
    const auto ask = [&](L2Slice& slice, bool writes, bool at_home, Cycle time) {
      sim::MemoryRequest r = read(0x1000, 0b1111, time);
      r.home = at_home;
      if (writes) r.op = sim::RequestOp::kWrite, r.bytes = kLineBytes, r.full_sectors = true;
      slice.access(r);
      return r.time - time;
    };
    ask(near, false, false, 100);
    REQUIRE(ask(near, false, false, 5000) == gpu.l2.hit_latency);
    ask(home, true, true, 10000);
    REQUIRE(ask(near, false, false, 15000) > gpu.l2.hit_latency);
    REQUIRE(sides.memory.seen.size() == 1);  // it crosses and comes from where it belongs
    ask(near, true, false, 20000);
    REQUIRE(ask(near, false, false, 25000) == gpu.l2.hit_latency);
    REQUIRE(ask(home, false, true, 30000) == gpu.l2.hit_latency);
  });
}

TEST_CASE("Lines to be evicted last stay within their ways and outlive a stream", "[arch]") {
  OneSlice one;
  const GpuConfig& gpu = one.gpu;
  L2Slice& slice = one.slice;
  slice.set_persisting_ways(4);
  once([&] {
    sim::MemoryRequest hot = read(0x0, 0b1111, 0);
    hot.evict = sim::EvictHint::kLast;
    slice.access(hot);
    for (uint64_t line = 1; line < 4 * uint64_t{gpu.l2.sets()} * gpu.l2.ways; ++line) {
      sim::MemoryRequest r = read(line * 128, 0b1111, line * 100);
      slice.access(r);
    }
    sim::MemoryRequest again = read(0x0, 0b1111, 100'000'000);
    slice.access(again);
    REQUIRE(again.hit);
  });
}

TEST_CASE("L2 keeps written sectors until a flush and writes them back once", "[arch]") {
  OneSlice one;
  L2Slice& slice = one.slice;
  SlowMemory& memory = one.memory;
  once([&] {
    sim::MemoryRequest w = read(0x2000, 0b1111, 100);
    w.op = sim::RequestOp::kWrite;
    w.full_sectors = true;
    slice.access(w);
    REQUIRE(memory.seen.empty());
    slice.flush(1000);
    REQUIRE(memory.seen.size() == 1);
    REQUIRE(memory.seen[0].op == sim::RequestOp::kWrite);
    slice.flush(2000);
    REQUIRE(memory.seen.size() == 1);
  });
}
