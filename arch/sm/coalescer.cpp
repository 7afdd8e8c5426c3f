// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

namespace gpuloom::arch {
namespace {

struct Coverage {
  uint32_t mask[kLineSectors];  // a bit a byte
};

LineAccess& line_of(Coalesced& out, uint64_t line, unsigned& hint) {
  if (hint < out.lines && out.line[hint].line == line) return out.line[hint];
  for (unsigned i = 0; i < out.lines; ++i)
    if (out.line[i].line == line) return out.line[hint = i];
  hint = out.lines++;
  out.line[hint] = LineAccess{};
  out.line[hint].line = line;
  return out.line[hint];
}

// 32 lanes of 4 bytes or more side by side, starting at a sector.
bool contiguous(const uint64_t* address, unsigned lane_bytes) {
  uint64_t different = address[0] & (kSectorBytes - 1);
  for (unsigned l = 0; l < kWarpSize; ++l) different |= address[l] ^ (address[0] + uint64_t{l} * lane_bytes);
  return different == 0;
}

void coalesce_contiguous(uint64_t first, unsigned lane_bytes, Coalesced& out) {
  const uint64_t end = first + kWarpSize * lane_bytes;
  for (uint64_t line = first & ~uint64_t{kLineBytes - 1}; line < end; line += kLineBytes) {
    LineAccess& l = out.line[out.lines++] = LineAccess{};
    l.line = line;
    const uint64_t from = std::max(first, line), to = std::min(end, line + kLineBytes);
    const unsigned s0 = static_cast<unsigned>((from - line) / kSectorBytes),
                   s1 = static_cast<unsigned>((to - line) / kSectorBytes);
    l.sectors = static_cast<uint8_t>(((1u << s1) - 1) & ~((1u << s0) - 1));
    l.lanes = static_cast<uint8_t>((to - from) / lane_bytes);
    l.bytes = static_cast<uint16_t>(to - from);
    l.full = true;
    l.whole = l.sectors;
    out.sectors += s1 - s0;
  }
}

}  // namespace

unsigned tag_cycles(const Coalesced& lines, uint32_t low, uint32_t high) {
  unsigned taken[4] = {};
  for (unsigned i = 0; i < lines.lines; ++i) {
    const auto line = static_cast<uint32_t>(lines.line[i].line / kLineBytes);
    const int bank = (std::popcount(line & low) & 1) | (std::popcount(line & high) & 1) << 1;
    ++taken[bank];
  }
  return std::max(1u, *std::max_element(std::begin(taken), std::end(taken)));
}

namespace {

// What one line of global memory gives to one line of shared memory, each sector to one sector.
struct Move {
  uint64_t line = 0;
  uint32_t target = 0;                          // number of the line
  uint8_t sectors = 0, filled = 0;              // masks in either
  std::array<uint8_t, kLineSectors> goes_to{};  // by sector of `sectors`
  bool same_lines(const Move& m) const { return line == m.line && target == m.target; }
  bool takes(unsigned from, unsigned to) const {
    return sectors >> from & 1 ? goes_to[from] == to : !(filled >> to & 1);
  }
};

}  // namespace

void coalesce_copy(const uint64_t* from, const uint32_t* to, uint32_t lanes, Coalesced& out) {
  constexpr unsigned kQuarter = 8, kPiece = 16;
  const auto active = static_cast<unsigned>(std::popcount(lanes));
  out.lines = out.sectors = 0;
  out.ideal_sectors = active * kPiece / kSectorBytes;
  out.passes = std::max(1u, (active + kQuarter - 1) / kQuarter);
  Move moves[kWarpSize];
  unsigned count = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned sector = from[lane] / kSectorBytes % kLineSectors,
                   place = to[lane] / kSectorBytes % kLineSectors;
    Move wanted;
    wanted.line = from[lane] & ~uint64_t{kLineBytes - 1};
    wanted.target = to[lane] / kLineBytes;
    Move* with = nullptr;
    bool counted = false;
    for (unsigned k = 0; k < count; ++k) {
      if (!moves[k].same_lines(wanted)) continue;
      counted |= moves[k].filled >> place & 1;
      if (!with && moves[k].takes(sector, place)) with = &moves[k];
    }
    if (!with) *(with = &moves[count++]) = wanted;
    with->sectors |= static_cast<uint8_t>(1u << sector);
    with->filled |= static_cast<uint8_t>(1u << place);
    with->goes_to[sector] = static_cast<uint8_t>(place);
    out.sectors += !counted;
  }
  for (unsigned k = 0; k < count; ++k) {  // the same sectors once
    const auto same = [&](const Move& m) { return m.same_lines(moves[k]) && m.sectors == moves[k].sectors; };
    if (std::any_of(moves, moves + k, same)) continue;
    out.line[out.lines] = LineAccess{};
    out.line[out.lines].line = moves[k].line;
    out.line[out.lines++].sectors = moves[k].sectors;
  }
}

void coalesce(const uint64_t* address, uint32_t lanes, unsigned lane_bytes, bool cover, Coalesced& out) {
  out.lines = out.sectors = 0;
  const unsigned active = static_cast<unsigned>(std::popcount(lanes));
  out.ideal_sectors = (active * lane_bytes + kSectorBytes - 1) / kSectorBytes;
  if (lanes == ~0u && lane_bytes >= 4 && contiguous(address, lane_bytes))
    return coalesce_contiguous(address[0], lane_bytes, out);
  Coverage coverage[2 * kWarpSize];
  unsigned hint = 0;
  uint64_t latest = UINT64_MAX;  // sector
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const uint64_t a = address[std::countr_zero(rest)], last = a + lane_bytes - 1;
    if (a / kSectorBytes == latest && last / kSectorBytes == latest && !cover) {  // where the lane before was
      ++out.line[hint].lanes;
      continue;
    }
    latest = last / kSectorBytes;
    for (uint64_t s = a / kSectorBytes; s <= last / kSectorBytes; ++s) {
      const unsigned before = out.lines;
      LineAccess& l = line_of(out, s * kSectorBytes & ~uint64_t{kLineBytes - 1}, hint);
      if (out.lines != before && cover) coverage[hint] = {};
      const unsigned sector = static_cast<unsigned>(s % kLineSectors);
      out.sectors += (l.sectors >> sector & 1) ^ 1;
      l.sectors |= static_cast<uint8_t>(1u << sector);
      l.lanes = static_cast<uint8_t>(l.lanes + (s == a / kSectorBytes));
      if (!cover) continue;
      const uint64_t from = std::max(a, s * kSectorBytes), to = std::min(last + 1, (s + 1) * kSectorBytes);
      const uint64_t bits = ((uint64_t{1} << (to - from)) - 1) << (from % kSectorBytes);
      coverage[hint].mask[sector] |= static_cast<uint32_t>(bits);
    }
  }
  if (!cover) return;
  for (unsigned i = 0; i < out.lines; ++i) {
    out.line[i].full = true;
    for (unsigned s = 0; s < kLineSectors; ++s) {
      const uint32_t mask = coverage[i].mask[s];
      out.line[i].bytes = static_cast<uint16_t>(out.line[i].bytes + std::popcount(mask));
      if (mask != 0 && mask != ~0u) out.line[i].full = false;
      if (mask == ~0u) out.line[i].whole |= static_cast<uint8_t>(1u << s);
    }
  }
}

void count_turns(const uint64_t* address, uint32_t lanes, unsigned lane_bytes, Coalesced& out) {
  const bool apart = out.lines == static_cast<unsigned>(std::popcount(lanes));  // a line each
  for (unsigned i = 0; i < out.lines; ++i) {
    LineAccess& l = out.line[i];
    l.turns = 0;
    if (apart || (l.full && l.lanes * lane_bytes == static_cast<unsigned>(l.bytes))) {
      l.turns = static_cast<uint8_t>(std::popcount(l.sectors));
      l.most = 1;
      continue;
    }
    std::array<uint8_t, kLineBytes / 4> on_word{};
    std::array<uint8_t, kLineSectors> most{};
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const uint64_t a = address[std::countr_zero(rest)];
      if ((a & ~uint64_t{kLineBytes - 1}) != l.line) continue;
      uint8_t& sector = most[a / kSectorBytes % kLineSectors];
      sector = std::max(sector, ++on_word[a % kLineBytes / 4]);
    }
    for (const uint8_t turns : most) l.turns = static_cast<uint8_t>(l.turns + turns);
    l.most = *std::max_element(most.begin(), most.end());
  }
}

}  // namespace gpuloom::arch
