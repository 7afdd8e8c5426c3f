// SPDX-License-Identifier: Apache-2.0
// A load of an address whose value the thread knows is not made again: it was loaded or stored before, on all
// ways to here, and nothing since may have changed it (ptxas 13.0, sm_90; bench/silicon/lowering/sharing.py).
// A store to the same space does, whatever its address, and so do atomics, barriers and fences; exchanges
// between lanes and ordered loads do not. Read-only loads are always the same. Volatile and ordered loads are
// made each time, and so are those of another width or cache operator. cub's scans of 64 bits load eight
// words before their exchanges and again behind them: 9 LDS there, 16 without this.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "ptx/exec/memory_path.h"
#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/instr_questions.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

namespace {

// What an element of a load or store is: space, whether read-only, base, distance from it, type, flags.
using Word = std::tuple<Space, bool, int32_t, int64_t, Type, uint32_t>;
struct Known {
  Place value;
  uint32_t maker = 0;  // the instruction that loaded or stored it
  bool operator==(const Known& other) const { return value.at == other.value.at && maker == other.maker; }
};
using State = std::map<Word, Known>;

class SharedLoads {
 public:
  explicit SharedLoads(Program& p) : p_(p), values_(p), edit_(p) {}

  bool run() {
    for (uint32_t f = 0; f < p_.functions.size(); ++f) {
      values_.gather(p_.functions[f]);
      named_.assign(p_.functions[f].frame_bytes / 4 + 1, 0);
      const Flow& flow = values_.flow();
      for (uint32_t b = flow.first_block[f]; b < flow.first_block[f + 1]; ++b) {
        State state = entry_state(b);
        for (uint32_t i = flow.blocks[b].first; i <= flow.blocks[b].last; ++i) step(i, state);
        out_[b] = std::move(state);
      }
    }
    if (changed_) apply(p_, edit_);
    return changed_;
  }

 private:
  // What all ways to the block know. A way back has not been looked at.
  State entry_state(uint32_t b) {
    const std::vector<uint32_t>& from = values_.flow().predecessors[b];
    if (from.empty() || std::any_of(from.begin(), from.end(), [&](uint32_t o) { return o >= b; })) return {};
    State state = out_[from[0]];
    for (const uint32_t other : from) {
      const State& there = out_[other];
      std::erase_if(state, [&](const auto& entry) {
        const auto at = there.find(entry.first);
        return at == there.end() || !(at->second == entry.second);
      });
    }
    return state;
  }

  static bool of_memory(Space space) {
    return space == Space::kGlobal || space == Space::kShared || space == Space::kLocal ||
           space == Space::kGeneric;
  }

  // A load or store that says nothing of order, and whose value another may stand for.
  bool is_plain(uint32_t i) const {
    const Instr& in = p_.code[i];
    if ((in.kind != InstrKind::kLoad && in.kind != InstrKind::kStore) || !of_memory(in.space)) return false;
    const std::string& name = use_of(p_, in).form().instruction->mnemonic;
    if (name != "ld" && name != "st") return false;
    const MemoryFlags flags = MemoryFlags::unpack(in.target);
    return flags.ordering == Ordering::kWeak && flags.cache != CacheOp::kCv && flags.cache != CacheOp::kWt &&
           in.type != Type::kNone;
  }

  // The type by what a register has of it: of 32 and 64 bits all are the same.
  static Type kind_of(Type type) {
    if (bits(type) == 32) return Type::kB32;
    return bits(type) == 64 ? Type::kB64 : type;
  }

  Word word(uint32_t i, unsigned element) const {
    const Instr& in = p_.code[i];
    const bool loads = in.kind == InstrKind::kLoad;
    const Place base = in.ops[loads ? 1 : 0];
    return {in.space,
            loads && MemoryFlags::unpack(in.target).cache == CacheOp::kNonCoherent,
            base.present() ? base.at : INT32_MIN,
            in.imm + int64_t{element} * bytes(in.type),
            kind_of(in.type),
            loads ? in.target : 0};
  }

  // Rows of the elements, in order.
  std::vector<Place> elements(uint32_t i) const {
    const Instr& in = p_.code[i];
    const Place value = in.ops[in.kind == InstrKind::kLoad ? 0 : 1];
    if (in.vec <= 1) return {value};
    std::vector<Place> out;
    for (unsigned e = 0; e < in.vec; ++e) out.push_back(p_.extra[static_cast<uint32_t>(value.at) + e]);
    return out;
  }

  static void forget(State& state, Space space) {
    std::erase_if(state, [&](const auto& entry) {
      const auto& [of, read_only, base, distance, type, flags] = entry.first;
      return !read_only && (of == space || of == Space::kGeneric || space == Space::kGeneric);
    });
  }
  static void forget_all(State& state) {
    std::erase_if(state, [](const auto& entry) { return !std::get<1>(entry.first); });
  }
  // What i writes is another value from there on.
  void forget_rows(uint32_t i, State& state) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (!p_.refs[r].defines) continue;
      const int32_t row = p_.refs[r].place.at;
      if (!SingleValues::is_row(p_.refs[r].place) || named_[static_cast<uint32_t>(row) / 4] == 0) continue;
      std::erase_if(state, [&](const auto& entry) {
        return std::get<2>(entry.first) == row || entry.second.value.at == row;
      });
    }
  }

  static bool leaves_memory(const Instr& in) {
    switch (in.kind) {
      case InstrKind::kPlain:
      case InstrKind::kLoad:
      case InstrKind::kReadClock:
      case InstrKind::kBranch:
      case InstrKind::kReturn:
      case InstrKind::kExit:
        return true;
      case InstrKind::kWarpSync:
        return is(class_of(in), kExchanges) || is(class_of(in), kTakesFragments) ||
               is(class_of(in), kLoadsMatrix);
      default:
        return false;
    }
  }

  void step(uint32_t i, State& state) {
    const Instr& in = p_.code[i];
    if (in.kind == InstrKind::kLoad && is_plain(i)) {
      if (share(i, state)) return;
      forget_rows(i, state);
      return note(i, state);
    }
    forget_rows(i, state);
    if (in.kind == InstrKind::kStore || in.kind == InstrKind::kAtomic) {
      forget(state, of_memory(in.space) ? in.space : Space::kGeneric);
      if (is_plain(i)) note(i, state);
    } else if (!leaves_memory(in)) {
      forget_all(state);
    }
  }

  void note(uint32_t i, State& state) {
    const Instr& in = p_.code[i];
    const Place base = in.ops[in.kind == InstrKind::kLoad ? 1 : 0];
    if (in.guard.present() || !base.present()) return;
    const std::vector<Place> rows = elements(i);
    for (unsigned e = 0; e < rows.size(); ++e) {
      if (!SingleValues::is_row(rows[e]) || !values_.made_once(rows[e]) || bytes_of(i, rows[e]) == 0)
        continue;
      if (in.kind == InstrKind::kStore && (bits(in.type) < 32 || bytes_of(i, rows[e]) != bytes(in.type)))
        continue;
      state[word(i, e)] = {rows[e], i};
      for (const Place row : {base, rows[e]})
        if (SingleValues::is_row(row)) named_[static_cast<uint32_t>(row.at) / 4] = 1;
    }
  }

  unsigned bytes_of(uint32_t i, Place row) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      if (p_.refs[r].place.at == row.at) return p_.refs[r].bytes;
    return 0;
  }

  // Makes all that reads the load's results read what is known; false where it stays.
  bool share(uint32_t i, const State& state) {
    if (p_.code[i].guard.present()) return false;
    const std::vector<Place> rows = elements(i);
    std::vector<Place> instead;
    for (unsigned e = 0; e < rows.size(); ++e) {
      const auto known = find(i, e, state);
      if (!known || !can_replace(i, rows[e], *known)) return false;
      instead.push_back(known->value);
    }
    for (unsigned e = 0; e < rows.size(); ++e) replace(rows[e], instead[e]);
    edit_.erase[i] = 1;
    changed_ = true;
    return true;
  }

  std::optional<Known> find(uint32_t i, unsigned element, const State& state) const {
    Word wanted = word(i, element);
    auto at = state.find(wanted);
    if (at == state.end()) {  // a store names no flags
      if (MemoryFlags::unpack(p_.code[i].target).cache != CacheOp::kDefault) return std::nullopt;
      std::get<5>(wanted) = 0;
      at = state.find(wanted);
    }
    if (at == state.end()) return std::nullopt;
    return at->second;
  }

  bool can_replace(uint32_t i, Place row, const Known& known) const {
    if (!SingleValues::is_row(row) || !values_.made_once(row) || !values_.row(row).movable) return false;
    if (bytes_of(i, row) != bytes_of(known.maker, known.value)) return false;
    // What reads between the two in a loop reads the value of the turn before.
    const uint32_t made = values_.row(known.value).made;
    const std::vector<uint32_t>& users = values_.row(row).users;
    return std::all_of(users.begin(), users.end(), [&](uint32_t u) { return u > i || u < made; });
  }

  void replace(Place from, Place to) {
    SingleValues::Row &own = values_.row(from), &other = values_.row(to);
    for (const uint32_t u : own.users) read_instead(p_, u, from, to);
    other.users.insert(other.users.end(), own.users.begin(), own.users.end());
    other.movable &= own.movable;
    own.users.clear();
  }

  Program& p_;
  SingleValues values_;
  Edit edit_;
  std::map<uint32_t, State> out_;  // by block
  std::vector<uint8_t> named_;     // by row: a base or value that some state has
  bool changed_ = false;
};

}  // namespace

void share_loads(Program& p) { SharedLoads(p).run(); }

}  // namespace gpuloom::ptx
