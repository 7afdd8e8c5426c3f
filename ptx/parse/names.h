// SPDX-License-Identifier: Apache-2.0
// Names in scope. One open hash table for all scopes: leaving a scope takes its names off again, so that the
// thousands of tiny scopes of inline assembly cost nothing.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ir/module.h"

namespace gpuloom::ptx {

enum class NameKind : uint8_t {
  kRegister,       // id: index into Function::registers
  kRegisterRange,  // "%r" of `%r<10>`; id: of the first, count
  kVariable,
  kParameter,
  kFunction,   // id: index into Module::functions
  kPrototype,  // id: index into Function::prototypes
  kBranchTargets,
  kCallTargets,
  kSpecial,        // id: SpecialRegister
  kSpecialVector,  // "%tid"
};

struct Name {
  std::string_view text;
  NameKind kind = NameKind::kRegister;
  uint32_t id = 0, count = 0;
  const Variable* variable = nullptr;
  Position position;
  uint32_t hash = 0, next = 0, depth = 0;  // of the table
};

class NameTable {
 public:
  NameTable();
  void open() { ++depth_; }
  void close();
  // False and `previous` set where this scope has the name already.
  bool add(Name name, const Name** previous = nullptr);
  // The innermost; nullptr where there is none. Registers of ranges are found by find_in_range.
  const Name* find(std::string_view text) const;
  // The range that "%r12" belongs to; `id` is the register.
  const Name* find_in_range(std::string_view text, uint32_t& id) const;
  // "`%r<10>` declares %r0 to %r9" where the text is beyond the end of a range; "" otherwise.
  std::string beyond_range(std::string_view text) const;
  // Of names of the module only those are found from here on that stand before `end`: a body that is read
  // late must not see what comes behind it.
  void see_until(Position end) { end_ = end; }
  // Names of the kind that a suggestion may be made of; at most 2,000.
  std::vector<std::string> all(bool registers) const;

 private:
  const Name* find(std::string_view text, bool range) const;
  bool comes_later(const Name& name) const {
    return name.depth == 1 && (name.position.line != end_.line ? name.position.line > end_.line
                                                               : name.position.column > end_.column);
  }
  void rehash();

  static constexpr uint32_t kNone = UINT32_MAX;
  std::vector<Name> entries_;
  std::vector<uint32_t> buckets_;
  uint32_t depth_ = 0;
  Position end_{UINT32_MAX, UINT32_MAX};
};

}  // namespace gpuloom::ptx
