// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/distances.h"

namespace gpuloom::ptx {

bool Distances::adds64(uint32_t i) const {
  const Type type = d_.program.code[i].type;
  return is_plain(d_.program, i, "add") && !is_float(type) && bits(type) == 64;
}

Place Distances::root(Place place, int64_t& distance) const {
  constexpr unsigned kDeepest = 8;
  for (unsigned depth = 0; depth < kDeepest && values_.made_once(place); ++depth) {
    const uint32_t made = values_.row(place).made;
    if (!adds64(made)) break;
    const Instr& in = d_.program.code[made];
    uint64_t by = 0;
    if (!in.ops[1].present() || in.ops[1].constant() || !in.ops[2].present() || !in.ops[2].constant() ||
        !d_.constants.value_of(in.ops[2], by))
      break;
    if (!values_.stays(in.ops[1], made)) break;
    distance += static_cast<int64_t>(by);
    place = in.ops[1];
  }
  return place;
}

}  // namespace gpuloom::ptx
