// SPDX-License-Identifier: Apache-2.0
#include "sim/host/mapping.h"

#include <unistd.h>

#include <array>

#include "sim/host/status.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::host;

namespace {

constexpr uint64_t kPage = Mappings::kGranularity;

struct Device {
  sim::DeviceMemory device{64 * kPage, sim::HostPlacement::kSameAddress};
  Memory memory{device};
  Mappings mappings{memory};

  // Memory at an address, which kernels may touch.
  void place(uint64_t address, uint64_t handle, uint64_t pages = 1) {
    mappings.map(address, pages * kPage, 0, handle);
    mappings.set_access(address, pages * kPage, true);
  }
};

template <class F>
Status refusal(F&& f) {
  try {
    f();
  } catch (const Failure& failure) {
    return failure.status();
  }
  return Status::kSuccess;
}

}  // namespace

TEST_CASE("Bytes of physical memory are the same at every address where it is mapped, and stay unmapped",
          "[host]") {
  Device d;
  const uint64_t memory = d.mappings.create(kPage, false);
  const uint64_t range = d.mappings.reserve(4 * kPage, 0, 0);
  d.place(range, memory);
  d.place(range + 2 * kPage, memory);
  const int written = 42;
  d.device.write(range + 100, &written, sizeof written);
  int read = 0;
  d.device.read(range + 2 * kPage + 100, &read, sizeof read);
  REQUIRE(read == 42);
  d.mappings.unmap(range, kPage);
  d.mappings.unmap(range + 2 * kPage, kPage);
  d.place(range + kPage, memory);
  read = 0;
  d.device.read(range + kPage + 100, &read, sizeof read);
  REQUIRE(read == 42);
}

TEST_CASE("Reserved, mapped, accessible: only the last can be touched", "[host]") {
  Device d;
  const uint64_t range = d.mappings.reserve(2 * kPage, 0, 0);
  const auto touched = [&] { return refusal([&] { d.memory.on_device(range, 4); }); };
  REQUIRE(touched() == Status::kInvalidValue);
  d.mappings.map(range, kPage, 0, d.mappings.create(kPage, false));
  REQUIRE(touched() == Status::kInvalidValue);
  REQUIRE_FALSE(d.mappings.accessible(range));
  REQUIRE(d.device.describe(range, 4).find("no memory with access") != std::string::npos);
  d.mappings.set_access(range, kPage, true);
  REQUIRE(d.memory.on_device(range, kPage));
  REQUIRE(d.memory.facts(range)->kind == sim::MemoryKind::kMapped);
  d.mappings.unmap(range, kPage);
  REQUIRE(touched() == Status::kInvalidValue);
}

TEST_CASE("A copy may go over mappings that lie side by side", "[host]") {
  Device d;
  const uint64_t range = d.mappings.reserve(3 * kPage, 0, 0);
  d.place(range, d.mappings.create(kPage, false));
  d.place(range + kPage, d.mappings.create(2 * kPage, false), 2);
  REQUIRE(d.memory.on_device(range, 3 * kPage));
  d.mappings.set_access(range + kPage, 2 * kPage, false);
  REQUIRE(refusal([&] { d.memory.on_device(range, 3 * kPage); }) == Status::kInvalidValue);
  REQUIRE(d.memory.on_device(range, kPage));
}

TEST_CASE("Physical memory counts until its handle is released and nothing is mapped", "[host]") {
  Device d;
  const uint64_t memory = d.mappings.create(2 * kPage, false);
  REQUIRE(d.memory.used() == 2 * kPage);
  const uint64_t range = d.mappings.reserve(2 * kPage, 0, 0);
  REQUIRE(d.memory.used() == 2 * kPage);
  d.place(range, memory, 2);
  d.mappings.release(memory);
  REQUIRE(d.memory.used() == 2 * kPage);
  REQUIRE(d.mappings.retain(range + kPage) == memory);
  d.mappings.release(memory);
  d.mappings.unmap(range, 2 * kPage);
  REQUIRE(d.memory.used() == 0);
  d.mappings.free(range, 2 * kPage);
  REQUIRE(refusal([&] { d.mappings.create(65 * kPage, false); }) == Status::kMemoryAllocation);
}

TEST_CASE("Sizes, addresses and handles that CUDA refuses are refused", "[host]") {
  Device d;
  const uint64_t memory = d.mappings.create(kPage, false), range = d.mappings.reserve(2 * kPage, 0, 0);
  const auto invalid = [&](auto f) { return refusal(f) == Status::kInvalidValue; };
  REQUIRE(invalid([&] { d.mappings.create(kPage / 2, false); }));
  REQUIRE(invalid([&] { d.mappings.reserve(kPage + 1, 0, 0); }));
  REQUIRE(invalid([&] { d.mappings.map(range, kPage, 0, memory + 1); }));
  REQUIRE(invalid([&] { d.mappings.map(range, 2 * kPage, 0, memory); }));
  REQUIRE(invalid([&] { d.mappings.map(range + 2 * kPage, kPage, 0, memory); }));
  REQUIRE(invalid([&] { d.mappings.set_access(range, kPage, true); }));
  REQUIRE(invalid([&] { d.mappings.exported(memory); }));
  d.mappings.map(range, kPage, 0, memory);
  REQUIRE(invalid([&] { d.mappings.map(range, kPage, 0, memory); }));
  REQUIRE(invalid([&] { d.mappings.unmap(range, 2 * kPage); }));
  REQUIRE(invalid([&] { d.mappings.free(range, 2 * kPage); }));
  REQUIRE(invalid([&] { d.memory.free(range); }));
}

TEST_CASE("A reservation takes the address that is asked for, where that is free", "[host]") {
  Device d;
  const uint64_t first = d.mappings.reserve(kPage, 0, 0);
  const uint64_t wanted = first + 16 * kPage;
  REQUIRE(d.mappings.reserve(2 * kPage, 0, wanted) == wanted);
  const uint64_t other = d.mappings.reserve(2 * kPage, 0, wanted);
  REQUIRE(other != wanted);
  d.mappings.free(wanted, 2 * kPage);
  REQUIRE(d.mappings.reserve(2 * kPage, 0, wanted) == wanted);
  REQUIRE(d.mappings.reserve(kPage, 8 * kPage, 0) % (8 * kPage) == 0);
}

TEST_CASE("Memory goes to another process as a file descriptor", "[host]") {
  Device d;
  const uint64_t memory = d.mappings.create(kPage, true);
  const int file = d.mappings.exported(memory);
  const uint64_t imported = d.mappings.import(file);
  close(file);
  REQUIRE(d.memory.used() == kPage);  // it counts once, where it was made
  const uint64_t range = d.mappings.reserve(2 * kPage, 0, 0);
  d.place(range, memory);
  d.place(range + kPage, imported);
  d.device.fill(range, 9, 1);
  REQUIRE(*d.device.view(range + kPage, 1) == 9);
}
