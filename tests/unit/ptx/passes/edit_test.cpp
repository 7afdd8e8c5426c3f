// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/edit.h"

#include "tests/catch2.h"

namespace gpuloom::ptx {

TEST_CASE("Insertions are sorted by place, and those of one place keep their order") {
  Edit edit{Program{}};
  for (uint32_t k = 0; k < 300; ++k) {
    Edit::Insertion insertion;
    insertion.before = (k * 7) % 5;
    insertion.instr.imm = k;
    edit.insert.push_back(insertion);
  }
  edit.sort_insertions();
  REQUIRE(edit.insert.size() == 300);
  for (size_t k = 1; k < edit.insert.size(); ++k) {
    const Edit::Insertion &a = edit.insert[k - 1], &b = edit.insert[k];
    CHECK((a.before < b.before || (a.before == b.before && a.instr.imm < b.instr.imm)));
  }
}

}  // namespace gpuloom::ptx
