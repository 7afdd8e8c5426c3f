// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/remote_rule.h"

#include <algorithm>
#include <bit>

#include "ptx/exec/memory_view.h"

namespace gpuloom::arch {
namespace {

constexpr unsigned kWordBytes = 4, kSectorWords = kSectorBytes / kWordBytes, kGranuleWords = 4;

// One line of one target: its words, and for each how many lanes name it.
struct Line {
  uint64_t line = 0;
  uint32_t words = 0;
  uint8_t lanes[kLineBytes / kWordBytes] = {};
};

unsigned sectors_touched(uint32_t words) {
  unsigned n = 0;
  for (unsigned s = 0; s < kLineSectors; ++s) n += (words >> s * kSectorWords & 0xff) != 0;
  return n;
}

unsigned store_flits(uint32_t words) {
  unsigned n = 0;
  for (unsigned s = 0; s < kLineSectors; ++s) {
    const uint32_t sector = words >> s * kSectorWords & 0xff;
    n += sector == 0xff ? 1u : (sector & 0xf ? 1u : 0u) + (sector >> kGranuleWords ? 1u : 0u);
  }
  return n;
}

unsigned atomic_flits(uint32_t words) {
  if (std::popcount(words) == 1) return 1;
  return 1 + (31 - static_cast<unsigned>(std::countl_zero(words))) / kSectorWords + 1;
}

void add_packets(RemotePackets& out, uint64_t line, unsigned flits, unsigned answer) {
  if (out.count == kWarpSize) return;  // a lane has one packet at most: unreachable
  const uint64_t rank = (line >> ptx::kSharedRankShift) - 1;
  out.packet[out.count++] = {static_cast<uint16_t>(rank), static_cast<uint8_t>(flits),
                             static_cast<uint8_t>(answer)};
}

void add_packets(RemoteKind kind, const Line& l, RemotePackets& out) {
  if (kind == RemoteKind::kLoad) add_packets(out, l.line, 1, sectors_touched(l.words));
  if (kind == RemoteKind::kStore) add_packets(out, l.line, store_flits(l.words), 0);
  if (kind != RemoteKind::kAtomic) return;
  uint32_t words = l.words;
  for (unsigned turn = 0; words != 0; ++turn) {
    const unsigned flits = atomic_flits(words);
    add_packets(out, l.line, flits, flits);
    for (uint32_t w = words; w; w &= w - 1)
      if (l.lanes[std::countr_zero(w)] <= turn + 1) words &= ~(w & (0u - w));
  }
}

}  // namespace

void remote_packets(RemoteKind kind, const uint64_t* address, uint32_t lanes, unsigned lane_bytes,
                    RemotePackets& out) {
  out.count = 0;
  Line lines[kWarpSize];
  unsigned count = 0;
  for (uint32_t l = lanes; l; l &= l - 1) {
    const uint64_t at = address[std::countr_zero(l)], line = at & ~uint64_t{kLineBytes - 1};
    unsigned i = 0;
    while (i < count && lines[i].line != line) ++i;
    if (i == count) lines[count++].line = line;
    const unsigned first = static_cast<unsigned>(at - line) / kWordBytes;
    const unsigned last =
        std::min<unsigned>(first + std::max(lane_bytes / kWordBytes, 1u), kLineBytes / kWordBytes);
    for (unsigned w = first; w < last; ++w) {
      lines[i].words |= 1u << w;
      lines[i].lanes[w] = static_cast<uint8_t>(lines[i].lanes[w] + 1);
    }
  }
  for (unsigned i = 0; i < count; ++i) add_packets(kind, lines[i], out);
}

}  // namespace gpuloom::arch
