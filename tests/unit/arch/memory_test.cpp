// SPDX-License-Identifier: Apache-2.0
// L2 slice, DRAM channel and bandwidth reservation, each with a neighbour of known time.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "arch/dram/dram_channel.h"
#include "arch/l2/l2_slice.h"
#include "arch/noc/crossbar.h"
#include "arch/policy/mix_address.h"
#include "arch/systemc/context.h"
#include "arch/systemc/window_engine.h"
#include "base/config/config.h"
#include "base/parallel.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

GpuConfig tiny() {
  const Config config = Config::load("test/tiny");
  GpuConfig gpu = load_gpu_config(config.root());
  config.check();
  return gpu;
}

struct SlowMemory : sim::MemoryTarget {
  explicit SlowMemory(const sim::ModuleName& name) : MemoryTarget(name, 1e9) {}
  std::vector<sim::MemoryRequest> seen;
  void access(sim::MemoryRequest& r) override {
    seen.push_back(r);
    r.time += 500;
  }
};

// Whoever asks.
struct Source : sim::Module {
  sim::MemoryInitiator out;
  Source(const sim::ModuleName& name, double hz) : Module(name), out("out", hz) {}
};

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

// The network with its slices of L2, each before a memory that takes 500 cycles.
struct Network {
  sim::Context context;
  Crossbar crossbar;
  std::vector<std::unique_ptr<L2Slice>> slices;
  std::vector<std::unique_ptr<SlowMemory>> memories;
  explicit Network(const GpuConfig& gpu) : crossbar("crossbar", gpu) {
    for (unsigned s = 0; s < gpu.l2.slices; ++s) {
      slices.push_back(std::make_unique<L2Slice>(("slice" + std::to_string(s)).c_str(), gpu));
      memories.push_back(std::make_unique<SlowMemory>(("memory" + std::to_string(s)).c_str()));
      crossbar.port(s).socket.bind(slices.back()->socket);
      slices.back()->memory.socket.bind(memories.back()->socket);
    }
  }
};

// A channel of memory, and who asks.
struct OneChannel {
  GpuConfig gpu;
  sim::Context context;
  DramChannel channel;
  Source source{"source", gpu.clock_hz};
  explicit OneChannel(const GpuConfig& g = tiny(), unsigned index = 0)
      : gpu(g), channel("channel", gpu, index) {
    source.out.socket.bind(channel.socket);
  }
};

// Runs `action` once SystemC has elaborated.
struct Once : sim::WindowService {
  std::function<void()> action;
  bool done = false;
  sim::Cycle next_cycle() const override { return 0; }
  void serve(sim::Cycle) override {
    action();
    done = true;
  }
  bool finished() const override { return done; }
  void stuck(sim::Cycle) override {}
};

void once(std::function<void()> action) {
  Once service;
  service.action = std::move(action);
  ThreadPool alone(1);
  sim::WindowEngine engine("engine", {1e9, 1}, {}, &service, &alone);
  engine.run();
}

sim::MemoryRequest read(uint64_t line, uint8_t sectors, Cycle at) {
  sim::MemoryRequest r;
  r.line = line;
  r.sectors = sectors;
  r.time = at;
  return r;
}

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

TEST_CASE("A copy engine asks the side where a line belongs, what an SM does for the host asks the SM's",
          "[arch]") {
  GpuConfig gpu = tiny();
  gpu.l2.partitions = 2, gpu.l2.slices = 2;
  Network network(gpu);
  network.slices[0]->set_peer(network.slices[1].get());
  network.slices[1]->set_peer(network.slices[0].get());
  once([&] {
    sim::MemoryRequest engine = read(0x1000, 0b1111, 100);
    network.crossbar.transport_for_host(engine);
    REQUIRE(engine.home);
    unsigned homes = 0;
    for (const uint32_t side : {0u, 1u}) {
      sim::MemoryRequest sm = read(0x1000, 0b1111, 5000 + 5000 * side);
      network.crossbar.transport_for_host(sm, side);
      homes += sm.home;
      REQUIRE(network.slices[side]->stats.requests.value() > 0);
    }
    REQUIRE(homes == 1);
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

TEST_CASE("A read from an open DRAM row is faster by opening it", "[arch]") {
  OneChannel one;
  const GpuConfig& gpu = one.gpu;
  DramChannel& channel = one.channel;
  once([&] {
    sim::MemoryRequest closed = read(0x0, 0b0001, 1000), open = read(0x80, 0b0001, 3000);
    channel.access(closed);
    channel.access(open);
    REQUIRE(channel.stats.row_misses.value() == 1);
    REQUIRE(channel.stats.row_hits.value() == 1);
    const double ghz = gpu.clock_hz * 1e-9;
    REQUIRE((closed.time - 1000) - (open.time - 3000) ==
            static_cast<Cycle>(gpu.dram.timing.tRCD * ghz + 0.5));
    REQUIRE(channel.stats.bytes_read.value() == 64);
  });
}

TEST_CASE("Writes to memory are taken no faster than its pins are, less what waits", "[arch]") {
  GpuConfig gpu = tiny();
  gpu.dram.queue_entries = 64;
  gpu.dram.banks = 64;
  const double rate = gpu.dram.bandwidth / gpu.dram.channels / gpu.clock_hz;  // bytes a cycle
  OneChannel one(gpu);
  once([&] {
    constexpr uint64_t kLines = 4000;
    Cycle taken = 0;
    for (uint64_t i = 0; i < kLines; ++i) {
      sim::MemoryRequest r =
          read(policy::mix_address(i) % (1 << 20) * 128, 0b1111, taken > 100 ? taken - 100 : 0);
      r.op = sim::RequestOp::kWrite;
      one.channel.access(r);
      taken = std::max(taken, r.time);
    }
    const double pins = kLines * 128 / rate;
    REQUIRE(static_cast<double>(taken) > pins - (64 * 32 / rate + gpu.dram.latency * gpu.clock_hz * 1e-9));
    REQUIRE(static_cast<double>(taken) < 1.5 * pins);  // rows anywhere: banks work side by side
  });
}

TEST_CASE("A read waits for the batch of writes before it, and not for writes that still wait", "[arch]") {
  const auto read_behind = [](uint64_t writes) {
    GpuConfig gpu = tiny();
    gpu.dram.write_batch = 4096;
    gpu.dram.queue_entries = 1024;
    OneChannel one(gpu);
    Cycle took = 0;
    once([&] {
      for (uint64_t i = 0; i < writes; ++i) {
        sim::MemoryRequest w = read((i + 1) * 128, 0b1111, 1000);
        w.op = sim::RequestOp::kWrite;
        one.channel.access(w);
        REQUIRE(w.time == 1000);  // posted
      }
      sim::MemoryRequest r = read(uint64_t{1} << 24, 0b0001, 1000);
      one.channel.access(r);
      took = r.time - 1000;
    });
    return took;
  };
  const GpuConfig gpu = tiny();
  const double rate = gpu.dram.bandwidth / gpu.dram.channels / gpu.clock_hz;  // bytes a cycle
  REQUIRE(read_behind(31) == read_behind(0));
  const Cycle late = read_behind(32) - read_behind(0);
  REQUIRE(static_cast<double>(late) > 0.8 * 4096 / rate);
  REQUIRE(read_behind(63) == read_behind(32));
}

TEST_CASE("Banks that are refreshed by themselves delay as many single reads, and leave the bus to others",
          "[arch]") {
  struct Seen {
    std::vector<Cycle> took;  // by reads that are alone
    Cycle last = 0;           // of many at once
  };
  const auto with = [](DramRefresh refresh) {
    GpuConfig gpu = tiny();
    gpu.dram.refresh = refresh;
    gpu.dram.banks = 64;
    OneChannel one(gpu);
    Seen seen;
    once([&] {
      Cycle at = 1000;
      for (uint64_t i = 0; i < 3000; ++i, at += 7919) {
        sim::MemoryRequest r = read(policy::mix_address(i) % (1 << 20) * 128, 0b0001, at);
        one.channel.access(r);
        seen.took.push_back(r.time - at);
      }
      for (uint64_t i = 0; i < 4000; ++i) {
        sim::MemoryRequest r = read((uint64_t{1} << 30) + i * 128, 0b1111, at);
        one.channel.access(r);
        seen.last = std::max(seen.last, r.time - at);
      }
    });
    return seen;
  };
  const Seen none = with(DramRefresh::kOneBank), all = with(DramRefresh::kAllBanks),
             each = with(DramRefresh::kEachBank);
  const Cycle undisturbed = *std::max_element(none.took.begin(), none.took.end());
  const auto late = [&](const Seen& seen) {
    const auto n =
        std::count_if(seen.took.begin(), seen.took.end(), [&](Cycle c) { return c > undisturbed; });
    return static_cast<double>(n) / static_cast<double>(seen.took.size());
  };
  const DramTiming& t = tiny().dram.timing;
  CHECK(late(none) == 0);
  CHECK(late(each) > 0.5 * t.tRFC / t.tREFI);
  CHECK(late(each) < 1.2 * t.tRFC / t.tREFI);
  CHECK(late(each) == Approx(late(all)).epsilon(0.25));
  // The bus is taken for refreshes of all banks two tREFI ahead of the reads, which come at once.
  CHECK(static_cast<double>(all.last) > 1.02 * static_cast<double>(none.last));
  CHECK(static_cast<double>(each.last) < 1.02 * static_cast<double>(none.last));
}

TEST_CASE("Channels that are refreshed together keep reads waiting at the same times", "[arch]") {
  GpuConfig gpu = tiny();
  gpu.dram.refresh = DramRefresh::kAllBanks;
  gpu.dram.channels = 4;
  const auto waits = [&](uint32_t together, unsigned index) {
    gpu.dram.refresh_together = together;
    OneChannel one(gpu, index);
    std::vector<Cycle> took;
    once([&] {
      for (uint64_t i = 0; i < 200; ++i) {
        const Cycle at = 100000 + i * 101;
        sim::MemoryRequest r = read(i << 20, 0b0001, at);
        one.channel.access(r);
        took.push_back(r.time - at);
      }
    });
    return took;
  };
  CHECK(waits(2, 0) == waits(2, 1));
  CHECK(waits(2, 2) == waits(2, 3));
  CHECK(waits(2, 0) != waits(2, 2));
  CHECK(waits(1, 0) != waits(1, 1));
  CHECK(waits(4, 0) == waits(4, 3));
}

TEST_CASE("Reads of a window open their rows as banks are ready", "[arch]") {
  const auto last_of = [](uint32_t window) {
    GpuConfig gpu = tiny();
    gpu.dram.read_window = window;
    gpu.dram.banks = 16;
    OneChannel one(gpu);
    Cycle last = 0;
    once([&] {
      for (uint64_t row = 0; row < 200; ++row) {
        sim::MemoryRequest r = read(row << 20, 0b0011, 1000);
        one.channel.access(r);
        last = std::max(last, r.time);
      }
    });
    return last - 1000;
  };
  const auto in_order = static_cast<double>(last_of(1)), few = static_cast<double>(last_of(8)),
             many = static_cast<double>(last_of(64));
  REQUIRE(few < 0.9 * in_order);
  REQUIRE(many < 0.9 * few);
}

TEST_CASE("A GPC asks once for what its SMs read together, by the latest read of a line", "[arch]") {
  GpuConfig gpu = tiny();
  gpu.noc.merged_reads = 4;
  Network network(gpu);
  Crossbar& crossbar = network.crossbar;
  once([&] {
    crossbar.start_kernel();
    const auto ask = [&](uint16_t sm, uint8_t sectors, Cycle at) {
      sim::MemoryRequest r = read(0x4000, sectors, at);
      r.source = sm;
      crossbar.transport(r, 0);
      return crossbar.stats.merged.value();
    };
    REQUIRE(ask(0, 0b0011, 100) == 0);
    REQUIRE(ask(1, 0b0011, 110) == 1);
    REQUIRE(ask(0, 0b1100, 120) == 1);  // other sectors
    REQUIRE(ask(1, 0b0011, 130) == 1);  // no longer the latest
    REQUIRE(ask(0, 0b0011, 140) == 2);
  });
}

TEST_CASE("Answers that wait for a busy GPC hold up their slice's answers for another, beyond reply_wait",
          "[arch]") {
  // How long one read of GPC 1 takes beside `others` of GPC 0, by the same slice.
  const auto takes = [](unsigned others, Cycle reply_wait) {
    GpuConfig gpu = tiny();
    gpu.gpc.count = 2;
    gpu.gpc.sms = {2, 2};
    gpu.noc.merged_reads = 1;
    gpu.noc.gpc_reply_bytes = 8;
    gpu.noc.reply_wait = static_cast<uint32_t>(reply_wait);
    Network network(gpu);
    Cycle took = 0;
    once([&] {
      network.crossbar.start_kernel();
      const auto ask = [&](uint16_t sm, Cycle at) {
        sim::MemoryRequest r = read(0x4000, 0b1111, at);
        r.source = sm;
        network.crossbar.transport(r, sm / 2);
        return r.time - at;
      };
      ask(0, 100);  // L2 has it from now on
      for (unsigned i = 0; i < others; ++i) ask(0, 10000);
      took = ask(2, 10050);
    });
    return took;
  };
  const Cycle alone = takes(0, 20), held = takes(32, 20), free = takes(32, 100000);
  REQUIRE(held > alone + 400);  // 32 answers of 136 bytes keep GPC 0's port busy for 544 cycles
  REQUIRE(held < alone + 544);
  REQUIRE(free < alone + 100);
}

TEST_CASE("Where a part of L2 is set aside, scattered accesses to memory meet in fewer banks", "[arch]") {
  OneChannel one;
  std::array<sim::Cycle, 3> last{};
  once([&] {
    const std::array<double, 3> left{1, 0.5, 1};
    for (size_t k = 0; k < left.size(); ++k) {
      one.channel.set_l2_share(left[k]);
      const sim::Cycle begin = 100000 * (k + 1);
      for (uint64_t row = 0; row < 64; ++row) {
        sim::MemoryRequest r = read((k * 64 + row) << 20, 0xf, begin);
        one.source.out.send(r);
        last[k] = std::max(last[k], r.time - begin);
      }
    }
  });
  CHECK(last[1] > last[0] * 3 / 2);
  CHECK(last[2] < last[1]);
}

TEST_CASE("A port gives away no more bytes a cycle than it has, in whatever order they are asked for",
          "[arch]") {
  BandwidthCalendar port(32);
  REQUIRE(port.reserve(1000, 32) == 1000);  // late first
  for (int i = 0; i < 8; ++i) REQUIRE(port.reserve(0, 32) <= 8);
  REQUIRE(port.reserve(0, 32) >= 8);  // the first eight cycles are taken
  Cycle last = 0;
  for (int i = 0; i < 1000; ++i) last = port.reserve(2000, 64);
  REQUIRE(last >= 2000 + 2 * 999 - BandwidthCalendar::kBucket);
  REQUIRE(last <= 2000 + 2 * 1000 + BandwidthCalendar::kBucket);
}

TEST_CASE("A port that is asked for many times what its calendar keeps apart forgets nothing", "[arch]") {
  BandwidthCalendar port(1);
  constexpr Cycle kHeld = BandwidthCalendar::kBucket * BandwidthCalendar::kBuckets;
  constexpr Cycle kAsked = 10 * kHeld / 32;
  Cycle last = 0;
  for (Cycle k = 0; k < kAsked; ++k) last = port.reserve(1000 + k, 32);  // 32 cycles each, one a cycle
  CHECK(last >= 1000 + 32 * (kAsked - 1) - BandwidthCalendar::kBucket);
  CHECK(last <= 1000 + 32 * kAsked + BandwidthCalendar::kBucket);
  CHECK(port.reserve(2 * last, 32) == 2 * last);  // and what comes later
  CHECK(port.reserve(5000, 32) > last);
}
