// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "arch/noc/cluster_link.h"
#include "arch/policy/choice.h"
#include "arch/sm/bank_rule.h"
#include "arch/sm/coalescer.h"
#include "arch/sm/event_queue.h"
#include "arch/sm/l1_cache.h"
#include "arch/sm/ordering_pass.h"
#include "arch/sm/write_buffer.h"
#include "ptx/exec/memory_view.h"
#include "tests/catch2.h"

using namespace gpuloom::arch;

namespace {

std::array<uint64_t, 32> strided(uint64_t base, uint64_t stride) {
  std::array<uint64_t, 32> a{};
  for (unsigned l = 0; l < 32; ++l) a[l] = base + l * stride;
  return a;
}
constexpr BankGeometry kBanks{32, 4};

}  // namespace

TEST_CASE("Lanes side by side take one pass a phase, whatever their width", "[arch]") {
  for (unsigned bytes : {4u, 8u, 16u}) {
    const auto a = strided(0, bytes);
    const BankPasses p = bank_passes(kBanks, a.data(), ~0u, bytes);
    REQUIRE(p.phases == bytes / 4);
    REQUIRE(p.conflicts() == 0);
  }
}

TEST_CASE("A stride of n words takes as many passes as lanes share a bank", "[arch]") {
  for (unsigned stride : {2u, 4u, 8u, 16u, 32u}) {
    const auto a = strided(0, stride * 4);
    REQUIRE(bank_passes(kBanks, a.data(), ~0u, 4).passes == stride);
  }
  const auto odd = strided(0, 33 * 4);
  REQUIRE(bank_passes(kBanks, odd.data(), ~0u, 4).passes == 1);
}

TEST_CASE("Lanes that hit the same word share a pass", "[arch]") {
  const auto same = strided(64, 0);
  REQUIRE(bank_passes(kBanks, same.data(), ~0u, 4).passes == 1);
}

TEST_CASE("Sixteen-byte lanes conflict within their quarter-warp only", "[arch]") {
  const auto a = strided(0, 32);  // two quarters of the banks: each quarter-warp needs two passes
  const BankPasses p = bank_passes(kBanks, a.data(), ~0u, 16);
  REQUIRE(p.phases == 4);
  REQUIRE(p.passes == 8);
}

TEST_CASE("A phase without lanes costs nothing", "[arch]") {
  const auto a = strided(0, 8);
  REQUIRE(bank_passes(kBanks, a.data(), 0x0000ffffu, 8).passes == 1);
}

TEST_CASE("Stores of 16 bytes a lane go by quarter-warps, loads by half-warps") {
  std::array<uint64_t, 32> a{};
  for (unsigned l = 0; l < 32; ++l) a[l] = l % 8 * 128 + l / 8 * 16;
  CHECK(store_passes(kBanks, a.data(), ~0u, 16).passes == 32);
  CHECK(store_passes(kBanks, a.data(), ~0u, 16).conflicts() == 28);
  CHECK(bank_passes(kBanks, a.data(), ~0u, 16).passes == 16);
  for (unsigned l = 0; l < 32; ++l) a[l] = l * 16;
  CHECK(store_passes(kBanks, a.data(), ~0u, 16).passes == 4);
}

TEST_CASE("Lanes of one word go together where they add one, else one after another", "[arch]") {
  gpuloom::ptx::MemoryAccess a;
  a.op = gpuloom::ptx::AccessOp::kAtomic;
  a.space = gpuloom::ptx::Space::kShared;
  a.lanes = ~0u;
  std::fill(std::begin(a.address), std::end(a.address), uint64_t{64});
  const auto passes = [&](SharedAtomic way) {
    return shared_passes(kBanks, a, lanes_here(a, 0), 4, way).passes;
  };
  CHECK(passes(SharedAtomic::kIncrement) == 1);
  CHECK(passes(SharedAtomic::kPlain) == 32);
  CHECK(passes(SharedAtomic::kCompareSwap) == 32);
  CHECK(passes(SharedAtomic::kWindow) == 32);
  // All lanes in another block of the cluster: none takes a pass here, but the instruction one.
  a.space = gpuloom::ptx::Space::kSharedCluster;
  std::fill(std::begin(a.address), std::end(a.address), (uint64_t{2} << gpuloom::ptx::kSharedRankShift) + 64);
  CHECK(lanes_here(a, 1) == ~0u);
  CHECK(lanes_here(a, 0) == 0);
  CHECK(passes(SharedAtomic::kPlain) == 1);
}

TEST_CASE("Matrix rows one behind the other take one pass, rows in the same banks eight", "[arch]") {
  const auto dense = strided(0, 16), pitched = strided(0, 128);
  REQUIRE(matrix_passes(kBanks, dense.data(), 32).conflicts() == 0);
  REQUIRE(matrix_passes(kBanks, pitched.data(), 8).passes == 8);
}

TEST_CASE("An aligned warp of words touches four sectors of a line, a misaligned one five", "[arch]") {
  Coalesced c;
  coalesce(strided(0x1000, 4).data(), ~0u, 4, false, c);
  REQUIRE(c.sectors == 4);
  REQUIRE(c.lines == 1);
  REQUIRE(c.ideal_sectors == 4);
  coalesce(strided(0x1004, 4).data(), ~0u, 4, false, c);
  REQUIRE(c.sectors == 5);
  REQUIRE(c.lines == 2);
}

TEST_CASE("A stride of a line touches a sector of each of 32 lines", "[arch]") {
  Coalesced c;
  coalesce(strided(0, 128).data(), ~0u, 4, false, c);
  REQUIRE(c.lines == 32);
  REQUIRE(c.sectors == 32);
}

TEST_CASE("An atomic unit takes one lane for each word of a sector at a time", "[arch]") {
  const auto turns = [](uint64_t words, uint64_t stride) {
    uint64_t address[kWarpSize];
    for (unsigned l = 0; l < kWarpSize; ++l) address[l] = 4096 + l % words * stride;
    Coalesced out;
    coalesce(address, ~0u, 4, true, out);
    count_turns(address, ~0u, 4, out);
    unsigned sum = 0;
    for (unsigned i = 0; i < out.lines; ++i) sum += out.line[i].turns;
    return sum;
  };
  CHECK(turns(1, 4) == 32);
  CHECK(turns(4, 4) == 8);    // one sector, eight lanes a word
  CHECK(turns(8, 4) == 4);    // a whole sector
  CHECK(turns(32, 4) == 4);   // four of them
  CHECK(turns(4, 32) == 32);  // a word of each sector: eight lanes each
  CHECK(turns(2, 128) == 32);
  CHECK(turns(32, 128) == 32);  // a line each
}

TEST_CASE("Copies past level 1 ask again for sectors that go to two sectors of shared memory", "[arch]") {
  struct Asked {
    unsigned requests, sectors, counted;
    bool operator==(const Asked&) const = default;
  };
  // Rows of `row` lanes of 16 bytes, in lines of their own, at a pitch in shared memory; the H200's counts
  // (probes/copies).
  const auto asked = [](unsigned row, unsigned pitch, unsigned shift) {
    uint64_t from[kWarpSize];
    uint32_t to[kWarpSize];
    for (unsigned l = 0; l < kWarpSize; ++l) {
      from[l] = l / row * 1024u + l % row * 16u;
      to[l] = shift + l / row * pitch + l % row * 16u;
    }
    Coalesced c;
    coalesce_copy(from, to, ~0u, c);
    unsigned sectors = 0;
    for (unsigned i = 0; i < c.lines; ++i) sectors += static_cast<unsigned>(std::popcount(c.line[i].sectors));
    return Asked{c.lines, sectors, c.sectors};
  };
  CHECK(asked(32, 512, 0) == Asked{4, 16, 16});
  CHECK(asked(32, 512, 16) == Asked{12, 32, 20});
  CHECK(asked(32, 512, 32) == Asked{8, 16, 16});
  CHECK(asked(4, 80, 0) == Asked{13, 20, 20});
  CHECK(asked(4, 96, 0) == Asked{10, 16, 16});
  CHECK(asked(8, 144, 0) == Asked{10, 24, 18});
  CHECK(asked(16, 288, 0) == Asked{6, 16, 16});
}

TEST_CASE("Stores know which sectors they cover whole", "[arch]") {
  Coalesced c;
  coalesce(strided(0, 4).data(), 0x000000ff, 4, true, c);
  REQUIRE(c.line[0].full);
  REQUIRE(c.line[0].bytes == 32);
  coalesce(strided(0, 4).data(), 0x0000007f, 4, true, c);
  REQUIRE_FALSE(c.line[0].full);
  REQUIRE(c.line[0].bytes == 28);
}

TEST_CASE("Nothing joins a line's later request that was answered before an earlier one", "[arch]") {
  L1Cache l1;
  l1.configure(4 * 128, 1, built_in_policy("replacement", "lru"));
  const int32_t entry = l1.allocate({.line = 0x1000});
  l1.mark_pending(entry, 0b0001, 5);
  l1.mark_pending(entry, 0b0010, 6);
  CHECK(l1.latest_request(entry) == 6);
  l1.fill(entry, 0x1000, 0b0010, 6);
  CHECK(l1.latest_request(entry) == UINT32_MAX);
  CHECK(l1.pending_request(entry, 0) == 5);
}

TEST_CASE("A level-1 miss fetches only the sectors that are missing", "[arch]") {
  L1Cache l1;
  l1.configure(4096, 4, built_in_policy("replacement", "lru"));
  L1Cache::Lookup first = l1.lookup({.line = 0x1000, .sectors = 0b0011});
  REQUIRE(first.missing == 0b0011);
  const int32_t entry = l1.allocate({.line = 0x1000});
  l1.mark_pending(entry, 0b0011, 7);
  REQUIRE(l1.lookup({.line = 0x1000, .sectors = 0b0111}).pending == 0b0011);
  REQUIRE(l1.lookup({.line = 0x1000, .sectors = 0b0111}).missing == 0b0100);
  REQUIRE(l1.pending_request(entry, 1) == 7);
  l1.fill(entry, 0x1000, 0b0011, 0);
  REQUIRE(l1.lookup({.line = 0x1000, .sectors = 0b0111}).hit == 0b0011);
}

TEST_CASE("Level 1 evicts the least recently used line and never one that is on its way", "[arch]") {
  L1Cache l1;
  l1.configure(2 * 128, 1, built_in_policy("replacement", "lru"));  // two lines
  for (uint64_t line : {0x000u, 0x080u}) {
    const int32_t e = l1.allocate({.line = line});
    l1.mark_pending(e, 1, 0);
    REQUIRE(l1.lookup({.line = line, .sectors = 1}).pending == 1);
  }
  REQUIRE(l1.allocate({.line = 0x100}) < 0);
  l1.fill(l1.lookup({.line = 0x000, .sectors = 1}).entry, 0x000, 1, 0);
  l1.fill(l1.lookup({.line = 0x080, .sectors = 1}).entry, 0x080, 1, 0);
  l1.lookup({.line = 0x000, .sectors = 1});
  REQUIRE(l1.allocate({.line = 0x100}) >= 0);
  REQUIRE(l1.lookup({.line = 0x000, .sectors = 1}).hit == 1);
  REQUIRE(l1.lookup({.line = 0x080, .sectors = 1}).missing == 1);
}

namespace {
std::unique_ptr<gpuloom::policy::Scheduler> scheduler(
    const char* name, std::vector<std::pair<std::string, double>> parameters = {}) {
  PolicyChoice choice = built_in_policy("scheduler", name);
  choice.parameters = std::move(parameters);
  return choice.make<gpuloom::policy::Scheduler>({});
}
}  // namespace

TEST_CASE("Greedy schedulers stay with a warp; then the youngest or the oldest is next", "[arch]") {
  auto gty = scheduler("gty"), gto = scheduler("gto"), lrr = scheduler("lrr");
  for (gpuloom::policy::Scheduler* s : {gty.get(), gto.get(), lrr.get()})
    for (unsigned slot : {2u, 0u, 1u}) s->launched(slot, 0);  // 2 is the oldest, 1 the youngest
  REQUIRE(gty->pick(0b111, 1) != 2);
  const unsigned greedy = gty->pick(0b111, 2);
  REQUIRE(gty->pick(0b111, 3) == greedy);
  REQUIRE(gty->pick(0b110, 4) == 1);
  REQUIRE(gto->pick(0b110, 5) == 2);
  REQUIRE(gto->pick(0b111, 6) == 2);
  REQUIRE(gto->pick(0b011, 7) == 0);
  REQUIRE(lrr->pick(0b111, 8) == 0);
  REQUIRE(lrr->pick(0b111, 9) == 1);
  REQUIRE(lrr->pick(0b111, 10) == 2);
  REQUIRE(lrr->pick(0b111, 11) == 0);
}

TEST_CASE("A warp goes on until it yields, then comes the youngest of the oldest block that has not",
          "[arch]") {
  auto s = scheduler("yielding");
  for (unsigned slot : {0u, 1u, 2u}) s->launched(slot, slot == 0 ? 7 : 3);  // 1 and 2 are of the older block
  REQUIRE(s->pick(0b111, 10) == 2);
  REQUIRE(s->pick(0b011, 11) == 1);
  REQUIRE(s->pick(0b111, 12) == 1);  // goes on though the younger one could
  s->yielded(1);
  REQUIRE(s->pick(0b111, 15) == 2);
  s->yielded(2);
  REQUIRE(s->pick(0b011, 18) == 1);  // the only one of its block that can, so it begins anew
  s->yielded(1);
  REQUIRE(s->pick(0b111, 20) == 2);  // both have yielded
  s->yielded(2);
  REQUIRE(s->pick(0b111, 21) == 1);
  REQUIRE(s->pick(0b001, 22) == 0);
  s->retired(2);
  s->launched(2, 9);
  s->yielded(0);
  REQUIRE(s->pick(0b101, 23) == 0);
}

TEST_CASE("The oldest block's warps go first, within a block the one that has waited longest", "[arch]") {
  auto s = scheduler("oldest_block");
  for (unsigned slot : {0u, 1u, 2u}) s->launched(slot, slot == 0 ? 7 : 3);  // 1 and 2 are of the older block
  REQUIRE(s->pick(0b111, 10) == 2);                                         // neither had a turn: the younger
  REQUIRE(s->pick(0b111, 11) == 2);                                         // goes on in the next cycle
  REQUIRE(s->pick(0b011, 12) == 1);
  REQUIRE(s->pick(0b111, 15) == 2);  // a pause has ended its run
  REQUIRE(s->pick(0b111, 18) == 1);
  REQUIRE(s->pick(0b001, 19) == 0);
  REQUIRE(s->pick(0b101, 20) == 0);
  REQUIRE(s->pick(0b101, 22) == 2);
}

TEST_CASE("A two-level scheduler leaves a group of warps only when none of it can issue", "[arch]") {
  auto two = scheduler("two_level", {{"group", 4}});
  for (unsigned slot = 0; slot < 8; ++slot) two->launched(slot, 0);
  REQUIRE(two->pick(0xff, 12) == 0);
  REQUIRE(two->pick(0xff, 13) == 1);
  REQUIRE(two->pick(0xf1, 14) == 0);  // round again in the group
  REQUIRE(two->pick(0xf0, 15) == 4);
  REQUIRE(two->pick(0xff, 16) == 5);  // and stays in the next
  REQUIRE(two->pick(0x0f, 17) == 0);
}

TEST_CASE("Events come out by cycle, those of one cycle in the order they went in, near or far", "[arch]") {
  EventQueue q;
  q.push(5, {EventKind::kRelease, 0, 1, 0});
  q.push(3, {EventKind::kRelease, 0, 2, 0});
  q.push(5, {EventKind::kRelease, 0, 3, 0});
  q.push(5000, {EventKind::kRelease, 0, 4, 0});
  std::vector<unsigned> seen;
  REQUIRE(q.next() == 3);
  q.run(3, [&](const Event& e) { seen.push_back(e.a); });
  q.run(5, [&](const Event& e) {
    seen.push_back(e.a);
    if (e.a == 1) q.push(5, {EventKind::kRelease, 0, 9, 0});
  });
  REQUIRE(q.next() == 5000);
  q.run(6000, [&](const Event& e) { seen.push_back(e.a); });
  REQUIRE(seen == std::vector<unsigned>{2, 1, 3, 9, 4});
  REQUIRE(q.empty());
}

TEST_CASE("Stores join the latest lines for a time, and while they wait for the way out", "[arch]") {
  WriteBuffer buffer;
  buffer.configure(2);
  CHECK(buffer.due() == kNever);
  OutMessage m;
  for (uint64_t line : {0u, 128u}) {
    m.request.line = line;
    buffer.push(m, 100, 130 + line / 128, 64);
  }
  CHECK(buffer.due() == 131);
  CHECK(buffer.find(128, 131, 0) != nullptr);
  CHECK(buffer.find(128, 132, 0) == nullptr);
  CHECK(buffer.find(256, 110, 0) == nullptr);
  CHECK(buffer.find(128, 154, 150) != nullptr);  // behind four cycles of the other line
  CHECK(buffer.find(128, 155, 150) == nullptr);
  WriteBuffer::Write* first = buffer.find(0, 120, 0);
  REQUIRE(first != nullptr);
  buffer.widen(*first, 80);
  CHECK(buffer.find(128, 155, 150) != nullptr);
  first->open_until = 150;
  CHECK(buffer.due() == 151);
  CHECK_FALSE(buffer.overflows());
  m.request.line = 256;
  buffer.push(m, 105, 140, 64);
  CHECK(buffer.overflows());
  CHECK(buffer.find(0, 110, 0) == nullptr);  // pushed out, and may leave at once
  CHECK(buffer.due() == 100);
  buffer.pop();
  CHECK(buffer.oldest().message.request.line == 128);
  CHECK(buffer.due() == 132);
}

TEST_CASE("A store may bring more lines than a buffer has had", "[arch]") {
  WriteBuffer buffer;
  buffer.configure(1);
  OutMessage m;
  const auto push = [&](uint64_t line) {
    m.request.line = line * 128;
    buffer.push(m, 0, 0, 16);
  };
  for (uint64_t line = 0; line < 20; ++line) {
    push(line);
    if (line < 10) buffer.pop();
  }
  for (uint64_t line = 20; line < 100; ++line) push(line);
  for (uint64_t line = 10; line < 100; ++line, buffer.pop())
    CHECK(buffer.oldest().message.request.line == line * 128);
  CHECK(buffer.empty());
}

TEST_CASE("Ordering passes that come together are one, later ones another", "[arch]") {
  OrderingPass pass;
  CHECK_FALSE(pass.joins(0, 8));
  CHECK(pass.joins(7, 8));
  CHECK(pass.joins(7, 8));
  CHECK_FALSE(pass.joins(8, 8));
  CHECK(pass.joins(15, 8));
  CHECK_FALSE(pass.joins(16, 8));
}

TEST_CASE("A line replaces another only where the evicted one held something", "[arch]") {
  L1Cache cache;
  cache.configure(2 * kLineBytes, 1, built_in_policy("replacement", "lru"));
  const auto load = [&](uint64_t line) {
    const int32_t entry = cache.allocate({.line = line});
    cache.mark_pending(entry, 1, 0);
    cache.fill(entry, line, 1, 0);
    return entry;
  };
  CHECK_FALSE(cache.replaces(load(0)));
  CHECK_FALSE(cache.replaces(cache.allocate({.line = kLineBytes})));  // a store's: a tag without data
  CHECK(cache.replaces(load(2 * kLineBytes)));
  CHECK_FALSE(cache.replaces(load(3 * kLineBytes)));
}

TEST_CASE("What comes from another SM of the cluster writes in its last cycles", "[arch]") {
  NocConfig config;
  config.cluster_send_bytes = config.cluster_bytes = 32;
  ClusterLink link(config);
  const Cycle last = link.receive_write(100, 4, 2);
  CHECK(last == 104);
  CHECK_FALSE(link.writes_at(last - 2));
  CHECK(link.writes_at(last - 1));
  CHECK(link.writes_at(last));
  CHECK_FALSE(link.writes_at(last + 1));
}

TEST_CASE("Tags of lines five apart lie in one bank, of lines side by side in four", "[arch][sm]") {
  const auto cycles = [](uint64_t step, unsigned count) {
    Coalesced c;
    for (unsigned i = 0; i < count; ++i) c.line[c.lines++].line = i * step * kLineBytes;
    return tag_cycles(c, 693, 346);
  };
  // H200 (probes/strides): rows and rows5, stride 64 and 96.
  CHECK(cycles(1, 4) == 1);
  CHECK(cycles(1, 32) == 8);
  CHECK(cycles(2, 32) == 8);
  CHECK(cycles(5, 4) == 4);
  CHECK(cycles(5, 2) == 2);
  CHECK(cycles(3, 32) > 8);
}
