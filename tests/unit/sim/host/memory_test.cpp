// SPDX-License-Identifier: Apache-2.0
#include "sim/host/memory.h"

#include <array>
#include <cstring>
#include <vector>

#include "sim/host/copy.h"
#include "sim/host/pool.h"
#include "sim/host/status.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::host;

namespace {

constexpr uint64_t kGiB = 1ull << 30;

template <class F>
int status_of(F&& f) {
  try {
    f();
  } catch (const Failure& failure) {
    return static_cast<int>(failure.status());
  }
  return 0;
}

uint64_t address_of(const void* p) { return reinterpret_cast<uint64_t>(p); }

struct Device {
  sim::DeviceMemory device{kGiB, sim::HostPlacement::kSameAddress};
  Memory memory{device};
  Copier copier{memory, [](uint64_t&) { return nullptr; }};
};

}  // namespace

TEST_CASE("The host finds managed and pinned memory at its own address", "[host]") {
  Device d;
  const uint64_t managed = d.memory.allocate_managed(100), pinned = d.memory.allocate_pinned(100, 0);
  std::memset(reinterpret_cast<void*>(managed), 7, 100);
  uint8_t seen = 0;
  d.device.read(managed + 99, &seen, 1);
  REQUIRE(seen == 7);
  REQUIRE(d.memory.facts(managed + 5)->kind == sim::MemoryKind::kManaged);
  REQUIRE(d.memory.facts(pinned)->kind == sim::MemoryKind::kPinned);
  REQUIRE(d.memory.used() == 0);  // they are the host's
  REQUIRE(status_of([&] { d.memory.free(pinned); }) == 1);
  REQUIRE(status_of([&] { d.memory.free_pinned(managed); }) == 1);
}

TEST_CASE("Registered host memory is visible to the device until it is unregistered", "[host]") {
  Device d;
  std::vector<int> host(1000, 3);
  const uint64_t at = address_of(host.data());
  REQUIRE_FALSE(d.memory.on_device(at, 4));
  d.memory.register_host(at, 4000, 0);
  REQUIRE(d.memory.on_device(at, 4000));
  REQUIRE_FALSE(d.memory.on_device(at + 3998, 4));  // host memory still, beyond the part
  REQUIRE(status_of([&] { d.memory.register_host(at + 100, 8, 0); }) == 712);
  d.memory.unregister_host(at);
  REQUIRE_FALSE(d.memory.on_device(at, 4));
  REQUIRE(status_of([&] { d.memory.unregister_host(at); }) == 713);
}

TEST_CASE("Memory is refused where there is none left", "[host]") {
  Device d;
  REQUIRE(status_of([&] { d.memory.allocate(2 * kGiB); }) == 2);
  REQUIRE(d.memory.allocate(0) == 0);
  d.memory.free(0);
  const uint64_t a = d.memory.allocate(kGiB);
  REQUIRE(status_of([&] { d.memory.allocate(1); }) == 2);
  d.memory.free(a);
  REQUIRE(d.memory.used() == 0);
}

TEST_CASE("A copy checks its direction, its bounds and its pitch before it touches anything", "[host]") {
  Device d;
  const uint64_t a = d.memory.allocate(64);
  std::array<uint8_t, 64> host{};
  const uint64_t h = address_of(host.data());
  REQUIRE(d.copier.check(linear_copy(a, h, 64, CopyKind::kHostToDevice)) == Route::kPageableToDevice);
  REQUIRE(d.copier.check(linear_copy(h, a, 64, CopyKind::kDefault)) == Route::kPageableFromDevice);
  REQUIRE(status_of([&] { d.copier.check(linear_copy(a, h, 65, CopyKind::kHostToDevice)); }) == 1);
  REQUIRE(status_of([&] { d.copier.check(linear_copy(h, h, 64, CopyKind::kHostToDevice)); }) == 1);
  REQUIRE(status_of([&] { d.copier.check(linear_copy(a, h, 4, static_cast<CopyKind>(7))); }) == 21);
  Copy box = linear_copy(a, h, 16, CopyKind::kHostToDevice);
  box.height = 2;
  box.to.pitch = 16;
  box.from.pitch = 8;
  REQUIRE(status_of([&] { d.copier.check(box); }) == 12);
}

TEST_CASE("A box is copied row by row and slice by slice", "[host]") {
  Device d;
  const uint64_t a = d.memory.allocate(4 * 4 * 4);
  std::array<uint8_t, 8> box{1, 2, 3, 4, 5, 6, 7, 8};
  Copy copy;
  copy.to = {a, 4, 4, nullptr, 1, 2, 2};
  copy.from = {address_of(box.data()), 2, 2, nullptr, 0, 0, 0};
  copy.width = copy.height = copy.depth = 2;
  d.copier.check(copy);
  d.copier.run(copy);
  std::array<uint8_t, 64> all{};
  d.device.read(a, all.data(), all.size());
  REQUIRE(all[1 + 4 * (2 + 4 * 2)] == 1);
  REQUIRE(all[2 + 4 * (3 + 4 * 3)] == 8);
  int sum = 0;
  for (const uint8_t x : all) sum += x;
  REQUIRE(sum == 36);
}

TEST_CASE("A fill writes values of one, two and four bytes", "[host]") {
  Device d;
  const uint64_t a = d.memory.allocate(64);
  Fill fill;
  fill.address = a;
  fill.pitch = 16;
  fill.value = 0x01020304;
  fill.element = 4;
  fill.width = 2;
  fill.height = 3;
  d.copier.check(fill);
  d.copier.run(fill);
  std::array<uint32_t, 16> words{};
  d.device.read(a, words.data(), 64);
  REQUIRE(words[5] == 0x01020304);
  REQUIRE(words[6] == 0);
  fill.height = 5;
  REQUIRE(status_of([&] { d.copier.check(fill); }) == 1);
}

TEST_CASE("A pool counts what is allocated from it, whoever frees it", "[host]") {
  Device d;
  Pools pools(d.memory);
  Pool& own = pools.create(1000);
  const uint64_t a = pools.allocate(own, 600);
  REQUIRE(status_of([&] { pools.allocate(own, 600); }) == 2);
  REQUIRE(own.used == 600);
  pools.free(a);
  REQUIRE(own.used == 0);
  REQUIRE(own.used_high == 600);
  REQUIRE(status_of([&] { pools.destroy(pools.standard()); }) == 1);
}

TEST_CASE("Memory of a graph keeps its place when it is freed, for the next launch", "[host]") {
  Device d;
  Pools pools(d.memory);
  const uint64_t a = pools.reserve_for_graph(100);
  for (int launch = 0; launch < 2; ++launch) {
    pools.take_for_graph(a);
    REQUIRE(pools.graphs().used == 100);
    pools.free(a);
    REQUIRE(pools.graphs().used == 0);
    REQUIRE(d.memory.on_device(a, 100));
  }
  REQUIRE(pools.reserved_for_graphs() == 100);
}
