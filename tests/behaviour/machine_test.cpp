// SPDX-License-Identifier: Apache-2.0
// The machine as something that takes work while it runs: kernels and copies of several streams on one
// timeline.
#include <array>
#include <random>
#include <vector>

#include "tests/behaviour/machine_fixture.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using namespace gpuloom::tests;

TEST_CASE("Two small kernels in two streams overlap, and each computes what it should", "[machine][timed]") {
  Machine m;
  const uint64_t in = m.buffer(128, 5), a = m.buffer(128), b = m.buffer(128);
  m.launch(m.request(a, in, 1, 400));
  m.launch(m.request(b, in, 2, 400));
  m.device.machine().advance_until_idle();
  const arch::KernelResult &first = m.results[0], &second = m.results[1];
  const uint64_t begin = std::min(first.start_cycle, second.start_cycle);
  const uint64_t end = std::max(first.start_cycle + first.cycles, second.start_cycle + second.cycles);
  CHECK(end - begin < (first.cycles + second.cycles) * 6 / 10);
  CHECK(first.shared_with == std::vector<Ticket>{2});
  CHECK(second.shared_with == std::vector<Ticket>{1});
  CHECK(m.read(a, 128) == std::vector<uint32_t>(128, 16));
  CHECK(m.read(b, 128) == std::vector<uint32_t>(128, 17));
  CHECK(first.warp_instructions == second.warp_instructions);
}

TEST_CASE("A kernel that is submitted alone is the profiled run, counter by counter", "[machine][timed]") {
  const auto request = [](Machine& m) {
    const uint64_t in = m.buffer(1024, 5);
    return m.request(m.buffer(1024), in, 1, 30, 16);
  };
  // One after the other: a process has one machine at a time.
  const arch::KernelResult one = [&] {
    Machine profiled;
    LaunchOptions warm;
    warm.cold_caches = false;
    return *profiled.device.launch(request(profiled), warm).timed;
  }();
  Machine submitted;
  submitted.device.machine().advance_until(submitted.launch(request(submitted)));
  const arch::KernelResult& two = submitted.results[0];
  CHECK(one.cycles == two.cycles);
  CHECK(one.warp_instructions == two.warp_instructions);
  CHECK(two.shared_with.empty());
  REQUIRE(one.statistics.metrics().size() == two.statistics.metrics().size());
  for (size_t k = 0; k < one.statistics.metrics().size(); ++k) {
    INFO(one.statistics.metrics()[k].name);
    CHECK(one.statistics.metrics()[k].values == two.statistics.metrics()[k].values);
  }
  REQUIRE(one.instructions.size() == two.instructions.size());
  for (size_t k = 0; k < one.instructions.size(); ++k)
    CHECK(one.instructions[k].issued == two.instructions[k].issued);
}

TEST_CASE("A kernel that comes after another begins when that has ended", "[machine][timed]") {
  Machine m;
  const uint64_t a = m.buffer(128, 5), b = m.buffer(128), c = m.buffer(128);
  const Ticket first = m.launch(m.request(b, a, 1, 100));
  const Ticket second = m.launch(m.request(c, b, 1, 100), {first});
  m.device.machine().advance_until(second);
  CHECK(m.device.machine().begin_of(second) == m.device.machine().end_of(first));
  CHECK(m.results[1].shared_with.empty());
  CHECK(m.read(c, 128) == std::vector<uint32_t>(128, (5 * 3 + 1) * 3 + 1));
}

TEST_CASE("A copy from the host hides behind a kernel", "[machine][timed]") {
  Machine m;
  constexpr uint64_t kBytes = 16384;
  const uint64_t in = m.buffer(128, 5), out = m.buffer(128), target = m.buffer(kBytes / 4);
  const std::vector<uint32_t> host(kBytes / 4, 77);
  const auto move = [&] { m.device.memory().write(target, host.data(), kBytes); };
  const Ticket copy = m.copy(arch::CopyWay::kToDevice, kBytes, target, 0, {}, move);
  const Ticket kernel = m.launch(m.request(out, in, 1, 4000));
  m.device.machine().advance_until_idle();
  const uint64_t end = std::max(m.device.machine().end_of(copy), m.device.machine().end_of(kernel));
  CHECK(end < m.took(copy) + m.took(kernel));
  CHECK(end - m.device.machine().begin_of(kernel) < m.took(kernel) * 11 / 10);
  CHECK(m.read(target, kBytes / 4) == host);
}

TEST_CASE("A copy takes its latency and its bytes at the link's rate", "[machine][timed]") {
  Machine m(1, {"dram.write_batch=32B"});  // with more, the one channel of this machine holds the link up
  constexpr uint64_t kBytes = 1 << 20;
  const uint64_t target = m.buffer(kBytes / 4);
  const Ticket copy = m.copy(arch::CopyWay::kToDevice, kBytes, target, 0, {}, {});
  m.device.machine().advance_until(copy);
  const arch::HostConfig& h = m.device.gpu().host;
  const double expected = (h.pcie_latency_ns * 1e-9 + kBytes / h.pcie_bandwidth) * m.device.gpu().clock_hz;
  CHECK(static_cast<double>(m.took(copy)) == Approx(expected).epsilon(0.02));
}

TEST_CASE("A copy within the device takes the time in which memory reads and writes it", "[machine][timed]") {
  const auto cycles = [](std::vector<std::string> overrides, uint64_t bytes) {
    Machine m(1, std::move(overrides));
    const uint64_t from = m.buffer(static_cast<uint32_t>(bytes / 4)),
                   to = m.buffer(static_cast<uint32_t>(bytes / 4));
    const Ticket copy = m.copy(arch::CopyWay::kWithin, bytes, to, from, {}, {});
    m.device.machine().advance_until(copy);
    return static_cast<double>(m.took(copy));
  };
  constexpr uint64_t kBytes = 8 << 20;
  const Machine m;
  const arch::GpuConfig& gpu = m.device.gpu();
  const double least = 2.0 * kBytes / gpu.dram.bandwidth * gpu.clock_hz, took = cycles({}, kBytes);
  CHECK(took > least);
  CHECK(took < 2.2 * least);  // reads and writes keep opening rows and turning the bus
  CHECK(cycles({"host.device_copy_bytes=0.1B/cycle"}, kBytes) > 2 * took);
  CHECK(cycles({"host.device_copy_window=512B"}, kBytes) > 1.2 * took);
}

TEST_CASE(
    "Pageable memory comes from the device at the pace of staging, and its first part at the link's before",
    "[machine][timed]") {
  const auto cycles = [](std::vector<std::string> overrides, uint64_t bytes) {
    Machine m(1, std::move(overrides));
    arch::CopyWork work;
    work.way = arch::CopyWay::kFromDevice;
    work.pageable = true;
    work.bytes = bytes;
    work.from = m.buffer(static_cast<uint32_t>(bytes / 4));
    const Ticket copy = m.device.machine().submit(std::move(work), {});
    m.device.machine().advance_until(copy);
    return static_cast<double>(m.took(copy));
  };
  constexpr uint64_t kBytes = 4 << 20;
  const Machine m;
  const arch::HostConfig& h = m.device.gpu().host;
  const double expected = h.pageable_return_latency_ns * 1e-9 +
                          static_cast<double>(h.pageable_chunk) / h.pcie_bandwidth +
                          kBytes / h.pageable_bandwidth;
  CHECK(cycles({}, kBytes) == Approx(expected * m.device.gpu().clock_hz).epsilon(0.02));
  CHECK(cycles({"host.pageable_chunk=0B"}, kBytes) < cycles({}, kBytes));
}

TEST_CASE(
    "Copies within the device and large fills wait for a place on the SMs, copies of the host and small "
    "fills do not",
    "[machine][timed]") {
  Machine m(1, {"host.fill_inline=64B"});
  const uint64_t in = m.buffer(65536, 5), out = m.buffer(65536), a = m.buffer(1024), b = m.buffer(1024);
  // More blocks than the SMs have places for.
  const Ticket kernel = m.launch(m.request(out, in, 1, 2000, 64, 1024));
  const Ticket within = m.copy(arch::CopyWay::kWithin, 64, a, b, {}, {});
  const Ticket large = m.copy(arch::CopyWay::kFill, 4096, a, 0, {}, {}),
               small = m.copy(arch::CopyWay::kFill, 64, b, 0, {}, {});
  const Ticket there = m.copy(arch::CopyWay::kToDevice, 4096, a, 0, {}, {});
  m.device.machine().advance_until_idle();
  const arch::Simulation& s = m.device.machine();
  const uint64_t last_wave = s.begin_of(kernel) + m.took(kernel) / 2;
  CHECK(s.begin_of(within) > last_wave);
  CHECK(s.begin_of(large) > last_wave);
  CHECK(s.end_of(small) < last_wave);
  CHECK(s.end_of(there) < last_wave);
}

TEST_CASE("Copies of one way follow each other, those of two ways overlap", "[machine][timed]") {
  Machine m;
  constexpr uint64_t kBytes = 1 << 18;
  const uint64_t a = m.buffer(kBytes / 4), b = m.buffer(kBytes / 4);
  const Ticket in = m.copy(arch::CopyWay::kToDevice, kBytes, a, 0, {}, {});
  const Ticket again = m.copy(arch::CopyWay::kToDevice, kBytes, a, 0, {}, {});
  const Ticket out = m.copy(arch::CopyWay::kFromDevice, kBytes, 0, b, {}, {});
  const arch::Simulation& s = m.device.machine();
  m.device.machine().advance_until_idle();
  CHECK(s.begin_of(again) >= s.end_of(in));
  CHECK(s.begin_of(out) < s.end_of(in));
}

TEST_CASE("Of two grids that wait for room, the one of higher priority goes first", "[machine][timed]") {
  Machine m;
  const uint64_t in = m.buffer(65536, 5), out = m.buffer(65536);
  const Ticket filler = m.launch(m.request(out, in, 1, 400, 64, 1024));
  m.launch(m.request(out, in, 1, 50, 16, 1024), {}, 0);
  m.launch(m.request(out, in, 1, 50, 16, 1024), {}, -5);
  m.device.machine().advance_until_idle();
  CHECK(m.device.machine().done(filler));
  CHECK(m.results[2].start_cycle + m.results[2].cycles < m.results[1].start_cycle + m.results[1].cycles);
}

TEST_CASE("With gpc.grids: turns a later grid does not wait for all blocks of an earlier one",
          "[machine][timed]") {
  const auto end_of_small = [](const char* policy) {
    Machine m(1, {std::string("gpc.grids=") + policy});
    const uint64_t in = m.buffer(65536, 5), out = m.buffer(65536), other = m.buffer(128);
    m.launch(m.request(out, in, 1, 200, 64, 1024));
    const Ticket small = m.launch(m.request(other, in, 1, 10));
    m.device.machine().advance_until_idle();
    CHECK(m.read(other, 128) == std::vector<uint32_t>(128, 16));
    return m.device.machine().end_of(small);
  };
  CHECK(end_of_small("turns") < end_of_small("leftover"));
}

TEST_CASE("Kernels that share the GPU give the same result with any number of host threads",
          "[machine][determinism][timed]") {
  const auto run = [](unsigned threads) {
    Machine m(threads);
    const uint64_t in = m.buffer(4096, 5), a = m.buffer(4096), b = m.buffer(4096), c = m.buffer(65536);
    m.launch(m.request(a, in, 1, 60, 32, 128));
    m.launch(m.request(b, in, 2, 90, 16, 256));
    m.copy(arch::CopyWay::kToDevice, 65536, c, 0, {}, {});
    m.launch(m.request(c, in, 3, 20, 8), {1});
    m.device.machine().advance_until_idle();
    std::vector<uint64_t> facts;
    for (const arch::KernelResult& r : m.results) {
      facts.insert(facts.end(), {r.start_cycle, r.cycles, r.warp_instructions});
      for (const stats::Metric& metric : r.statistics.metrics()) facts.push_back(metric.total());
    }
    return facts;
  };
  const auto alone = run(1);
  CHECK(alone == run(2));
  CHECK(alone == run(8));
}

// Each piece of work comes after the last pieces that touched its buffers, in whichever stream they stood:
// the order of submission is then a legal serial order.
TEST_CASE("Random programs of streams, copies and kernels leave the memory of a serial order",
          "[machine][timed][slow]") {
  constexpr uint32_t kCount = 96, kBuffers = 5, kStreams = 3;
  std::mt19937 random(16);
  const auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  Machine m;
  std::array<uint64_t, kBuffers> at{};
  for (uint64_t& address : at) address = m.buffer(kCount);
  std::array<std::vector<uint32_t>, kBuffers> expected;
  for (int program = 0; program < 1000; ++program) {
    for (uint32_t b = 0; b < kBuffers; ++b) {
      expected[b].assign(kCount, b + 1);
      m.device.memory().write(at[b], expected[b].data(), kCount * 4);
    }
    std::array<Ticket, kStreams> stream{};
    std::array<Ticket, kBuffers> wrote{};
    std::array<std::vector<Ticket>, kBuffers> readers;
    m.results.clear();
    m.results.reserve(16);
    for (uint32_t n = 3 + pick(6); n-- > 0;) {
      const uint32_t s = pick(kStreams), to = pick(kBuffers), from = pick(kBuffers);
      std::vector<Ticket> after{stream[s], wrote[to], wrote[from]};
      after.insert(after.end(), readers[to].begin(), readers[to].end());
      Ticket t = 0;
      if (pick(3) != 0) {
        const uint32_t add = pick(100);
        t = m.launch(m.request(at[to], at[from], add, pick(40), 3, 32), after, static_cast<int>(pick(2)));
        for (uint32_t i = 0; i < kCount; ++i) expected[to][i] = expected[from][i] * 3 + add;
      } else {
        t = m.copy(arch::CopyWay::kWithin, kCount * 4, at[to], at[from], after, [&m, &at, to, from] {
          const std::vector<uint32_t> values = m.read(at[from], kCount);
          m.device.memory().write(at[to], values.data(), kCount * 4);
        });
        expected[to] = expected[from];
      }
      stream[s] = wrote[to] = t;
      readers[to].clear();
      readers[from].push_back(t);
      if (pick(4) == 0) m.device.machine().advance_until(t);
    }
    m.device.machine().advance_until_idle();
    for (uint32_t b = 0; b < kBuffers; ++b) {
      INFO("program " << program << ", buffer " << b);
      REQUIRE(m.read(at[b], kCount) == expected[b]);
    }
  }
}
