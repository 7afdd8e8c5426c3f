// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/names.h"

#include <charconv>
#include <cstring>

#include "ptx/ir/special_register.h"

namespace gpuloom::ptx {
namespace {

// Multiply-and-fold over 8 bytes at a time; names are short.
uint32_t hash_of(std::string_view text, bool range) {
  uint64_t h = range ? 0x9E3779B97F4A7C15u : 0xD6E8FEB86659FD93u;
  size_t k = 0;
  for (; k + 8 <= text.size(); k += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + k, 8);
    h = (h ^ word) * 0xFF51AFD7ED558CCDu;
    h ^= h >> 32;
  }
  uint64_t tail = text.size();
  for (; k < text.size(); ++k) tail = tail << 8 | static_cast<unsigned char>(text[k]);
  h = (h ^ tail) * 0xFF51AFD7ED558CCDu;
  return static_cast<uint32_t>(h ^ h >> 32);
}

}  // namespace

NameTable::NameTable() : buckets_(1024, kNone) {
  for (unsigned k = 0; k < static_cast<unsigned>(SpecialRegister::count); ++k) {
    const std::string_view text = info(static_cast<SpecialRegister>(k)).name;
    add({text, NameKind::kSpecial, k});
    if (text.ends_with(".x")) add({text.substr(0, text.size() - 2), NameKind::kSpecialVector, k});
  }
}

void NameTable::close() {
  while (!entries_.empty() && entries_.back().depth == depth_) {
    const Name& last = entries_.back();
    buckets_[last.hash & (buckets_.size() - 1)] = last.next;
    entries_.pop_back();
  }
  --depth_;
}

void NameTable::rehash() {
  buckets_.assign(buckets_.size() * 4, kNone);
  for (uint32_t k = 0; k < entries_.size(); ++k) {
    uint32_t& bucket = buckets_[entries_[k].hash & (buckets_.size() - 1)];
    entries_[k].next = bucket;
    bucket = k;
  }
}

bool NameTable::add(Name name, const Name** previous) {
  const bool range = name.kind == NameKind::kRegisterRange;
  const Name* old = find(name.text, range);
  if (old != nullptr && old->depth == depth_) {
    if (previous != nullptr) *previous = old;
    return false;
  }
  if (entries_.size() > buckets_.size()) rehash();
  name.hash = hash_of(name.text, range);
  name.depth = depth_;
  uint32_t& bucket = buckets_[name.hash & (buckets_.size() - 1)];
  name.next = bucket;
  bucket = static_cast<uint32_t>(entries_.size());
  entries_.push_back(name);
  return true;
}

const Name* NameTable::find(std::string_view text, bool range) const {
  const uint32_t hash = hash_of(text, range);
  for (uint32_t k = buckets_[hash & (buckets_.size() - 1)]; k != kNone; k = entries_[k].next) {
    const Name& name = entries_[k];
    if (name.hash == hash && (name.kind == NameKind::kRegisterRange) == range && name.text == text &&
        !comes_later(name))
      return &name;
  }
  return nullptr;
}

const Name* NameTable::find(std::string_view text) const { return find(text, false); }

const Name* NameTable::find_in_range(std::string_view text, uint32_t& id) const {
  // "%r12" may be number 12 of "%r" or number 2 of "%r1".
  size_t split = text.size();
  while (split > 1 && text[split - 1] >= '0' && text[split - 1] <= '9') --split;
  for (; split < text.size(); ++split) {
    if (text[split] == '0' && split + 1 < text.size()) continue;  // numbers have no leading zero
    uint32_t number = 0;
    if (std::from_chars(text.data() + split, text.data() + text.size(), number).ec != std::errc()) continue;
    const Name* range = find(text.substr(0, split), true);
    if (range == nullptr || number >= range->count) continue;
    id = range->id + number;
    return range;
  }
  return nullptr;
}

std::string NameTable::beyond_range(std::string_view text) const {
  size_t split = text.size();
  while (split > 1 && text[split - 1] >= '0' && text[split - 1] <= '9') --split;
  for (; split < text.size(); ++split) {
    const Name* range = find(text.substr(0, split), true);
    if (range == nullptr) continue;
    const std::string prefix(range->text), count = std::to_string(range->count);
    if (range->count == 0) return "`" + prefix + "<0>` declares no register";
    return "`" + prefix + "<" + count + ">` declares " + prefix + "0 to " + prefix +
           std::to_string(range->count - 1);
  }
  return "";
}

std::vector<std::string> NameTable::all(bool registers) const {
  std::vector<std::string> out;
  for (const Name& name : entries_) {
    const bool is_register = name.kind == NameKind::kRegister || name.kind == NameKind::kRegisterRange ||
                             name.kind == NameKind::kSpecial || name.kind == NameKind::kSpecialVector;
    if (is_register != registers) continue;
    if (name.kind == NameKind::kRegisterRange)
      for (uint32_t k = 0; k < name.count && k < 20; ++k)
        out.push_back(std::string(name.text) + std::to_string(k));
    else
      out.emplace_back(name.text);
    if (out.size() > 2000) break;
  }
  return out;
}

}  // namespace gpuloom::ptx
