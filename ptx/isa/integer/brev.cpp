// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.18 brev
//
//   brev.type  d, a;     .type = { .b32, .b64 }
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn brev(const FormUse& use) {
  return by_width<uint32_t, uint64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a) -> T { return numeric::brev(a); }); });
}

OpClass brev_class(const FormUse& use) { return by_bits(use, OpClass::brev, OpClass::bits64); }

}  // namespace

void register_integer_brev(IsaBuilder& isa) {
  isa.instruction("brev", "9.7.1.18", "Bit reverse.");
  isa.form("brev.type d, a").set(".type", ".b32 .b64").since("2.0").op(brev_class).meaning(brev);
}

}  // namespace gpuloom::ptx
