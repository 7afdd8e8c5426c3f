// SPDX-License-Identifier: Apache-2.0
// Values in rows of register memory, for analyses that follow them through a program. Rows are used again for
// other values (ptx/passes, reuse_rows), so what holds of a row holds at one place.
#pragma once
#include "ptx/ir/program.h"
#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

constexpr uint32_t kLeastRow = 4;  // bytes: a predicate's

inline bool is_row(Place place) { return place.present() && !place.constant(); }
inline uint32_t row_of(Place place) { return static_cast<uint32_t>(place.at) / kLeastRow; }
inline bool has_row(const RowSet& rows, Place place) { return is_row(place) && rows.has(row_of(place)); }
inline void add_row(RowSet& rows, Place place) {
  if (is_row(place)) rows.add(row_of(place));
}
inline void remove_row(RowSet& rows, Place place) {
  if (is_row(place)) rows.remove(row_of(place));
}

// For each row that the instruction reads, or writes.
template <class Take>
void each_row(const Program& program, uint32_t pc, bool written, const Take& take) {
  for (uint32_t r = program.ref_begin[pc]; r < program.ref_begin[pc + 1]; ++r)
    if (program.refs[r].defines == written) take(program.refs[r]);
}

}  // namespace gpuloom::ptx
