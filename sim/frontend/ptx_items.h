// SPDX-License-Identifier: Apache-2.0
// The top level of a PTX text, without understanding more of it: what a linker moves around.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom::frontend {

enum class ItemKind : unsigned char {
  kVersion,
  kTarget,
  kAddressSize,
  kFile,
  kSection,
  kAlias,
  kVariable,
  kPrototype,
  kFunction
};
enum class ItemLinkage : unsigned char { kNone, kExtern, kVisible, kWeak, kCommon };

struct PtxItem {
  ItemKind kind = ItemKind::kVariable;
  ItemLinkage linkage = ItemLinkage::kNone;
  bool entry = false;     // of a function
  std::string_view text;  // up to its end, ';' or '}' included
  std::string_view head;  // of a function: what stands before its body
  std::string_view name;  // of variables, functions; "" for the rest
};

// Throws Error (kInput) where braces do not match.
std::vector<PtxItem> ptx_items(std::string_view text);

// Calls f(offset, word) for each identifier: names of things, no registers and no directives.
template <class F>
void for_names(std::string_view text, F&& f) {
  const auto starts = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
  };
  const auto goes_on = [&](char c) { return starts(c) || (c >= '0' && c <= '9'); };
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = std::min(text.find('"', at + 1), text.size() - 1) + 1;
      continue;
    }
    size_t end = at + 1;
    while (end < text.size() && goes_on(text[end])) ++end;
    if (starts(c)) f(at, text.substr(at, end - at));
    at = starts(c) || c == '.' || c == '%' || (c >= '0' && c <= '9') ? end : at + 1;
  }
}

}  // namespace gpuloom::frontend
