// SPDX-License-Identifier: Apache-2.0
// A wait for bulk copies that have been written, not only read: DEPBAR.LE; CCTL.IVALL, which makes the L1
// forget (ptxas 13.0, sm_90a: SASS of cp.async.bulk.wait_group with and without .read).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_bulk_wait(const Selection& s, uint32_t i) {
  if (s.op_class(i) != OpClass::utmacmdflush) return false;
  const FormUse use = s.use(i);
  return use.form().syntax.starts_with("cp.async.bulk.wait_group") && !use.has(".read");
}

void apply_bulk_wait(const Selection&, Emitter& out, uint32_t) {
  out.around({}, OpClass::utmacmdflush, {OpClass::ccctl});
}

}  // namespace

extern const Rule kBulkWait{"bulk_wait", match_bulk_wait, apply_bulk_wait};

}  // namespace gpuloom::ptx
