// SPDX-License-Identifier: Apache-2.0
// Rows of a function that one instruction writes, who reads them, and whether what is made of such a value
// still belongs to it where it is read. For passes that put one value in the place of another.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/ir/program.h"
#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

class SingleValues {
 public:
  static constexpr uint32_t kNobody = UINT32_MAX, kMany = UINT32_MAX - 1;
  struct Row {
    uint32_t made = kNobody;      // the one instruction that writes it, without guard; kMany
    std::vector<uint32_t> users;  // instructions
    bool movable = true;          // all users are operands that can name another row
  };

  explicit SingleValues(const Program& program);
  // The rows of another function.
  void gather(const FunctionCode& f);

  // Visits the blocks of one function after another, with the rows of each.
  template <class Visit>
  void for_each_block(Visit&& visit) {
    for (uint32_t f = 0; f < p_.functions.size(); ++f) {
      gather(p_.functions[f]);
      for (uint32_t b = flow_.first_block[f]; b < flow_.first_block[f + 1]; ++b) visit(flow_.blocks[b]);
    }
  }

  const Flow& flow() const { return flow_; }
  Row& row(Place place) { return rows_[static_cast<uint32_t>(place.at) / 4]; }
  const Row& row(Place place) const { return rows_[static_cast<uint32_t>(place.at) / 4]; }
  static bool is_row(Place place) { return place.present() && !place.constant(); }
  bool made_once(Place place) const { return is_row(place) && row(place).made < kMany; }
  // Whether instruction `user`, which reads the place, runs anew whenever the place is written again: what it
  // makes of it then always belongs to what stands there.
  bool stays(Place place, uint32_t user) const;

 private:
  const Program& p_;
  Flow flow_;
  std::vector<uint8_t> repeats_;  // by block: whether it may run again
  std::vector<Row> rows_;
};

// Whether i is an unguarded instruction of that name without carry or saturation.
bool is_plain(const Program& program, uint32_t i, std::string_view mnemonic);
// Makes `user` read `to` wherever it reads `from`.
void read_instead(Program& program, uint32_t user, Place from, Place to);

}  // namespace gpuloom::ptx
