// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/access_hint.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

#include "sim/runtime/access_analysis.h"

namespace gpuloom::sim {
namespace {

using ptx::AccessOp;
using ptx::Space;

bool in_shared(const SiteRecord& r) {
  return r.copy == nullptr && (r.space == Space::kShared || r.space == Space::kSharedCluster);
}
bool is_matrix(const SiteRecord& r) {
  return r.op == AccessOp::kMatrixLoad || r.op == AccessOp::kMatrixStore;
}

// Offset in the window; the rank of a cluster's block is dropped.
uint64_t offset(uint64_t address) { return address & ((uint64_t{1} << ptx::kSharedRankShift) - 1); }

struct Range {
  uint64_t low = UINT64_MAX, high = 0;
  bool meets(const Range& o) const { return low < o.high && o.low < high; }
};

Range range_of(const SiteRecord& r) {
  Range range;
  const unsigned bytes = is_matrix(r) ? 16 : r.lane_bytes;
  for (const AccessSample& s : r.samples)
    for (uint32_t l = s.lanes; l; l &= l - 1) {
      const uint64_t a = offset(s.address[std::countr_zero(l)]);
      range.low = std::min(range.low, a);
      range.high = std::max(range.high, a + bytes);
    }
  return range;
}

// Lanes `pitch` bytes apart, banks that repeat after `row_bytes`: which lanes meet.
std::string meeting_words(uint64_t pitch, uint64_t row_bytes) {
  const uint64_t every = row_bytes / std::gcd(pitch, row_bytes);
  if (pitch % row_bytes == 0)
    return fmt::format("neighbouring lanes are {} bytes apart: all meet in one bank", pitch);
  return fmt::format("neighbouring lanes are {} bytes apart: each meets every {}{} lane after it", pitch,
                     every,
                     every == 2   ? "nd"
                     : every == 3 ? "rd"
                                  : "th");
}

unsigned distinct_addresses(const AccessSample& s) {
  std::set<uint64_t> seen;
  for (uint32_t l = s.lanes; l; l &= l - 1) seen.insert(s.address[std::countr_zero(l)]);
  return static_cast<unsigned>(seen.size());
}

}  // namespace

LaneStride lane_stride(const AccessSample& sample) {
  std::map<int64_t, unsigned> distances;
  unsigned pairs = 0;
  for (unsigned l = 0; l + 1 < 32; ++l) {
    if ((sample.lanes >> l & 3) != 3) continue;
    ++pairs;
    ++distances[static_cast<int64_t>(sample.address[l + 1] - sample.address[l])];
  }
  LaneStride stride;
  for (const auto& [bytes, count] : distances)
    if (2 * count > pairs) stride = {bytes, true};
  return stride;
}

AccessHints::AccessHints(const arch::BankGeometry& geometry, const std::vector<const SiteRecord*>& records)
    : geometry_(geometry), records_(records) {}

unsigned AccessHints::conflicts(const SiteRecord& site, const uint64_t* address, uint32_t lanes) const {
  return is_matrix(site) ? arch::matrix_passes(geometry_, address, site.rows).conflicts()
                         : arch::bank_passes(geometry_, address, lanes, site.lane_bytes).conflicts();
}

std::vector<const SiteRecord*> AccessHints::neighbours(const SiteRecord& record) const {
  const Range own = range_of(record);
  std::vector<const SiteRecord*> sites;
  for (const SiteRecord* r : records_)
    if (in_shared(*r) && !r->samples.empty() && (r == &record || range_of(*r).meets(own))) sites.push_back(r);
  return sites;
}

template <class Move>
unsigned AccessHints::conflicts_after(const std::vector<const SiteRecord*>& sites, Move move) const {
  unsigned sum = 0;
  for (const SiteRecord* site : sites)
    for (const AccessSample& s : site->samples) {
      uint64_t address[32] = {};
      for (uint32_t l = s.lanes; l; l &= l - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(l));
        address[lane] = move(offset(s.address[lane]));
      }
      sum += conflicts(*site, address, s.lanes);
    }
  return sum;
}

std::vector<uint32_t> AccessHints::banks_of(const SiteRecord& record) const {
  if (!in_shared(record) || record.counts.conflicts == 0) return {};
  const AccessSample& s = record.samples[0];
  const unsigned bytes = is_matrix(record) ? 16 : record.lane_bytes;
  std::set<uint64_t> words;
  for (uint32_t l = s.lanes; l; l &= l - 1) {
    const uint64_t a = offset(s.address[std::countr_zero(l)]);
    for (uint64_t w = a / geometry_.bank_bytes; w <= (a + bytes - 1) / geometry_.bank_bytes; ++w)
      words.insert(w);
  }
  std::vector<uint32_t> banks(geometry_.banks, 0);
  for (const uint64_t w : words) ++banks[w % geometry_.banks];
  return banks;
}

void AccessHints::shared_hints(const SiteRecord& record, std::vector<std::string>& hints) const {
  if (record.counts.conflicts == 0) return;
  const AccessSample& worst = record.samples[0];
  const LaneStride stride = lane_stride(worst);
  const unsigned row_bytes = geometry_.banks * geometry_.bank_bytes;
  if (record.op == AccessOp::kAtomic || record.op == AccessOp::kReduce) {
    hints.push_back(
        "lanes update different words of one bank: keep a copy a warp, or combine lanes of equal keys first "
        "(__match_any_sync, __reduce_add_sync)");
    if (!stride.regular) return;
  }
  if (!stride.regular) {
    hints.push_back(
        "the bank follows the data: no padding helps; reorder the data, or let each lane work in its own "
        "bank");
    return;
  }
  const auto pitch = static_cast<uint64_t>(stride.bytes < 0 ? -stride.bytes : stride.bytes);
  hints.push_back(meeting_words(pitch, row_bytes));
  if (pitch <= record.lane_bytes) return;
  const std::vector<const SiteRecord*> sites = neighbours(record);
  unsigned widest = geometry_.bank_bytes;
  uint64_t base = UINT64_MAX;
  for (const SiteRecord* s : sites) {
    widest = std::max<unsigned>(widest, is_matrix(*s) ? 16 : s->lane_bytes);
    base = std::min(base, range_of(*s).low);
  }
  const unsigned before = conflicts_after(sites, [](uint64_t a) { return a; });
  for (unsigned pad = std::max(widest, geometry_.bank_bytes); pad <= 32;
       pad += std::max(widest, geometry_.bank_bytes)) {
    const unsigned after = conflicts_after(sites, [&](uint64_t a) { return a + (a - base) / pitch * pad; });
    if (after * 8 > before) continue;
    hints.push_back(fmt::format(
        "pad each row of {} bytes by {} ({} {}): {} conflicts of the {} sampled ones are left", pitch, pad,
        pad / std::max(1u, static_cast<unsigned>(record.lane_bytes == 0 ? 4 : record.lane_bytes)),
        pad == record.lane_bytes ? "element" : "elements", after, before));
    break;
  }
  const unsigned piece = std::max(widest, geometry_.bank_bytes);
  if (pitch % row_bytes == 0 || row_bytes % pitch == 0) {
    const uint64_t pieces = std::min<uint64_t>(pitch, row_bytes) / piece;
    if (pieces > 1 && std::has_single_bit(pieces)) {
      const unsigned after = conflicts_after(sites, [&](uint64_t a) {
        return a ^ (((a - base) / std::max<uint64_t>(pitch, row_bytes) % pieces) * piece);
      });
      if (after * 8 <= before)
        hints.push_back(fmt::format(
            "or swizzle without padding: XOR the {}-byte column number with the row number modulo {}", piece,
            pieces));
    }
  }
}

void AccessHints::global_hints(const SiteRecord& record, std::vector<std::string>& hints) const {
  const AccessCounts& c = record.counts;
  if (record.samples.empty()) return;
  const AccessSample& worst = record.samples[0];
  const LaneStride stride = lane_stride(worst);
  if (record.space == Space::kLocal) {
    hints.push_back(
        "local memory: an array with indices that the compiler cannot resolve, or spilled registers");
    return;
  }
  if ((record.op == AccessOp::kAtomic || record.op == AccessOp::kReduce) && distinct_addresses(worst) == 1 &&
      std::popcount(worst.lanes) > 1) {
    hints.push_back(
        "all lanes update one address: combine them in the warp first (__reduce_add_sync), then one lane "
        "updates");
    return;
  }
  if (c.sectors <= c.ideal_sectors) {
    if (record.lane_bytes < 4 && stride.regular && stride.bytes == record.lane_bytes)
      hints.push_back(fmt::format("each lane moves {} byte{}: vectors of 4 or 16 bytes need fewer requests",
                                  record.lane_bytes, record.lane_bytes == 1 ? "" : "s"));
    return;
  }
  if (stride.regular && stride.bytes == record.lane_bytes) {
    const unsigned past = static_cast<unsigned>(worst.address[std::countr_zero(worst.lanes)] % 32);
    if (past != 0)
      hints.push_back(
          fmt::format("a request begins {} bytes after a 32-byte boundary and touches one sector more: "
                      "align the first element, or pad the rows to a multiple of 32 bytes",
                      past));
    else
      hints.push_back("requests with few lanes touch whole sectors: let more lanes take part");
    return;
  }
  if (!stride.regular) {
    hints.push_back(fmt::format(
        "addresses follow no pattern: {:.1f} sectors a request; sort or bucket the indices, or stage "
        "the data in shared memory",
        static_cast<double>(c.sectors) / static_cast<double>(c.requests)));
    return;
  }
  const auto apart = static_cast<uint64_t>(stride.bytes < 0 ? -stride.bytes : stride.bytes);
  const uint64_t used =
      apart == 0
          ? 32
          : std::min<uint64_t>(32, std::max<uint64_t>(record.lane_bytes, 32 / apart * record.lane_bytes));
  hints.push_back(fmt::format(
      "neighbouring lanes are {} bytes apart: of each sector {} bytes are used; let neighbouring lanes "
      "take neighbouring elements (a structure of arrays, or a transpose through shared memory)",
      apart, used));
}

std::vector<std::string> AccessHints::of(const SiteRecord& record) const {
  std::vector<std::string> hints;
  if (record.copy != nullptr) {
    if (record.counts.sectors > record.counts.ideal_sectors)
      hints.push_back(
          "copies do not begin and end at 32-byte boundaries: parts of sectors are moved for nothing");
    return hints;
  }
  if (record.samples.empty()) return hints;
  if (in_shared(record))
    shared_hints(record, hints);
  else
    global_hints(record, hints);
  return hints;
}

}  // namespace gpuloom::sim
