// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.8.5 cnot
//
//   cnot.type  d, a;     .type = { .b16, .b32, .b64 }
//
// The logical negation of C: 1 if a is zero, else 0.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn cnot(const FormUse& use) {
  return by_width<uint16_t, uint32_t, uint64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a) -> T { return a == 0 ? 1 : 0; }); });
}

}  // namespace

void register_logic_cnot(IsaBuilder& isa) {
  isa.instruction("cnot", "9.7.8.5", "Logical negation.");
  isa.form("cnot.type d, a").set(".type", ".b16 .b32 .b64").op(logic_class).meaning(cnot);
}

}  // namespace gpuloom::ptx
