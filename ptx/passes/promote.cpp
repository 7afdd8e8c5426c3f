// SPDX-License-Identifier: Apache-2.0
// Words of local memory become registers where ptxas makes them so. nvcc leaves an array in memory that is
// read once as another type (SASS of maxpool_nhwc: no LDL), and one that an index reaches. Of the second kind
// ptxas compares the index with each word's offset and moves the word under the result, as long as all
// that does not take longer than the program as it is (bench/silicon/lowering/targets/indexed.csv).
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/local_words.h"
#include "ptx/passes/loop_body.h"
#include "ptx/passes/synthesize.h"

namespace gpuloom::ptx {

namespace {

constexpr uint8_t kNoElement = 0xff;

bool accesses_memory(const Instr& in) {
  return in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore || in.kind == InstrKind::kAtomic;
}

// How often each block of the entry runs as ptxas takes it, without knowing any trip count: both ways of a
// branch alike, and loops (blocks of code that end with a branch back) so many turns.
std::vector<double> frequencies(const Flow& flow, const IndexedHabits& habits) {
  const uint32_t count = flow.first_block[1];
  std::vector<unsigned> depth(count, 0);
  std::vector<double> often(count, 0);
  for (uint32_t header = 0; header < count; ++header) {
    uint32_t latch = header;
    bool loops = false;
    for (const uint32_t from : flow.predecessors[header]) {
      loops |= from >= header;
      latch = std::max(latch, from);
    }
    for (uint32_t b = header; loops && b <= latch; ++b) ++depth[b];
  }
  often[0] = 1;
  for (uint32_t b = 0; b < count; ++b) {
    const auto forward = [b](uint32_t s) { return s > b; };
    const auto& next = flow.successors[b];
    const auto ways = std::count_if(next.begin(), next.end(), forward);
    for (const uint32_t s : next)
      if (forward(s)) often[s] += often[b] / static_cast<double>(ways);
  }
  for (uint32_t b = 0; b < count; ++b) {
    if (depth[b] != 0) often[b] *= habits.loop;
    for (unsigned k = 1; k < depth[b]; ++k) often[b] *= habits.nested;
  }
  return often;
}

struct Guard {
  Place predicate;
  bool negated = false;
};

class Promotion {
 public:
  Promotion(Draft& d, LocalWords words)
      : d_(d),
        p_(d.program),
        flow_(build_flow(p_)),
        edit_(p_),
        accesses_(std::move(words.accesses)),
        elements_(std::move(words.elements)),
        definitions_(std::move(words.definitions)) {}

  bool worth_it() const {
    const bool indexed = std::any_of(accesses_.begin(), accesses_.end(),
                                     [](const LocalAccess& access) { return access.indexed(); });
    if (!indexed) return true;
    const IndexedHabits& habits = d_.options.habits.indexed;
    if (elements_.size() > habits.words) return false;
    const std::vector<double> often = frequencies(flow_, habits);
    double added = 0, all = 0;
    for (uint32_t i = p_.functions[0].entry; i < p_.functions[0].end; ++i)
      all +=
          often[flow_.block_of[i]] *
          (accesses_memory(p_.code[i]) ? habits.memory : units_of(static_cast<OpClass>(p_.code[i].op_class)));
    for (const LocalAccess& access : accesses_)
      if (access.indexed())
        added += often[flow_.block_of[access.at]] *
                 (habits.access + habits.word * static_cast<double>(elements_.size()));
    return added <= all;
  }

  void run() {
    make_rows();
    for (const LocalAccess& access : accesses_) {
      if (access.indexed())
        replace_indexed(access, flow_.block_of[access.at]);
      else
        move_elements(access, access.offset, guard_of(access));
      edit_.erase[access.at] = 1;
    }
    edit_.sort_insertions();
    p_.functions[0].frame_bytes =
        std::max(p_.functions[0].frame_bytes, (d_.functions[0].frame_bytes + 63) / 64 * 64);
    apply(p_, edit_);
    join_moves();
  }

 private:
  Guard guard_of(const LocalAccess& access) const {
    return {p_.code[access.at].guard, p_.code[access.at].guard_negated != 0};
  }

  Place take_row(unsigned bytes_a_lane) { return Place::reg(d_.functions[0].take_row(bytes_a_lane)); }

  void make_rows() {
    for (const auto& [offset, each] : elements_) rows_[offset] = take_row(each);
    for (const LocalAccess& access : accesses_)
      if (access.indexed() && !indices_.contains(access.adds)) make_index(access);
  }

  // `in` before instruction `at`, on behalf of an access; `operands` are its places in order, the first of
  // them written.
  Place put(const LocalAccess& access, uint32_t at, Instr in,
            const std::vector<std::pair<Place, unsigned>>& operands, Guard guard = {}) {
    std::vector<OperandRef> refs;
    for (size_t at_operand = 0; at_operand < operands.size(); ++at_operand) {
      const auto k = static_cast<uint8_t>(at_operand);
      const auto [place, width] = operands[k];
      in.ops[k] = place;
      if (place.present()) refs.push_back({place, static_cast<uint8_t>(width), k == 0, false, k, kNoElement});
    }
    in.guard = guard.predicate;
    in.guard_negated = guard.negated;
    if (guard.predicate.present())
      refs.push_back({guard.predicate, 0, false, false, kInstrPlaces, kNoElement});
    // Rules ask what was written: not the sum that an index stands in front of, but the access.
    in.source = p_.code[access.at].source;
    edit_.insert.push_back({at, in, refs, true});
    return operands[0].first;
  }

  // The index of an address in bytes, as 32 bits: what made its 64 bits is multiplied again, which costs
  // nothing where nobody reads those any more.
  void make_index(const LocalAccess& access) {
    const Place index = access.index;
    if (!index.present()) return product(access, access.adds);
    const uint32_t from = maker(index);
    if (from != UINT32_MAX && nothing_between(from, access.adds)) {
      const std::string_view name = use_of(p_, p_.code[from]).form().instruction->mnemonic;
      if (name == "mul" && use_of(p_, p_.code[from]).has(".wide") && bytes(p_.code[from].type) == 4)
        return product(access, from);
    }
    indices_[access.adds] =
        put(access, access.adds, synthesize("cvt", {".u32", ".u64"}, {Type::kU32, Type::kU64}),
            {{take_row(4), 4}, {index, 8}});
  }

  // Whether no access by this sum stands where its factors may be the next turn's already.
  bool nothing_between(uint32_t from, uint32_t adds) const {
    return from < adds && flow_.block_of[from] == flow_.block_of[adds] &&
           std::none_of(accesses_.begin(), accesses_.end(), [&](const LocalAccess& access) {
             return access.adds == adds && access.at > from && access.at < adds;
           });
  }

  void product(const LocalAccess& access, uint32_t from) {
    const Instr& in = p_.code[from];
    indices_[access.adds] =
        put(access, from, synthesize("mul", {".lo", ".u32"}, {Type::kU32, Type::kU32, Type::kU32}),
            {{take_row(4), 4}, {in.ops[1], 4}, {in.ops[2], 4}});
  }

  // The one unguarded instruction that makes a row; UINT32_MAX where there are more.
  uint32_t maker(Place place) const {
    const auto count = definitions_.find(place.at);
    if (count == definitions_.end() || count->second != 1) return UINT32_MAX;
    const FunctionCode& entry = p_.functions[0];
    for (uint32_t i = entry.entry; i < entry.end; ++i)
      if (touches(i, place, true))
        return p_.code[i].kind == InstrKind::kPlain && !p_.code[i].guard.present() ? i : UINT32_MAX;
    return UINT32_MAX;
  }

  // Whether the index of an access is `bytes`; asked once a block, as ptxas does, and again where the block
  // makes the index itself.
  Place equals(const LocalAccess& access, uint32_t block, int64_t bytes) {
    const auto [known, made] =
        comparisons_.emplace(std::tuple{block, access.at > access.adds, access.adds, bytes}, Place{});
    if (!made) return known->second;
    const Place value = d_.constants.row(4, static_cast<uint64_t>(bytes) & 0xffffffffu);
    known->second = take_row(4);
    return put(access, access.at, synthesize("setp", {".eq", ".s32"}, {Type::kPred, Type::kS32, Type::kS32}),
               {{known->second, 0}, {{}, 0}, {indices_.at(access.adds), 4}, {value, 4}});
  }

  // Some words are compared first and then moved, so that predicates are there when they are wanted. A load
  // takes the first word in any case, which ptxas saves by their sharing a register.
  void replace_indexed(const LocalAccess& access, uint32_t block) {
    constexpr int64_t kAtOnce = 6;  // of seven predicates
    const Instr& in = p_.code[access.at];
    const int64_t size = int64_t{access.each} * std::max<unsigned>(1, in.vec);
    const int64_t end = int64_t{p_.functions[0].local_bytes} - size;
    int64_t first = access.offset % size;
    if (in.kind == InstrKind::kLoad) {
      move_elements(access, first, {});
      first += size;
    }
    for (; first <= end; first += kAtOnce * size) {
      const int64_t last = std::min(end, first + (kAtOnce - 1) * size);
      for (int64_t at = first; at <= last; at += size) equals(access, block, at - access.offset);
      for (int64_t at = first; at <= last; at += size)
        move_elements(access, at, {equals(access, block, at - access.offset)});
    }
  }

  // Moves the elements of an access to or from the words at `offset`.
  void move_elements(const LocalAccess& access, int64_t offset, Guard guard) {
    const Instr& in = p_.code[access.at];
    const bool loads = in.kind == InstrKind::kLoad;
    const Type type = access.each == 4 ? Type::kB32 : Type::kB64;
    for (unsigned e = 0; e < std::max<unsigned>(1, in.vec); ++e) {
      const Place operand = loads ? in.ops[0] : in.ops[1];
      const Place value = in.vec > 1 ? p_.extra[static_cast<uint32_t>(operand.at) + e] : operand;
      const Place word = rows_.at(offset + int64_t{e} * access.each);
      put(access, access.at, synthesize("mov", {access.each == 4 ? ".b32" : ".b64"}, {type, type}),
          {{loads ? value : word, access.each}, {loads ? word : value, access.each}}, guard);
    }
  }

  bool is_word(Place place) const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const auto& row) { return row.second.at == place.at; });
  }
  bool touches(uint32_t i, Place place, bool defines) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      if (p_.refs[r].place.at == place.at && p_.refs[r].defines == defines) return true;
    return false;
  }
  unsigned uses_of(Place place) const {
    unsigned uses = 0;
    for (const OperandRef& ref : p_.refs) uses += !ref.defines && ref.place.at == place.at ? 1 : 0;
    return uses;
  }
  unsigned definitions_of(Place place) const {
    unsigned count = 0;
    for (const OperandRef& ref : p_.refs) count += ref.defines && ref.place.at == place.at ? 1 : 0;
    return count;
  }

  // In i, `to` instead of `from`.
  bool rename(uint32_t i, Place from, Place to) {
    Instr& in = p_.code[i];
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      OperandRef& ref = p_.refs[r];
      if (ref.place.at != from.at) continue;
      ref.place = to;
      if (ref.operand == kInstrPlaces)
        in.guard = to;
      else if (ref.element != 0xff)
        p_.extra[static_cast<uint32_t>(in.ops[ref.operand].at) + ref.element] = to;
      else
        in.ops[ref.operand] = to;
    }
    return true;
  }

  // What is read or written beside a move of a word, in the same block, reads or writes the word itself.
  void join_moves() {
    const Flow flow = build_flow(p_);
    Edit edit(p_);
    bool changed = false;
    for (uint32_t i = p_.functions[0].entry; i < p_.functions[0].end; ++i) {
      const Instr& in = p_.code[i];
      if (in.kind != InstrKind::kPlain || in.guard.present() || p_.ref_begin[i + 1] - p_.ref_begin[i] != 2)
        continue;
      const Block& block = flow.blocks[flow.block_of[i]];
      if (!is_move_of_word(i)) continue;
      const bool joined = is_word(in.ops[0]) ? write_word(i, block) : read_word(i, block);
      if (!joined) continue;
      edit.erase[i] = 1;
      changed = true;
    }
    if (changed) apply(p_, edit);
  }

  bool is_move_of_word(uint32_t i) const {
    const Instr& in = p_.code[i];
    if (static_cast<OpClass>(in.op_class) != OpClass::mov || !in.ops[1].present() || in.ops[1].constant())
      return false;
    return is_word(in.ops[0]) != is_word(in.ops[1]);
  }

  bool read_word(uint32_t i, const Block& block) {
    const Place to = p_.code[i].ops[0], word = p_.code[i].ops[1];
    unsigned left = uses_of(to);
    if (definitions_of(to) != 1 || left == 0) return false;
    std::vector<uint32_t> users;
    for (uint32_t k = i + 1; k <= block.last && left != 0; ++k) {
      for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
        if (p_.refs[r].defines || p_.refs[r].place.at != to.at) continue;
        if (p_.refs[r].operand > kInstrPlaces) return false;
        users.push_back(k);
        --left;
      }
      if (left != 0 && touches(k, word, true)) return false;
    }
    if (left != 0) return false;
    for (const uint32_t k : users) rename(k, to, word);
    return true;
  }

  bool write_word(uint32_t i, const Block& block) {
    const Place word = p_.code[i].ops[0], from = p_.code[i].ops[1];
    if (definitions_of(from) != 1 || uses_of(from) != 1) return false;
    for (uint32_t k = i; k-- > block.first;) {
      if (touches(k, from, true)) {
        const Instr& maker = p_.code[k];
        if (maker.guard.present() || maker.kind != InstrKind::kPlain || maker.vec > 1) return false;
        return rename(k, from, word);
      }
      if (touches(k, word, true) || touches(k, word, false)) return false;
    }
    return false;
  }

  Draft& d_;
  Program& p_;
  const Flow flow_;  // of the program as it is found
  Edit edit_;
  std::vector<LocalAccess> accesses_;
  std::map<int64_t, unsigned> elements_;     // bytes, by offset
  std::map<int32_t, unsigned> definitions_;  // by row
  std::map<int64_t, Place> rows_;            // of the elements
  std::map<uint32_t, Place> indices_;        // by the instruction that adds them
  std::map<std::tuple<uint32_t, bool, uint32_t, int64_t>, Place>
      comparisons_;  // by block, part, index, value
};

}  // namespace

void promote_local_memory(Draft& draft) {
  if (draft.program.functions[0].local_bytes == 0 || !draft.program.calls.empty()) return;
  std::optional<LocalWords> words = find_local_words(draft);
  // Where a word is read that nobody has written, it stays in memory.
  if (!words || !always_written(draft, *words)) return;
  Promotion promotion(draft, *std::move(words));
  if (promotion.worth_it()) promotion.run();
}

}  // namespace gpuloom::ptx
