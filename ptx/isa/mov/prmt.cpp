// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.7 prmt
//
//   prmt.b32{.mode}  d, a, b, c;     .mode = { .f4e, .b4e, .rc8, .ecl, .ecr, .rc16 }
//
// Picks four of the eight bytes of b:a (a is the lower word). Without a mode c holds four selectors of four
// bits, whose top bit replicates the byte's sign; with one, its low two bits choose a pattern.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

using numeric::PrmtMode;

template <PrmtMode M>
constexpr LaneFn kPrmt = per_lane([](uint32_t a, uint32_t b, uint32_t c) {
  return numeric::prmt<M>(a, b, c);
});

LaneFn prmt(const FormUse& use) {
  const std::string_view mode = use.mod(".mode");
  if (mode == ".f4e") return kPrmt<PrmtMode::kF4e>;
  if (mode == ".b4e") return kPrmt<PrmtMode::kB4e>;
  if (mode == ".rc8") return kPrmt<PrmtMode::kRc8>;
  if (mode == ".ecl") return kPrmt<PrmtMode::kEcl>;
  if (mode == ".ecr") return kPrmt<PrmtMode::kEcr>;
  if (mode == ".rc16") return kPrmt<PrmtMode::kRc16>;
  return kPrmt<PrmtMode::kDefault>;
}

}  // namespace

void register_mov_prmt(IsaBuilder& isa) {
  isa.instruction("prmt", "9.7.9.7", "Permute the bytes of a register pair.");
  isa.form("prmt.b32{.mode} d, a, b, c")
      .set(".mode", ".f4e .b4e .rc8 .ecl .ecr .rc16")
      .since("2.0")
      .op(OpClass::prmt)
      .meaning(prmt);
}

}  // namespace gpuloom::ptx
