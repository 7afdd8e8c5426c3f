// SPDX-License-Identifier: Apache-2.0
#include "sim/frontend/ptx_items.h"

#include <algorithm>

#include "base/error.h"

namespace gpuloom::frontend {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<PtxItem> run() {
    std::vector<PtxItem> items;
    for (skip_blank(); at_ < text_.size(); skip_blank()) items.push_back(item());
    return items;
  }

 private:
  [[noreturn]] static void unbalanced() {
    throw Error(ErrorKind::kInput, "a PTX text ends inside of something");
  }

  void skip_blank() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (text_.substr(at_).starts_with("//"))
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (text_.substr(at_).starts_with("/*"))
        at_ = std::min(text_.find("*/", at_), text_.size() - 2) + 2;
      else
        return;
    }
  }

  // The place of the first of `stops` outside of parentheses, strings and comments.
  size_t find(size_t from, std::string_view stops) const {
    int depth = 0;
    for (size_t k = from; k < text_.size(); ++k) {
      const char c = text_[k];
      if (depth == 0 && stops.find(c) != std::string_view::npos) return k;
      if (c == '(') ++depth;
      if (c == ')') --depth;
      if (c == '"') k = text_.find('"', k + 1);
      if (c == '/' && text_.substr(k).starts_with("//")) k = text_.find('\n', k);
      if (c == '/' && text_.substr(k).starts_with("/*")) k = text_.find("*/", k);
      if (k == std::string_view::npos) break;
    }
    unbalanced();
  }

  // Beyond the '}' that belongs to the '{' at `open`.
  size_t close(size_t open) const {
    size_t depth = 0;
    for (size_t k = open; k != std::string_view::npos && k < text_.size(); k = find(k + 1, "{}")) {
      depth += text_[k] == '{' ? 1 : 0;
      if (text_[k] == '}' && --depth == 0) return k + 1;
    }
    unbalanced();
  }

  PtxItem line(ItemKind kind) {
    PtxItem item;
    item.kind = kind;
    return taken(item, std::min(text_.find('\n', at_), text_.size()));
  }

  PtxItem taken(PtxItem item, size_t end) {
    item.text = text_.substr(at_, end - at_);
    at_ = end;
    return item;
  }

  PtxItem item() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with(".version")) return line(ItemKind::kVersion);
    if (rest.starts_with(".target")) return line(ItemKind::kTarget);
    if (rest.starts_with(".address_size")) return line(ItemKind::kAddressSize);
    if (rest.starts_with(".file")) return line(ItemKind::kFile);
    PtxItem item;
    if (rest.starts_with(".section")) {
      item.kind = ItemKind::kSection;
      return taken(item, close(find(at_, "{")));
    }
    if (rest.starts_with(".alias") || rest.starts_with(".pragma")) {
      item.kind = ItemKind::kAlias;
      return taken(item, find(at_, ";") + 1);
    }
    return declaration();
  }

  PtxItem declaration() {
    PtxItem item;
    const size_t stop = find(at_, ";{=");
    item.head = text_.substr(at_, stop - at_);
    item.linkage = linkage(item.head);
    const bool function = word(item.head, ".func");
    item.entry = word(item.head, ".entry");
    item.name = name(item.head);
    if (!function && !item.entry) return taken(item, find(stop, ";") + 1);
    item.kind = text_[stop] == '{' ? ItemKind::kFunction : ItemKind::kPrototype;
    return taken(item, text_[stop] == '{' ? close(stop) : stop + 1);
  }

  static bool word(std::string_view head, std::string_view directive) {
    const size_t found = head.find(directive);
    if (found == std::string_view::npos) return false;
    const size_t end = found + directive.size();
    return end == head.size() || std::string_view(" \t\r\n(").find(head[end]) != std::string_view::npos;
  }

  static ItemLinkage linkage(std::string_view head) {
    if (head.starts_with(".extern")) return ItemLinkage::kExtern;
    if (head.starts_with(".visible")) return ItemLinkage::kVisible;
    if (head.starts_with(".weak")) return ItemLinkage::kWeak;
    if (head.starts_with(".common")) return ItemLinkage::kCommon;
    return ItemLinkage::kNone;
  }

  // The first name outside of parentheses: results and attributes stand in them.
  static std::string_view name(std::string_view head) {
    std::string_view found;
    int depth = 0;
    size_t seen = 0;
    for_names(head, [&](size_t at, std::string_view w) {
      for (; seen < at; ++seen) depth += head[seen] == '(' ? 1 : head[seen] == ')' ? -1 : 0;
      if (found.empty() && depth == 0) found = w;
    });
    return found;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<PtxItem> ptx_items(std::string_view text) { return Scanner(text).run(); }

}  // namespace gpuloom::frontend
