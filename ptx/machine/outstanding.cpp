// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/outstanding.h"

#include <algorithm>

namespace gpuloom::ptx {

namespace {

bool merge_lists(Outstanding::Border::List& mine, const Outstanding::Border::List& other) {
  Outstanding::Border::List both;
  bool changed = false;
  auto at = mine.begin();
  for (const auto& [place, boards] : other) {
    for (; at != mine.end() && at->first < place; ++at) both.push_back(*at);
    const uint8_t had = at != mine.end() && at->first == place ? (at++)->second : uint8_t{0};
    both.emplace_back(place, static_cast<uint8_t>(had | boards));
    changed |= (boards & ~had) != 0;
  }
  if (!changed) return false;
  both.insert(both.end(), at, mine.end());
  mine = std::move(both);
  return true;
}

template <class Fn>
void for_boards(uint8_t boards, Fn fn) {
  for (unsigned board = 0; board < kMostScoreboards; ++board) {
    if ((boards >> board & 1u) != 0) fn(board);
  }
}

}  // namespace

bool Outstanding::Border::merge(const Border& other) {
  const bool more = merge_lists(writes, other.writes);
  return merge_lists(reads, other.reads) || more;
}

void Outstanding::enter(const Border& border) {
  for (const uint32_t v : touched_) values_[v] = {};
  touched_.clear();
  clear((1u << kMostScoreboards) - 1);
  for (const auto& [v, boards] : border.writes) define(v, {0, OpClass::none, boards});
  for (const auto& [at, boards] : border.reads)
    read(at / kReadPaths, static_cast<ReadPath>(at % kReadPaths), boards);
}

Outstanding::Border Outstanding::leave() {
  Border border;
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const uint32_t v : touched_) {
    if (values_[v].written_by != 0) border.writes.emplace_back(v, values_[v].written_by);
  }
  for (uint32_t at = 0; at < reads_.size() * kReadPaths; ++at) {
    const uint8_t boards = reads_[at / kReadPaths][at % kReadPaths];
    if (boards != 0) border.reads.emplace_back(at, boards);
  }
  return border;
}

void Outstanding::define(uint32_t v, const Value& value) {
  values_[v] = value;
  touched_.push_back(v);
  for_boards(value.written_by, [&](unsigned board) { writes_of_[board].push_back(v); });
}

void Outstanding::read(unsigned word, ReadPath path, uint8_t boards) {
  reads_[word][static_cast<size_t>(path)] |= boards;
  const auto at = static_cast<uint32_t>(word * kReadPaths + static_cast<size_t>(path));
  for_boards(boards, [&](unsigned board) { reads_of_[board].push_back(at); });
}

void Outstanding::clear(uint8_t boards) {
  for_boards(boards, [&](unsigned board) {
    const auto others = static_cast<uint8_t>(~(1u << board));
    for (const uint32_t v : writes_of_[board]) values_[v].written_by &= others;
    for (const uint32_t at : reads_of_[board]) reads_[at / kReadPaths][at % kReadPaths] &= others;
    writes_of_[board].clear();
    reads_of_[board].clear();
  });
}

uint32_t Places::next(uint32_t key, uint32_t at) const {
  const auto list = places_.find(key);
  if (list == places_.end()) return UINT32_MAX;
  const auto found = std::upper_bound(list->second.begin(), list->second.end(), at);
  return found == list->second.end() ? UINT32_MAX : *found;
}

void add_words(const Graph& graph, uint32_t v, std::vector<unsigned>& out) {
  const VirtualRegister& r = graph.registers[v];
  for (unsigned k = 0; k < r.words && !r.uniform; ++k) out.push_back(r.physical + k);
}

}  // namespace gpuloom::ptx
