// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/device_memory.h"

#include "base/error.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Device addresses repeat from run to run and are aligned as CUDA's are", "[memory]") {
  DeviceMemory a(1ull << 30), b(1ull << 30);
  for (const uint64_t size : {1ull, 1000ull, 5ull << 20, 0ull, 300ull}) {
    const uint64_t address = a.allocate(size);
    CHECK(address == b.allocate(size));
    CHECK(address %
              (size >= DeviceMemory::kLargeFrom ? DeviceMemory::kLargePage : DeviceMemory::kAlignment) ==
          0);
  }
}

TEST_CASE("An access is legal inside its allocation and nowhere else", "[memory]") {
  DeviceMemory memory(1ull << 30);
  const uint64_t first = memory.allocate(1000, "first"), second = memory.allocate(64, "second");
  uint64_t low = 0, high = 0;
  CHECK(memory.locate(first + 996, 4, low, high));
  CHECK(low == first);
  CHECK(high == first + 1000);
  CHECK_FALSE(memory.locate(first + 997, 4, low, high));
  CHECK_FALSE(memory.locate(first + 1000, 1, low, high));
  CHECK_FALSE(memory.locate(first - 1, 1, low, high));
  CHECK_FALSE(memory.locate(0, 4, low, high));
  CHECK_FALSE(memory.locate(UINT64_MAX - 2, 8, low, high));
  CHECK(second >= first + 1000 + DeviceMemory::kGuard);
}

TEST_CASE("By pages an access may leave its allocation, as on a GPU, but no page with memory", "[memory]") {
  DeviceMemory memory(64ull << 20);
  memory.set_bounds(Bounds::kPages);
  const uint64_t small = memory.allocate(1000), large = memory.allocate(DeviceMemory::kLargePage + 8);
  uint64_t low = 0, high = 0;
  CHECK(memory.locate(small + 996, 8, low, high));
  CHECK(memory.locate(small + 5000, 4, low, high));
  CHECK(memory.locate(large + 2 * DeviceMemory::kLargePage - 4, 4, low, high));
  CHECK_FALSE(memory.locate(large + 2 * DeviceMemory::kLargePage, 4, low, high));
  CHECK_FALSE(memory.locate(large + 2 * DeviceMemory::kLargePage - 4, 8, low, high));
  CHECK_FALSE(memory.locate(16, 4, low, high));
  memory.free(large);
  CHECK_FALSE(memory.locate(large + 64, 4, low, high));
}

TEST_CASE("A wild address is described by the nearest allocation", "[memory]") {
  DeviceMemory memory(1ull << 30);
  CHECK(memory.describe(uint64_t{1} << 46, 4) == "the device has no allocations");
  const uint64_t a = memory.allocate(1000, "input");
  CHECK_THAT(memory.describe(a + 1008, 4),
             ContainsSubstring("8 bytes past the end of 'input' (1000 bytes at"));
  CHECK_THAT(memory.describe(a - 16, 4), ContainsSubstring("16 bytes before 'input'"));
  CHECK_THAT(memory.describe(a + 998, 4), ContainsSubstring("its last 2 bytes lie past the end of 'input'"));
}

TEST_CASE("Freed memory faults as freed and is not handed out again at once", "[memory]") {
  DeviceMemory memory(1ull << 30);
  const uint64_t a = memory.allocate(4096, "gone");
  memory.fill(a, 0xff, 4096);
  memory.free(a);
  uint64_t low = 0, high = 0;
  CHECK_FALSE(memory.locate(a, 4, low, high));
  CHECK(memory.fault_kind(a + 8) == ptx::FaultKind::kFreed);
  CHECK_THAT(memory.describe(a + 8, 4),
             ContainsSubstring("8 bytes into 'gone'") && ContainsSubstring("which was freed"));
  CHECK(memory.allocate(4096) != a);
  CHECK_THROWS_WITH(memory.free(a), ContainsSubstring("cudaErrorInvalidValue"));
  CHECK_NOTHROW(memory.free(0));
}

TEST_CASE("Memory that is allocated and freed for ever does not grow, and comes back zeroed", "[memory]") {
  DeviceMemory memory(64ull << 20);
  uint64_t highest = 0;
  for (int i = 0; i < 5000; ++i) {
    const uint64_t a = memory.allocate(40ull << 20);
    REQUIRE(*memory.view(a + 12345, 1) == 0);
    memory.fill(a + 12345, 0x55, 1);
    highest = std::max(highest, a);
    memory.free(a);
  }
  CHECK(highest - ptx::kGlobalBase < (2ull << 30));
  CHECK(memory.used() == 0);
  CHECK(memory.peak() == 40ull << 20);
}

TEST_CASE("A device that is full says so with CUDA's error name", "[memory]") {
  DeviceMemory memory(1ull << 20);
  memory.allocate(1000'000);
  CHECK_THROWS_WITH(memory.allocate(100'000, "big"),
                    ContainsSubstring("cudaErrorMemoryAllocation") && ContainsSubstring("'big'"));
}

TEST_CASE("Host copies are checked like device accesses", "[memory]") {
  DeviceMemory memory(1ull << 20);
  const uint64_t a = memory.allocate(16, "small");
  const uint32_t words[4] = {1, 2, 3, 4};
  uint32_t back[4] = {};
  memory.write(a, words, 16);
  memory.read(a, back, 16);
  CHECK(back[3] == 4);
  CHECK_THROWS_WITH(memory.write(a + 4, words, 16), ContainsSubstring("past the end of 'small'"));
}

TEST_CASE("Memory can be asked for at the addresses that another process had", "[memory]") {
  DeviceMemory before(1ull << 30);
  const uint64_t a = before.allocate(1000), gone = before.allocate(64), b = before.allocate(5ull << 20),
                 c = before.allocate(300);
  before.free(gone);
  DeviceMemory after(1ull << 30);
  CHECK(after.allocate_at(b, 5ull << 20, "b") == b);
  CHECK(after.allocate_at(c, 300, "c") == c);
  CHECK(after.allocate_at(a, 1000, "a") == a);  // in the gap before
  CHECK(after.used() == before.used());
  CHECK(after.find(b + 7)->name == "b");
  const uint64_t other = after.allocate(64);  // elsewhere
  CHECK((other + 64 <= a || other >= a + 1000));
  CHECK_THROWS_WITH(after.allocate_at(a, 8),
                    ContainsSubstring("are taken") && ContainsSubstring("inside 'a'"));
  CHECK_THROWS_WITH(after.allocate_at(b - 512, 2048), ContainsSubstring("are taken"));
  CHECK_THROWS_WITH(after.allocate_at(a + 8, 8), ContainsSubstring("not an address"));
  CHECK_THROWS_WITH(after.allocate_at(1 << 20, 8), ContainsSubstring("not an address"));
}
