// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.15 clz
//
//   clz.type  d, a;     .type = { .b32, .b64 }     d is 32 bits wide
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn clz(const FormUse& use) {
  return by_width<uint32_t, uint64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a) -> uint32_t { return numeric::clz(a); }); });
}

OpClass clz_class(const FormUse& use) { return by_bits(use, OpClass::flo, OpClass::bits64); }

}  // namespace

void register_integer_clz(IsaBuilder& isa) {
  isa.instruction("clz", "9.7.1.15", "Count leading zeros.");
  isa.form("clz.type d:u32, a").set(".type", ".b32 .b64").since("2.0").op(clz_class).meaning(clz);
}

}  // namespace gpuloom::ptx
