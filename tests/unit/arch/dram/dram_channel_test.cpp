// SPDX-License-Identifier: Apache-2.0
// A channel of memory, alone.
#include "arch/dram/dram_channel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "arch/policy/mix_address.h"
#include "tests/catch2.h"
#include "tests/unit/arch/memory_neighbours.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

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

}  // namespace

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
            static_cast<Cycle>(std::llround(gpu.dram.timing.tRCD * ghz)));
    REQUIRE(channel.stats.bytes_read.value() == 64);
  });
}

TEST_CASE("Where lines are interleaved, the line next to one that was read is in another row", "[arch]") {
  GpuConfig gpu = tiny();
  gpu.dram.interleave = DramInterleave::kLine;
  OneChannel one(gpu);
  once([&] {
    sim::MemoryRequest first = read(0x0, 0b0001, 1000), next = read(0x80, 0b0001, 3000),
                       again = read(0x0, 0b0010, 5000);
    one.channel.access(first);
    one.channel.access(next);
    one.channel.access(again);
    REQUIRE(one.channel.stats.row_misses.value() == 2);
    REQUIRE(one.channel.stats.row_hits.value() == 1);
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
