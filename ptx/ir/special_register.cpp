// SPDX-License-Identifier: Apache-2.0
#include "ptx/ir/special_register.h"

#include <array>
#include <string>
#include <vector>

namespace gpuloom::ptx {
namespace {

struct Table {
  std::vector<std::string> names;
  std::vector<SpecialInfo> entries;
  Table() {
    const auto add = [this](std::string text, Type type, SpecialKind kind) {
      names.push_back(std::move(text));
      entries.push_back({{}, type, kind});
    };
#define X(id, text, type, how) add(text, Type::type, SpecialKind::how);
    GPULOOM_SPECIAL_REGISTERS(X)
#undef X
    for (int k = 0; k < 32; ++k) add("%envreg" + std::to_string(k), Type::kB32, SpecialKind::kWarp);
    for (int k = 0; k < 8; ++k) add("%pm" + std::to_string(k), Type::kU32, SpecialKind::kDynamic);
    for (int k = 0; k < 8; ++k) add("%pm" + std::to_string(k) + "_64", Type::kU64, SpecialKind::kDynamic);
    for (size_t k = 0; k < names.size(); ++k) entries[k].name = names[k];
  }
};

const Table& table() {
  static const Table kTable;
  return kTable;
}

}  // namespace

const SpecialInfo& info(SpecialRegister reg) { return table().entries[static_cast<size_t>(reg)]; }

bool special_register_named(std::string_view name, SpecialRegister& reg, bool& vector) {
  const Table& all = table();
  vector = false;
  for (size_t k = 0; k < all.entries.size(); ++k) {
    const std::string_view candidate = all.entries[k].name;
    if (candidate == name) {
      reg = static_cast<SpecialRegister>(k);
      return true;
    }
    if (candidate.size() == name.size() + 2 && candidate.ends_with(".x") && candidate.starts_with(name)) {
      reg = static_cast<SpecialRegister>(k);
      vector = true;
      return true;
    }
  }
  return false;
}

}  // namespace gpuloom::ptx
