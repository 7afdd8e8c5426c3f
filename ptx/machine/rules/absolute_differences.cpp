// SPDX-License-Identifier: Apache-2.0
// vabsdiff4 is one VABSDIFF4 (ptxas 13.0, sm_90).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_absolute_differences(const Selection& s, uint32_t i) { return s.shape(i) == Shape::kAbsDiff4; }

void apply_absolute_differences(const Selection&, Emitter& out, uint32_t) {
  out.sequence({OpClass::vabsdiff});
}

}  // namespace

extern const Rule kAbsoluteDifferences{"absolute_differences", match_absolute_differences,
                                       apply_absolute_differences};

}  // namespace gpuloom::ptx
