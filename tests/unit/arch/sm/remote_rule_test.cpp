// SPDX-License-Identifier: Apache-2.0
// Each case is a pattern of bench/silicon/probes/clusters: 1.5 cycles a flit are the H200's rate.
#include "arch/sm/remote_rule.h"

#include <array>

#include "ptx/exec/memory_view.h"
#include "tests/catch2.h"

using namespace gpuloom::arch;

namespace {

// Word `word(lane)` of the block `rank(lane)`.
template <class Rank, class Word>
RemotePackets packets(RemoteKind kind, Rank rank, Word word) {
  std::array<uint64_t, 32> a{};
  for (unsigned l = 0; l < 32; ++l)
    a[l] = uint64_t{rank(l) + 1} << gpuloom::ptx::kSharedRankShift | uint64_t{word(l)} * 4;
  RemotePackets out;
  remote_packets(kind, a.data(), ~0u, 4, out);
  return out;
}

unsigned flits(const RemotePackets& p) {
  unsigned n = 0;
  for (unsigned i = 0; i < p.count; ++i) n += p.packet[i].flits;
  return n;
}

constexpr auto kOneTarget = [](unsigned) { return 1u; };
constexpr auto kLine = [](unsigned l) { return l; };

}  // namespace

TEST_CASE("A load asks another SM with one flit a line and is answered with one a sector", "[arch]") {
  const RemotePackets line = packets(RemoteKind::kLoad, kOneTarget, kLine);
  REQUIRE(line.count == 1);
  REQUIRE(line.packet[0].rank == 1);
  REQUIRE(line.packet[0].flits == 1);
  REQUIRE(line.packet[0].answer_flits == 4);
  const RemotePackets spread = packets(
      RemoteKind::kLoad, [](unsigned l) { return l % 4; }, kLine);
  REQUIRE(spread.count == 4);
  REQUIRE(flits(spread) == 4);
}

TEST_CASE("A store to another SM sends whole sectors, or sixteen bytes at a time", "[arch]") {
  REQUIRE(flits(packets(RemoteKind::kStore, kOneTarget, kLine)) == 4);  // 6 cycles
  REQUIRE(flits(packets(
              RemoteKind::kStore, [](unsigned l) { return l % 2; }, kLine)) == 16);  // 24
  REQUIRE(flits(packets(
              RemoteKind::kStore, [](unsigned l) { return l % 4; }, kLine)) == 32);                  // 48
  REQUIRE(flits(packets(RemoteKind::kStore, kOneTarget, [](unsigned l) { return l * 33; })) == 32);  // 48
}

TEST_CASE("An atomic on another SM sends a header and the sectors up to its last word", "[arch]") {
  REQUIRE(flits(packets(RemoteKind::kAtomic, kOneTarget, kLine)) == 5);  // 7.5 cycles
  REQUIRE(flits(packets(RemoteKind::kAtomic, kOneTarget, [](unsigned l) { return l * 33; })) == 32);  // 48
  REQUIRE(flits(packets(
              RemoteKind::kAtomic, [](unsigned l) { return l % 4; }, kLine)) == 20);  // 30
}

TEST_CASE("Lanes that name one word of another SM send an atomic each", "[arch]") {
  REQUIRE(packets(RemoteKind::kAtomic, kOneTarget, [](unsigned) { return 0u; }).count == 32);
  REQUIRE(flits(packets(RemoteKind::kAtomic, kOneTarget, [](unsigned l) { return l / 2; })) ==
          6);  // 9 cycles
  REQUIRE(flits(packets(RemoteKind::kAtomic, kOneTarget, [](unsigned l) { return l / 8; })) == 16);  // 24
}
