// SPDX-License-Identifier: Apache-2.0
// Built-in policies by themselves: what they choose, called as their units call them.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "arch/policy/choice.h"
#include "arch/sm/l1_cache.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::arch;

namespace {

PolicyChoice choice(std::string_view kind, std::string_view name,
                    std::vector<std::pair<std::string, double>> parameters = {}) {
  PolicyChoice c = built_in_policy(kind, name);
  c.parameters = std::move(parameters);
  return c;
}

// Lines that a cache of one set and four ways holds after these accesses, each of which is filled at once.
std::set<uint64_t> held(const PolicyChoice& replacement, const std::vector<uint64_t>& accesses) {
  L1Cache cache;
  cache.configure(4 * kLineBytes, 1, replacement);
  std::set<uint64_t> all;
  for (const uint64_t number : accesses) {
    const uint64_t line = number * kLineBytes;
    all.insert(number);
    if (cache.lookup({.line = line, .sectors = 1}).hit != 0) continue;
    const int32_t entry = cache.allocate({.line = line, .sectors = 1});
    cache.mark_pending(entry, 1, 0);
    cache.fill(entry, line, 1, 0);
  }
  std::set<uint64_t> here;
  for (const uint64_t number : all)
    if (cache.lookup({.line = number * kLineBytes, .sectors = 1}).hit != 0) here.insert(number);
  return here;
}

// A set of four ways, oldest first; each line's letter, upper case where memory has not got it.
struct FourWays final : policy::Lines {
  std::string lines;
  std::map<char, uint32_t> states;
  size_t at = 0;
  explicit FourWays(std::string l) : lines(std::move(l)) {}
  bool next(Line& line) override {
    if (at == lines.size()) return false;
    const char c = lines[at];
    line = {static_cast<uint32_t>(at++), &states[c], c < 'a'};
    return true;
  }
  char evict(policy::Replacement& policy) {
    at = 0;
    const uint32_t victim = policy.victim(*this, {});
    const char c = lines[victim];
    lines.erase(victim, 1);
    return c;
  }
};

std::vector<policy::SmPlace> eight_sms() {
  std::vector<policy::SmPlace> sms(8);
  for (uint32_t i = 0; i < 8; ++i) sms[i] = {i, i / 4, i % 4 / 2, i % 2, false, 0};
  return sms;
}

// Where `blocks` blocks go that never end.
std::vector<uint32_t> places(const PolicyChoice& order, uint64_t blocks, uint32_t per_sm) {
  std::vector<policy::SmPlace> sms = eight_sms();
  const auto policy = order.make<policy::BlockOrder>({sms.data(), 8});
  policy->start({static_cast<uint32_t>(blocks), 1, 1});
  std::vector<uint32_t> result, wave(8);
  while (result.size() < blocks) {
    const uint32_t n = policy->wave(sms.data(), 8, per_sm, blocks - result.size(), wave.data());
    if (n == 0) break;
    for (uint32_t i = 0; i < n; ++i) {
      result.push_back(wave[i]);
      ++sms[wave[i]].blocks;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("Least recently used keeps what was used again, first in first out does not", "[arch][policy]") {
  const std::vector<uint64_t> accesses = {1, 2, 3, 4, 1, 5};
  CHECK(held(choice("replacement", "lru"), accesses) == std::set<uint64_t>{1, 3, 4, 5});
  CHECK(held(choice("replacement", "fifo"), accesses) == std::set<uint64_t>{2, 3, 4, 5});
}

TEST_CASE("Re-reference prediction keeps what was used again over a scan", "[arch][policy]") {
  std::vector<uint64_t> accesses = {1, 2, 1, 2};
  for (uint64_t scan = 10; scan < 30; ++scan) accesses.push_back(scan);
  const auto srrip = held(choice("replacement", "srrip", {{"bits", 8}}), accesses);
  CHECK(srrip.count(1) == 1);
  CHECK(srrip.count(2) == 1);
  CHECK(held(choice("replacement", "lru"), accesses).count(1) == 0);
}

TEST_CASE("Clean lines go before older ones that memory has not got, but only so often", "[arch][policy]") {
  const auto policy = choice("replacement", "clean_first", {{"window", 3}, {"passes", 2}})
                          .make<policy::Replacement>({"l2", 0, 1, 8});
  FourWays set("ABcdefg");
  CHECK(set.evict(*policy) == 'c');
  CHECK(set.evict(*policy) == 'd');
  CHECK(set.evict(*policy) == 'A');  // passed over twice
  CHECK(set.evict(*policy) == 'B');
  CHECK(set.evict(*policy) == 'e');
  FourWays written("ABCd");
  CHECK(written.evict(*policy) == 'A');  // no clean one within the window
  FourWays again("Abcd");
  again.evict(*policy), again.evict(*policy);
  policy->hit(again.states['A'], {.kind = policy::AccessKind::kWrite});
  CHECK(again.evict(*policy) == 'd');
}

TEST_CASE("Bimodal insertion keeps a part of a loop that is larger than the cache", "[arch][policy]") {
  std::vector<uint64_t> accesses;
  for (int round = 0; round < 3; ++round)
    for (uint64_t line = 1; line <= 8; ++line) accesses.push_back(line);
  const auto bip = held(choice("replacement", "bip", {{"one_in", 65536}}), accesses);
  CHECK(bip.count(1) + bip.count(2) + bip.count(3) >= 2);
}

TEST_CASE("Every hash of L2 spreads lines in a row evenly over partitions, slices and sets",
          "[arch][policy]") {
  const policy::L2Host host{96, 2, 320, 8192, 1024};
  for (const auto* entry : policies("l2_hash")) {
    const auto hash = choice("l2_hash", entry->name, {{"degree", 11}}).make<policy::AddressHash>(host);
    std::map<uint32_t, uint32_t> slices, sets;
    constexpr uint64_t kLines = 96 * 320 * 8;
    for (uint64_t i = 0; i < kLines; ++i) {
      const policy::L2Place place = hash->place(i * kLineBytes);
      REQUIRE(place.partition < 2);
      REQUIRE(place.index < 48);
      REQUIRE(hash->set(i * kLineBytes) < 320);
      ++slices[place.partition * 48 + place.index];
      ++sets[hash->set(i * kLineBytes)];
    }
    INFO(entry->name);
    CHECK(slices.size() == 96);
    CHECK(sets.size() == 320);
    const auto most = [](const std::map<uint32_t, uint32_t>& m) {
      uint32_t n = 0;
      for (const auto& [key, count] : m) n = std::max(n, count);
      return n;
    };
    CHECK(most(slices) < 1.25 * kLines / 96);
    CHECK(most(sets) < 1.25 * kLines / 320);
  }
}

TEST_CASE("Every slice has a place of its own along its side's line", "[arch][policy]") {
  const policy::L2Host host{94, 2, 320, 4096, 1024};
  for (const auto* entry : policies("l2_hash")) {
    INFO(entry->name);
    const auto hash = choice("l2_hash", entry->name, {{"degree", 11}}).make<policy::AddressHash>(host);
    std::set<double> places;
    for (uint32_t slice = 0; slice < 47; ++slice) places.insert(hash->along(slice));
    CHECK(places.size() == 47);
    CHECK(*places.begin() > 0);
    CHECK(*places.rbegin() < 1);
  }
  // H200 (probes/memory, slices near): of six slices in a row the second is the nearest, the fourth the
  // farthest.
  const auto hash = choice("l2_hash", "h200", {}).make<policy::AddressHash>(host);
  for (uint32_t slice = 0; slice < 6; ++slice) {
    CHECK(hash->along(1) <= hash->along(slice));
    CHECK(hash->along(3) >= hash->along(slice));
  }
}

TEST_CASE("A stride of a power of two meets in few slices only where there is no hash", "[arch][policy]") {
  const policy::L2Host host{96, 2, 320, 8192, 1024};
  const auto used = [&](const char* name) {
    const auto hash = choice("l2_hash", name, {{"degree", 11}}).make<policy::AddressHash>(host);
    std::set<uint32_t> slices;
    for (uint64_t i = 0; i < 4096; ++i) {
      const policy::L2Place place = hash->place(i << 16);
      slices.insert(place.partition * 48 + place.index);
    }
    return slices.size();
  };
  CHECK(used("modulo") <= 3);
  CHECK(used("h200") >= 90);
  CHECK(used("ipoly") >= 40);
}

// As an H200 has it: bench/silicon/probes/timeline, capacity.
TEST_CASE("Up to as much as L2 holds, hardly a line in a row finds its set full", "[arch][policy]") {
  for (const uint32_t slices : {96u, 40u, 8u}) {
    const policy::L2Host host{slices, 2, 320, 4096, 1024};
    const auto hash = choice("l2_hash", "h200", {}).make<policy::AddressHash>(host);
    constexpr uint32_t kWays = 16;
    std::map<std::array<uint32_t, 3>, uint32_t> held;
    const uint64_t lines = uint64_t{slices} * host.sets * kWays * 9 / 10;
    uint64_t beyond = 0;
    for (uint64_t i = 0; i < lines; ++i) {
      const policy::L2Place place = hash->place(i * kLineBytes);
      beyond += ++held[{place.partition, place.index, hash->set(i * kLineBytes)}] > kWays;
    }
    INFO(slices << " slices");
    CHECK(beyond < lines / 100);  // of sets that are chosen at random one line in 17 is
  }
}

TEST_CASE("Lines in a row fill the sets of all slices alike", "[arch][policy]") {
  for (const uint32_t slices : {96u, 94u, 80u, 40u, 8u}) {
    const policy::L2Host host{slices, 2, 320, 4096, 1024};
    const auto hash = choice("l2_hash", "h200", {}).make<policy::AddressHash>(host);
    std::map<std::array<uint32_t, 3>, uint32_t> held;
    const uint64_t lines = uint64_t{slices} * host.sets * 8;  // eight each
    for (uint64_t i = 0; i < lines; ++i) {
      const policy::L2Place place = hash->place(i * kLineBytes);
      ++held[{place.partition, place.index, hash->set(i * kLineBytes)}];
    }
    INFO(slices << " slices");
    CHECK(held.size() == size_t{slices} * host.sets);
    for (const auto& [set, count] : held) REQUIRE((count >= 6 && count <= 10));
  }
}

TEST_CASE("Lines that are a power of two apart meet in no fewer sets than at random", "[arch][policy]") {
  for (const uint32_t slices : {96u, 48u, 8u}) {
    const policy::L2Host host{slices, slices == 96 ? 2u : 1u, slices == 48 ? 768u : 320u, 4096, 1024};
    const auto hash = choice("l2_hash", "h200", {}).make<policy::AddressHash>(host);
    for (const uint64_t stride : {2048u, 8192u, 16384u, 65536u}) {
      std::map<std::array<uint32_t, 3>, uint32_t> held;
      const uint64_t lines = uint64_t{slices} * host.sets / 2;  // a half of a line for each set
      uint32_t most = 0;
      for (uint64_t i = 0; i < lines; ++i) {
        const policy::L2Place place = hash->place(i * stride);
        most = std::max(most, ++held[{place.partition, place.index, hash->set(i * stride)}]);
      }
      INFO(slices << " slices, " << stride << " bytes");
      CHECK(most <= 8);  // 6 or 7 of sets that are chosen at random
      CHECK(static_cast<double>(held.size()) > 0.7 * static_cast<double>(lines));  // 0.79 at random
    }
  }
}

// As an H200 has it: bench/silicon/probes/memory, slices.
TEST_CASE("Neighbouring KiB of one partition share slices no sooner than on an H200", "[arch][policy]") {
  const policy::L2Host host{94, 2, 320, 4096, 1024};
  const auto hash = choice("l2_hash", "h200", {}).make<policy::AddressHash>(host);
  // Most that one slice has of so many KiB in a row of one partition, by pieces of 256 bytes.
  const auto most = [&](uint64_t kib) {
    uint32_t worst = 0;
    std::array<std::map<uint32_t, uint32_t>, 2> of;
    for (uint64_t piece = 0; piece < 4 * 2048; ++piece) {
      const policy::L2Place place = hash->place(piece * 256);
      worst = std::max(worst, ++of[place.partition][place.index]);
      if (piece % (8 * kib) == 8 * kib - 1) of = {};
    }
    return worst / 2;  // a KiB has two pieces of each of its slices
  };
  CHECK(most(8) == 1);
  CHECK(most(16) == 2);  // so small arrays are changed at half the rate of as many slices
  CHECK(most(32) == 2);
  CHECK(most(64) <= 4);
}

TEST_CASE("Every 8 KiB have a half on each side of an H200's L2", "[arch][policy]") {
  const policy::L2Host host{94, 2, 320, 4096, 1024};
  const auto hash = choice("l2_hash", "h200", {}).make<policy::AddressHash>(host);
  unsigned turned = 0;
  for (uint64_t at = 0; at < 1 << 22; at += 8192) {
    const uint32_t first = hash->place(at).partition;
    REQUIRE(hash->place(at + 4096).partition == 1 - first);
    turned += first;
  }
  CHECK(turned > 200);
  CHECK(turned < 312);
}

TEST_CASE("Rows stay open, close at once, or close when they idle", "[arch][policy]") {
  const policy::DramHost host{0, 16, 2};  // two cycles a nanosecond
  const policy::RowAccess access{3, 7, 1000, false, false};
  CHECK(choice("page", "open").make<policy::PagePolicy>(host)->open_until(access) == policy::kNever);
  CHECK(choice("page", "closed").make<policy::PagePolicy>(host)->open_until(access) == 1000);
  CHECK(choice("page", "idle", {{"nanoseconds", 100}}).make<policy::PagePolicy>(host)->open_until(access) ==
        1200);
}

TEST_CASE("Blocks spread over SMs, or fill one after another, or go round", "[arch][policy]") {
  CHECK(places(choice("block_order", "spread"), 4, 2) ==
        std::vector<uint32_t>{0, 2, 4, 6});  // first SMs of TPCs
  CHECK(places(choice("block_order", "spread"), 8, 2) == std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(places(choice("block_order", "fill"), 5, 2) == std::vector<uint32_t>{0, 0, 1, 1, 2});
  const PolicyChoice tiles = choice("block_order", "tiles", {{"width", 2}, {"height", 2}});
  CHECK(places(tiles, 10, 2) == std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 0, 1});
}

TEST_CASE("Grids go by priority and arrival, each before the next, or in turns", "[arch][policy]") {
  std::vector<policy::GridPlace> grids{{0, 0, 1, 9, true}, {1, -1, 2, 9, true}, {2, 0, 3, 9, true}};
  const auto leftover = choice("grid_order", "leftover").make<policy::GridOrder>({});
  CHECK(leftover->next(grids.data(), 3) == 1);  // of higher priority
  grids[1].fits = false;
  CHECK(leftover->next(grids.data(), 3) == policy::kNone);  // nobody passes it
  grids.erase(grids.begin() + 1);
  CHECK(leftover->next(grids.data(), 2) == 0);
  CHECK(leftover->next(grids.data(), 2) == 0);

  const auto turns = choice("grid_order", "turns").make<policy::GridOrder>({});
  CHECK(turns->next(grids.data(), 2) == 0);
  CHECK(turns->next(grids.data(), 2) == 1);
  CHECK(turns->next(grids.data(), 2) == 0);
  grids[1].fits = false;
  CHECK(turns->next(grids.data(), 2) == 0);
  grids[0].fits = false;
  CHECK(turns->next(grids.data(), 2) == policy::kNone);
}

TEST_CASE("Tiles hand out each block of any grid once, neighbours together", "[arch][policy]") {
  std::vector<policy::SmPlace> sms = eight_sms();
  const auto tiles =
      choice("block_order", "tiles", {{"width", 3}, {"height", 2}}).make<policy::BlockOrder>({sms.data(), 8});
  for (const policy::GridShape grid : {policy::GridShape{7, 5, 2}, {3, 2, 1}, {1, 9, 1}, {10, 1, 3}}) {
    tiles->start(grid);
    std::set<uint64_t> seen;
    const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
    for (uint64_t n = 0; n < blocks; ++n) seen.insert(tiles->block(n));
    CHECK(seen.size() == blocks);
    CHECK(*seen.rbegin() == blocks - 1);
  }
  tiles->start({7, 5, 2});
  CHECK(tiles->block(0) == 0);
  CHECK(tiles->block(2) == 2);
  CHECK(tiles->block(3) == 7);  // the tile's second row
  CHECK(tiles->block(6) == 3);  // the next tile
}

TEST_CASE("Prefetchers ask for the next lines behind a miss, and for strides that they have seen twice",
          "[arch][policy]") {
  std::vector<uint64_t> lines(policy::Prefetcher::kMost);
  policy::CacheAccess access{.line = 0x1000, .pc = 5};
  const auto none = choice("l2_prefetch", "none").make<policy::Prefetcher>({});
  CHECK(none->fetch(access, false, lines.data()) == 0);
  const auto next = choice("l2_prefetch", "next_lines", {{"degree", 2}}).make<policy::Prefetcher>({});
  CHECK(next->fetch(access, true, lines.data()) == 0);
  REQUIRE(next->fetch(access, false, lines.data()) == 2);
  CHECK(lines[0] == 0x1080);
  CHECK(lines[1] == 0x1100);
  const auto stride =
      choice("l2_prefetch", "stride", {{"entries", 16}, {"distance", 2}}).make<policy::Prefetcher>({});
  CHECK(stride->fetch(access, false, lines.data()) == 0);
  access.line = 0x1400;
  CHECK(stride->fetch(access, false, lines.data()) == 0);
  access.line = 0x1800;
  REQUIRE(stride->fetch(access, false, lines.data()) == 1);
  CHECK(lines[0] == 0x2000);
  access.pc = 6;  // another instruction
  CHECK(stride->fetch(access, false, lines.data()) == 0);
}
