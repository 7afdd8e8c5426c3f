// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.1 testp
//
//   testp.op.type  p, a;     .op   = { .finite, .infinite, .number, .notanumber, .normal, .subnormal }
//                            .type = { .f32, .f64 }
//
// Zero counts as normal on the H200, although the manual says otherwise.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/arith32.h"

namespace gpuloom::ptx {
namespace {

using numeric::FloatTest;

template <FloatTest T>
LaneFn test(const FormUse& use) {
  return by_type<float, double>(
      use.type(), []<class F>(F) { return per_lane([](F a) { return numeric::testp<T>(a); }); });
}

LaneFn testp(const FormUse& use) {
  const std::string_view op = use.mod(".op");
  if (op == ".finite") return test<FloatTest::kFinite>(use);
  if (op == ".infinite") return test<FloatTest::kInfinite>(use);
  if (op == ".number") return test<FloatTest::kNumber>(use);
  if (op == ".notanumber") return test<FloatTest::kNotANumber>(use);
  if (op == ".normal") return test<FloatTest::kNormal>(use);
  return test<FloatTest::kSubnormal>(use);
}

OpClass testp_class(const FormUse& use) { return use.type() == Type::kF64 ? OpClass::dsetp : OpClass::fsetp; }

}  // namespace

void register_floating_testp(IsaBuilder& isa) {
  isa.instruction("testp", "9.7.3.1", "Test a property of a floating-point value.");
  isa.form("testp.op.type p:pred, a")
      .set(".op", ".finite .infinite .number .notanumber .normal .subnormal")
      .set(".type", ".f32 .f64")
      .since("2.0")
      .needs("sm_20")
      .op(testp_class)
      .meaning(testp);
}

}  // namespace gpuloom::ptx
