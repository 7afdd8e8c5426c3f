// SPDX-License-Identifier: Apache-2.0
// Registers that never live together share a row: PTX has as many registers as values, and a warp's registers
// should fit the host's caches. Live ranges are intervals of the code order (Poletto & Sarkar, "Linear scan
// register allocation", TOPLAS 1999). An interval includes the instructions at both ends, so an instruction
// never writes a row that it reads under another name.
#include <algorithm>
#include <map>

#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/late.h"

namespace gpuloom::ptx {

namespace {

struct Interval {
  uint32_t from = UINT32_MAX, to = 0;
  // Keeps a row of its own: what timing delivers late must not hit another value.
  bool pinned = false;
  void include(uint32_t i) {
    from = std::min(from, i);
    to = std::max(to, i);
  }
};

class RowAllocator {
 public:
  RowAllocator(Program& p, const Flow& flow, const Liveness& live, uint32_t f)
      : p_(p), flow_(flow), live_(live), f_(f) {}

  void run() {
    find_intervals();
    place_all();
    rewrite();
  }

 private:
  void find_intervals() {
    const FunctionCode& code = p_.functions[f_];
    intervals_.resize(live_.rows[f_].offset.size());
    for (uint32_t b = flow_.first_block[f_]; b < flow_.first_block[f_ + 1]; ++b) {
      live_.live_in[b].for_each([&](uint32_t row) { intervals_[row].include(flow_.blocks[b].first); });
      live_.live_out[b].for_each([&](uint32_t row) { intervals_[row].include(flow_.blocks[b].last); });
    }
    for (uint32_t i = code.entry; i < code.end; ++i) {
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (p_.refs[r].place.constant()) continue;
        Interval& interval = intervals_[live_.number(f_, p_.refs[r].place)];
        interval.include(i);
        interval.pinned |= p_.refs[r].defines && arrives_late(p_, p_.code[i]);
      }
    }
    for (const SpecialRow& s : code.specials) intervals_[live_.number(f_, s.place)].include(code.entry);
    for (const auto* values : {&code.params, &code.returns}) {
      for (const CallValue& v : *values) {
        if (v.row.present()) intervals_[live_.number(f_, v.row)].pinned = true;
      }
    }
  }

  static uint32_t size_of(unsigned bytes) { return bytes == 0 ? 4 : (bytes * 32 + 63) / 64 * 64; }

  // Predicates get slots of 4 bytes at the front, others by size class behind them.
  void place_all() {
    std::vector<uint32_t> order(intervals_.size());
    for (uint32_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return intervals_[a].from < intervals_[b].from; });
    offset_.assign(intervals_.size(), 0);
    uint32_t end = 0;
    for (const bool predicates : {true, false}) {
      struct Slot {
        uint32_t offset;
        uint32_t free_after;
      };
      std::map<uint32_t, std::vector<Slot>> slots;  // by size
      for (const uint32_t row : order) {
        const unsigned bytes = live_.rows[f_].bytes[row];
        if ((bytes == 0) != predicates) continue;
        const Interval& interval = intervals_[row];
        const uint32_t size = size_of(bytes);
        Slot* best = nullptr;  // the one freed last, which is likeliest to be in a cache
        for (Slot& slot : slots[size]) {
          const bool is_free = slot.free_after < interval.from && !interval.pinned;
          if (is_free && (best == nullptr || slot.free_after > best->free_after)) best = &slot;
        }
        if (best == nullptr) {
          slots[size].push_back({end, 0});
          best = &slots[size].back();
          end += size;
        }
        best->free_after = interval.pinned ? UINT32_MAX : interval.to;
        offset_[row] = best->offset;
      }
      end = (end + 63) / 64 * 64;
    }
    p_.functions[f_].frame_bytes = end;
  }

  Place moved(Place place) const {
    if (!place.present() || place.constant()) return place;
    return Place::reg(offset_[live_.number(f_, place)]);
  }

  void rewrite() {
    FunctionCode& code = p_.functions[f_];
    for (uint32_t i = code.entry; i < code.end; ++i) {
      Instr& in = p_.code[i];
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        OperandRef& ref = p_.refs[r];
        OperandRef to = ref;
        to.place = moved(ref.place);
        write_place(p_, in, to);
      }
      if (in.kind == InstrKind::kCall) rewrite_call(p_.calls[in.extra]);
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
        p_.refs[r].place = moved(p_.refs[r].place);
    }
    for (SpecialRow& s : code.specials) s.place = moved(s.place);
    for (auto* values : {&code.params, &code.returns}) {
      for (CallValue& v : *values) v.row = moved(v.row);
    }
  }

  void rewrite_call(CallSite& site) {
    site.address = moved(site.address);
    for (auto* values : {&site.arguments, &site.results}) {
      for (CallValue& v : *values) v.row = moved(v.row);
    }
  }

  Program& p_;
  const Flow& flow_;
  const Liveness& live_;
  uint32_t f_;
  std::vector<Interval> intervals_;
  std::vector<uint32_t> offset_;  // by row
};

}  // namespace

void reuse_rows(Program& p) {
  const Flow flow = build_flow(p);
  const Liveness live = find_liveness(p, flow);
  for (uint32_t f = 0; f < p.functions.size(); ++f) RowAllocator(p, flow, live, f).run();
}

}  // namespace gpuloom::ptx
