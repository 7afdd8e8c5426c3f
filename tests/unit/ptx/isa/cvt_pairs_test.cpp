// SPDX-License-Identifier: Apache-2.0
// Which conversions exist: all pairs of twelve types, roundings and modifiers were put to ptxas 13.0; these
// are those that a rule by hand had wrong.
#include "ptx/parse/parser.h"
#include "tests/catch2.h"
#include "tests/unit/ptx/isa/one_instruction.h"

using namespace gpuloom;
using gpuloom::test::OneInstruction;

namespace {

bool accepted(const std::string& text) {
  try {
    ptx::load_module_text(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b8 %b<3>; .reg .b16 "
        "%h<3>; "
        ".reg .f64 %d<3>; .reg .b32 %r<3>;\n" +
            text + "\nret;\n}\n",
        "test.ptx", ptx::isa_table());
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("bf16 and bytes convert through registers of eight bits", "[cvt]") {
  for (const char* rounding : {".rni", ".rzi", ".rmi", ".rpi"})
    for (const char* type : {".s8", ".u8"}) {
      CHECK(accepted("cvt" + std::string(rounding) + type + ".bf16 %b1, %h1;"));
      CHECK_FALSE(accepted("cvt" + std::string(rounding) + type + ".bf16 %h2, %h1;"));
    }
  for (const char* rounding : {".rn", ".rz", ".rm", ".rp"}) {
    CHECK(accepted("cvt" + std::string(rounding) + ".bf16.u8 %h1, %b1;"));
    CHECK_FALSE(accepted("cvt" + std::string(rounding) + ".bf16.s8 %h1, %h2;"));
  }
}

TEST_CASE("The two types of a conversion do not change places", "[cvt]") {
  CHECK(accepted("cvt.rn.f16.s8 %h1, %h2;"));
  CHECK_FALSE(accepted("cvt.rn.s8.f16 %h1, %h2;"));
  CHECK(accepted("cvt.rzi.s8.f16 %h1, %h2;"));
  CHECK_FALSE(accepted("cvt.rzi.f16.s8 %h1, %h2;"));
  CHECK_FALSE(accepted("cvt.rn.ftz.f16.u8 %h1, %h2;"));
  CHECK_FALSE(accepted("cvt.rn.ftz.f64.u8 %d1, %h2;"));
}

TEST_CASE("f16 and bf16 convert to nearest where nothing is said", "[cvt]") {
  CHECK(accepted("cvt.f16.bf16 %h1, %h2;"));
  CHECK(accepted("cvt.bf16.f16 %h1, %h2;"));
}

TEST_CASE("bf16 to bytes rounds and saturates, bytes to bf16 are exact or rounded", "[cvt]") {
  gpuloom::test::check_all({
      {".b8 d; .b16 a", "cvt.rzi.s8.bf16 d, a;", {0xc020}, 0xfe},  // -2.5
      {".b8 d; .b16 a", "cvt.rni.s8.bf16 d, a;", {0x4396}, 0x7f},  // 300
      {".b8 d; .b16 a", "cvt.rmi.u8.bf16 d, a;", {0xc020}, 0x00},
      {".b16 d; .b8 a", "cvt.rn.bf16.s8 d, a;", {0x80}, 0xc300},
      {".b16 d; .b8 a", "cvt.rz.bf16.u8 d, a;", {0xff}, 0x437f},
      {".b16 d, a", "cvt.f16.bf16 d, a;", {0x3f80}, 0x3c00},
  });
}
