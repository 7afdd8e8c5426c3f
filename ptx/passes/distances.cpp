// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/distances.h"

namespace gpuloom::ptx {

bool Distances::adds64(uint32_t i) const {
  const Type type = d_.program.code[i].type;
  return is_plain(d_.program, i, "add") && !is_float(type) && bits(type) == 64;
}

Place Distances::base(uint32_t i, int64_t& constant) const {
  const Instr& in = d_.program.code[i];
  uint64_t by = 0;
  if (!adds64(i) || !SingleValues::is_row(in.ops[1]) || !in.ops[2].present() || !in.ops[2].constant() ||
      !d_.constants.value_of(in.ops[2], by))
    return {};
  constant = static_cast<int64_t>(by);
  return in.ops[1];
}

Place Distances::root(Place place, int64_t& distance) const {
  constexpr unsigned kDeepest = 8;
  for (unsigned depth = 0; depth < kDeepest && values_.made_once(place); ++depth) {
    const uint32_t made = values_.row(place).made;
    int64_t by = 0;
    const Place before = base(made, by);
    if (!before.present() || !values_.stays(before, made)) break;
    distance += by;
    place = before;
  }
  return place;
}

}  // namespace gpuloom::ptx
