// SPDX-License-Identifier: Apache-2.0
// Random uses of the instruction table's forms.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/isa/table/form.h"
#include "tests/fuzz/kernels/random.h"

namespace gpuloom::fuzz {

// A form with its modifiers chosen.
struct Use {
  const ptx::Form* form = nullptr;
  std::string opcode;
  std::vector<std::string> words;  // of each modifier slot, "" where absent
  bool has(std::string_view word) const;
  // The type that the modifiers give to an operand; kNone: any.
  ptx::Type type_of(const ptx::OperandSlot& slot) const;
};

class Forms {
 public:
  Forms();
  // Of one of the families whose instructions compute a result from registers alone.
  Use pick(Random& rng) const;
  // Of the instruction's forms, one at random.
  Use use_of(const ptx::Form& form, Random& rng) const;
  // Whether the parser takes a line (names of registers in their classes; immediates by their look). Known
  // answers are kept.
  bool takes(const std::string& line);

 private:
  struct Family {
    unsigned weight;
    std::vector<std::vector<const ptx::Form*>> instructions;
  };
  Use any(Random& rng) const;
  void add(const ptx::Form& form);
  std::vector<std::pair<std::string, Family>> families_;
  std::vector<std::vector<const ptx::Form*>> common_;
  std::unordered_map<std::string, bool> known_;
};

}  // namespace gpuloom::fuzz
