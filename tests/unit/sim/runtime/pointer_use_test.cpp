// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/pointer_use.h"

#include <memory>
#include <string>

#include "ptx/isa/table/form.h"
#include "ptx/parse/parser.h"
#include "tests/catch2.h"

using namespace gpuloom;

namespace {

// Uses of the first parameters of a kernel p0, p1, ... (pointers) and n (a number) with this body.
std::vector<sim::PointerUse> uses_of(const std::string& body) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 n) {\n"
      ".reg .b64 %d<9>; .reg .b32 %r<5>; .reg .f32 %f<5>; .reg .pred %p<3>;\n"
      "ld.param.u64 %d1, [p0]; ld.param.u64 %d2, [p1]; ld.param.u64 %d3, [n];\n" +
      body + "\nret; }\n";
  const std::unique_ptr<ptx::Module> module = ptx::load_module_text(text, "k.ptx", ptx::isa_table());
  return sim::pointer_uses(module->functions.front(), {true, true, false});
}

}  // namespace

TEST_CASE("An access counts for the parameter that its address comes from, through any arithmetic", "[api]") {
  const auto uses = uses_of(
      "cvta.to.global.u64 %d4, %d1; shl.b64 %d5, %d3, 2; add.s64 %d6, %d4, %d5;\n"
      "L: ld.global.f32 %f1, [%d6+4]; add.s64 %d6, %d6, 128; setp.ne.u64 %p1, %d6, %d5; @%p1 bra L;\n"
      "st.global.v2.b32 [%d2], {%r1, %r2}; red.global.add.u32 [%d2+8], %r1; ld.global.f32 %f2, [%d6];");
  REQUIRE(uses.size() == 3);
  CHECK(uses[0].complete);
  REQUIRE(uses[0].accesses.size() == 1);
  CHECK(uses[0].accesses[0].type == ptx::Type::kF32);
  REQUIRE(uses[1].accesses.size() == 2);
  CHECK(uses[1].accesses[0].vector == 2);
  CHECK(uses[1].accesses[1].type == ptx::Type::kU32);
  CHECK(uses[2].accesses.empty());
}

TEST_CASE("What is loaded through a pointer is not that pointer", "[api]") {
  const auto uses = uses_of("ld.global.u64 %d4, [%d1]; ld.global.f64 %d5, [%d4]; ld.global.u32 %r1, [%d2];");
  CHECK(uses[0].complete);
  CHECK(uses[0].accesses.size() == 1);
  CHECK(uses[1].accesses.size() == 1);
}

TEST_CASE("A pointer that goes where it is not followed leaves the list incomplete", "[api]") {
  CHECK_FALSE(uses_of("st.global.u64 [%d2], %d1;")[0].complete);
  CHECK(uses_of("st.global.u64 [%d2], %d1;")[1].complete);
  CHECK_FALSE(uses_of("cvta.to.shared.u64 %d4, %d2; cp.async.ca.shared.global [%d4], [%d1], 4;")[0].complete);
  const auto either =
      uses_of("setp.eq.u64 %p1, %d3, 0; selp.b64 %d4, %d1, %d2, %p1; ld.global.u32 %r1, [%d4];");
  CHECK_FALSE(either[0].complete);
  CHECK_FALSE(either[1].complete);
}
