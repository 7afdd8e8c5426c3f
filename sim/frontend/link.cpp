// SPDX-License-Identifier: Apache-2.0
#include "sim/frontend/link.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "sim/frontend/ptx_items.h"

namespace gpuloom::frontend {
namespace {

constexpr std::string_view kDebugLabel = "$L__info_string";

bool defines(const PtxItem& item) {
  return !item.name.empty() && item.linkage != ItemLinkage::kExtern && item.kind != ItemKind::kPrototype;
}
bool own(const PtxItem& item) { return defines(item) && item.linkage == ItemLinkage::kNone && !item.entry; }

// Numbers of .file, and of .loc and inlined_at that name them, counted on from those of the units before.
std::string with_files(const std::string& text, unsigned plus) {
  if (plus == 0) return text;
  std::string out;
  size_t done = 0;
  const auto number_after = [&](size_t at) {
    size_t begin = text.find_first_not_of(" \t", at), end = begin;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (begin == std::string::npos || end == begin) return;
    out.append(text, done, begin - done);
    out += std::to_string(std::stoul(text.substr(begin, end - begin)) + plus);
    done = end;
  };
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (text[at] == '.' && (rest.starts_with(".loc\t") || rest.starts_with(".loc ")))
      number_after(at + 4);
    else if (text[at] == '.' && (rest.starts_with(".file\t") || rest.starts_with(".file ")))
      number_after(at + 5);
    else if (text[at] == 'i' && rest.starts_with("inlined_at "))
      number_after(at + 10);
  }
  return out.append(text, done);
}

unsigned files_of(const std::vector<PtxItem>& items) {
  unsigned most = 0;
  for (const PtxItem& item : items)
    if (item.kind == ItemKind::kFile)
      most = std::max(most, static_cast<unsigned>(std::atoi(item.text.data() + 5)));
  return most;
}

// Replaces names.
std::string renamed(const std::string& text, const std::set<std::string, std::less<>>& names,
                    const std::string& suffix) {
  std::string out;
  size_t done = 0;
  for_names(text, [&](size_t at, std::string_view word) {
    if (!names.contains(word) && !word.starts_with(kDebugLabel)) return;
    out.append(text, done, at + word.size() - done);
    out += suffix;
    done = at + word.size();
  });
  return out.append(text, done);
}

struct Unit {
  std::string text;
  std::vector<PtxItem> items;
};

class Linker {
 public:
  Linker(std::vector<std::string> texts, const std::set<std::string>& wanted) {
    for (std::string& text : texts) units_.push_back({std::move(text), {}});
    for (Unit& unit : units_) unit.items = ptx_items(unit.text);  // where the texts stay
    choose(wanted);
    tell_apart();
    collect();
  }

  std::string text() const {
    if (units_.size() == 1) return units_[0].text;  // it needs no other
    std::string out;
    for (const ItemKind kind : {ItemKind::kVersion, ItemKind::kTarget, ItemKind::kAddressSize})
      out += best(kind);
    for (const Unit& unit : units_)
      for (const PtxItem& item : unit.items)
        if (item.kind == ItemKind::kFile || item.kind == ItemKind::kSection) add(out, item.text);
    for (const auto& [name, item] : undefined_) add(out, item->text);
    // Any unit may call any function, and launch the kernels that it declares: prototypes first.
    for (const auto& [name, item] : launched_) add(out, item->text);
    for (const PtxItem* item : defined_)
      if (item->kind == ItemKind::kFunction && !item->entry) add(out, std::string(item->head) + ";");
    for (const ItemKind kind : {ItemKind::kVariable, ItemKind::kFunction})
      for (const PtxItem* item : defined_)
        if (item->kind == kind) add(out, item->text);
    for (const Unit& unit : units_)
      for (const PtxItem& item : unit.items)
        if (item.kind == ItemKind::kAlias) add(out, item.text);
    return out;
  }

 private:
  static void add(std::string& out, std::string_view text) {
    out += text;
    out += '\n';
  }

  // The greatest of a directive: of versions and of targets that units were compiled for.
  std::string best(ItemKind kind) const {
    std::string_view most;
    for (const Unit& unit : units_)
      for (const PtxItem& item : unit.items)
        if (item.kind == kind &&
            (item.text.size() > most.size() || (item.text.size() == most.size() && item.text > most)))
          most = item.text;
    return std::string(most) + "\n";
  }

  // Keeps the units that somebody needs, in their order.
  void choose(const std::set<std::string>& wanted) {
    std::unordered_map<std::string_view, size_t> definer;
    for (size_t u = 0; u < units_.size(); ++u)
      for (const PtxItem& item : units_[u].items)
        if (defines(item) && item.linkage != ItemLinkage::kNone) definer.emplace(item.name, u);
    std::vector<bool> taken(units_.size(), wanted.empty());
    std::vector<size_t> open;
    const auto take = [&](size_t u) {
      if (taken[u]) return;
      taken[u] = true;
      open.push_back(u);
    };
    for (size_t u = 0; u < units_.size(); ++u)
      for (const PtxItem& item : units_[u].items)
        if (defines(item) && wanted.contains(std::string(item.name))) take(u);
    while (!open.empty()) {
      const size_t u = open.back();
      open.pop_back();
      for (const PtxItem& item : units_[u].items)
        if (!item.name.empty() && !defines(item))
          if (const auto found = definer.find(item.name); found != definer.end()) take(found->second);
    }
    std::vector<Unit> kept;
    for (size_t u = 0; u < units_.size(); ++u)
      if (taken[u]) kept.push_back(std::move(units_[u]));
    units_ = std::move(kept);
    for (Unit& unit : units_) unit.items = ptx_items(unit.text);  // the texts have moved
  }

  // A unit's own names that an earlier unit has too get a suffix, as do labels of debug strings.
  void tell_apart() {
    std::set<std::string, std::less<>> seen;
    unsigned files = 0;
    for (size_t u = 0; u < units_.size(); ++u) {
      Unit& unit = units_[u];
      std::set<std::string, std::less<>> clash;
      for (const PtxItem& item : unit.items)
        if (own(item) && seen.contains(item.name)) clash.emplace(item.name);
      const unsigned here = files_of(unit.items);
      if (u != 0) {
        unit.text = with_files(renamed(unit.text, clash, fmt::format("__u{}", u)), files);
        unit.items = ptx_items(unit.text);
      }
      files += here;
      for (const PtxItem& item : unit.items)
        if (!item.name.empty()) seen.emplace(item.name);
    }
  }

  void collect() {
    std::unordered_map<std::string_view, size_t> place;  // into defined_
    for (const Unit& unit : units_)
      for (const PtxItem& item : unit.items) {
        if (!defines(item)) continue;
        const auto [known, fresh] = place.emplace(item.name, defined_.size());
        if (fresh) {
          defined_.push_back(&item);
          continue;
        }
        const PtxItem*& before = defined_[known->second];
        const bool strong = item.linkage == ItemLinkage::kVisible,
                   was_strong = before->linkage == ItemLinkage::kVisible;
        if (strong && was_strong)
          throw Error(ErrorKind::kInput,
                      fmt::format("two translation units of the program define '{}'", item.name));
        if (strong) before = &item;
      }
    for (const Unit& unit : units_)
      for (const PtxItem& item : unit.items)
        if (!item.name.empty() && !defines(item) && !place.contains(item.name))
          undefined_.emplace(item.name, &item);
        else if (item.entry && !defines(item))
          launched_.emplace(item.name, &item);
  }

  std::vector<Unit> units_;
  std::vector<const PtxItem*> defined_;
  std::map<std::string_view, const PtxItem*> undefined_;  // the system's: vprintf and its like
  std::map<std::string_view, const PtxItem*> launched_;   // declarations of kernels that another unit defines
};

}  // namespace

std::string link_ptx(std::vector<std::string> texts, const std::set<std::string>& wanted) {
  if (texts.size() == 1) return std::move(texts[0]);
  return Linker(std::move(texts), wanted).text();
}

}  // namespace gpuloom::frontend
