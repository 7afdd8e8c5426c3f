// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "base/error.h"
#include "ptx/exec/fault.h"
#include "tests/catch2.h"
#include "tests/unit/ptx/isa/one_instruction.h"

using namespace gpuloom;
using gpuloom::test::OneInstruction;

namespace {

// One matrix instruction of a warp whose block has some shared memory.
struct MatrixInstruction : OneInstruction {
  ptx::Cta cta;
  MatrixInstruction(const std::string& registers, const std::string& text, size_t shared = 4096)
      : OneInstruction(registers, text) {
    cta.shared.resize(shared);
    for (size_t k = 0; k < shared; ++k) cta.shared[k] = static_cast<uint8_t>(k * 7 + k / 256);
    warp().cta = &cta;
    warp().shared = cta.shared.data();
    warp().shared_bytes = shared;
    warp().lanes = ~0u;
  }
  uint8_t* list(unsigned operand, unsigned index) {
    const ptx::Warp& w = warp();
    const auto first = static_cast<uint32_t>(instruction().ops[operand].at);
    return w.regs + w.program->extra[first + index].at;
  }
  uint32_t word(unsigned operand, unsigned index, unsigned lane) {
    uint32_t value;
    std::memcpy(&value, list(operand, index) + lane * 4, 4);
    return value;
  }
  uint16_t shared16(size_t offset) const {
    uint16_t value;
    std::memcpy(&value, cta.shared.data() + offset, 2);
    return value;
  }
};

std::string refusal(const std::string& registers, const std::string& text) {
  try {
    OneInstruction one(registers, text);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

// Loads a matrix into a fragment and stores it again in another place; the two must be the same.
void check_round_trip(const std::string& shape, const std::string& type, unsigned registers, bool wide,
                      const std::string& layout, uint32_t rows, uint32_t columns, uint32_t bytes) {
  std::string list;
  for (unsigned k = 0; k < registers; ++k) list += (k == 0 ? "r" : ", r") + std::to_string(k);
  const std::string declare = std::string(wide ? ".b64 " : ".b32 ") + list + "; .u32 a";
  const uint32_t stride = (layout == "row" ? columns : rows) + 16 / bytes;
  const std::string where = ", [a], " + std::to_string(stride) + ";";
  MatrixInstruction load(declare, "wmma.load.c.sync.aligned." + layout + "." + shape + ".shared." + type +
                                      " {" + list + "}" + where);
  MatrixInstruction store(declare, "wmma.store.d.sync.aligned." + layout + "." + shape + ".shared." + type +
                                       " [a], {" + list + "}, " + std::to_string(stride) + ";");
  for (unsigned l = 0; l < 32; ++l) {
    load.set(1, l, 128);
    store.set(0, l, 128);
  }
  std::fill(store.cta.shared.begin(), store.cta.shared.end(), uint8_t{0});
  load.run();
  for (unsigned k = 0; k < registers; ++k) std::memcpy(store.list(1, k), load.list(0, k), wide ? 256 : 128);
  store.run();
  size_t differ = 0;
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t column = 0; column < columns; ++column) {
      const size_t at =
          128 + (layout == "row" ? row * stride + column : column * stride + row) * size_t{bytes};
      differ += std::memcmp(&load.cta.shared[at], &store.cta.shared[at], bytes) != 0;
    }
  INFO(shape << " " << type << " " << layout);
  CHECK(differ == 0);
  CHECK(load.warp().access.op == ptx::AccessOp::kLoad);
  CHECK(store.warp().access.op == ptx::AccessOp::kStore);
}

}  // namespace

TEST_CASE("ldmatrix gives a lane two elements of a row, or with .trans of a column") {
  MatrixInstruction plain(".b32 r0, r1; .u32 a",
                          "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {r0, r1}, [a+16];");
  MatrixInstruction trans(".b32 r0, r1; .u32 a",
                          "ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {r0, r1}, [a+16];");
  for (unsigned l = 0; l < 32; ++l) {
    plain.set(1, l, l * 80);
    trans.set(1, l, l * 80);
  }
  plain.run();
  trans.run();
  const auto element = [&](unsigned row, unsigned column) {
    return plain.shared16(16 + row * 80 + column * 2);
  };
  for (const unsigned lane : {0u, 5u, 31u})
    for (unsigned k = 0; k < 2; ++k) {
      const unsigned g = lane / 4, t = lane % 4;
      CHECK(plain.word(0, k, lane) ==
            (element(8 * k + g, 2 * t) | static_cast<uint32_t>(element(8 * k + g, 2 * t + 1)) << 16));
      CHECK(trans.word(0, k, lane) ==
            (element(8 * k + 2 * t, g) | static_cast<uint32_t>(element(8 * k + 2 * t + 1, g)) << 16));
    }
  const ptx::MemoryAccess& access = plain.warp().access;
  CHECK(access.op == ptx::AccessOp::kMatrixLoad);
  CHECK(access.rows == 16);
  CHECK(access.lanes == 0xffffu);
  CHECK(access.address[15] == 15 * 80 + 16);
}

TEST_CASE("ldmatrix stops the kernel at a row that is not aligned to 16 bytes") {
  MatrixInstruction one(".b32 r0; .u32 a", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [a];");
  for (unsigned l = 0; l < 32; ++l) one.set(1, l, l == 6 ? 104 : l * 16);
  CHECK_THROWS_AS(one.run(), ptx::Fault);
  for (unsigned l = 0; l < 32; ++l) one.set(1, l, l > 7 ? 1 : l * 16);  // lanes beyond the rows do not matter
  CHECK_NOTHROW(one.run());
}

TEST_CASE("stmatrix writes what ldmatrix reads") {
  MatrixInstruction one(".b32 r0; .u32 a", "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [a], {r0};");
  for (unsigned l = 0; l < 32; ++l) {
    one.set(0, l, l * 16);
    const uint32_t value = l * 2 | (l * 2 + 1) << 16;  // element (r, c) is 8 * r + c
    std::memcpy(one.list(1, 0) + l * 4, &value, 4);
  }
  one.run();
  CHECK(one.shared16(3 * 16 + 5 * 2) == 5 * 8 + 3);
  CHECK(one.warp().access.op == ptx::AccessOp::kMatrixStore);
}

TEST_CASE("A wmma accumulator that is loaded and stored is unchanged") {
  for (const char* layout : {"row", "col"}) {
    check_round_trip("m16n16k16", "f32", 8, false, layout, 16, 16, 4);
    check_round_trip("m16n16k16", "f16", 4, false, layout, 16, 16, 2);
    check_round_trip("m32n8k16", "f16", 4, false, layout, 32, 8, 2);
    check_round_trip("m8n32k16", "s32", 8, false, layout, 8, 32, 4);
    check_round_trip("m8n8k32", "s32", 2, false, layout, 8, 8, 4);
    check_round_trip("m8n8k4", "f64", 2, true, layout, 8, 8, 8);
  }
}

TEST_CASE("wmma.load fetches a matrix as the machine does, in several loads of a word a lane") {
  MatrixInstruction one(
      ".b32 r0, r1, r2, r3, r4, r5, r6, r7; .u32 a",
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {r0, r1, r2, r3, r4, r5, r6, r7}, [a], 64;");
  for (unsigned l = 0; l < 32; ++l) one.set(1, l, 256);
  one.run();
  const ptx::MemoryAccess& access = one.warp().access;
  REQUIRE(access.pieces == 4);
  CHECK(access.lane_bytes == 4);
  CHECK(access.address[5] == 256 + 1 * 128 + 4);
  CHECK(access.piece_offset[1] == 8 * 128);
  CHECK(access.piece_offset[2] == 16);
  CHECK(one.word(0, 2, 5) == one.word(0, 6, 5));
  CHECK((one.word(0, 2, 5) & 0xffff) == one.shared16(256 + 128 + 4 + 16));
}

TEST_CASE("A matrix outside of memory stops the kernel") {
  MatrixInstruction one(
      ".b32 r0, r1, r2, r3, r4, r5, r6, r7; .u32 a",
      "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {r0, r1, r2, r3, r4, r5, r6, r7}, [a];", 1024);
  for (unsigned l = 0; l < 32; ++l) one.set(1, l, 0);
  CHECK_NOTHROW(one.run());
  for (unsigned l = 0; l < 32; ++l) one.set(1, l, 8);
  CHECK_THROWS_AS(one.run(), ptx::Fault);
}

TEST_CASE("Matrix instructions say how many registers they take, and of what width") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(
      refusal(".b32 r0, r1, r2; .u32 a", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2}, [a];"),
      ContainsSubstring("4 registers"));
  CHECK_THAT(refusal(".b64 r0, r1; .u32 a", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {r0, r1}, [a];"),
             ContainsSubstring("32-bit"));
  CHECK_THAT(refusal(".f32 d<4>; .b32 a<2>, b<2>, e",
                     "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d0,d1,d2,d3}, {a0,a1}, {b0,b1}, "
                     "{d0,d1,d2,d3}, e, 4;"),
             ContainsSubstring("selector must be 0 to 3"));
}

TEST_CASE("Valid PTX that is not modelled is refused with the reason") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(refusal(".b32 t", "tcgen05.shift.cta_group::1.down [t];"), ContainsSubstring("tensor memory"));
  CHECK_THAT(refusal(".b32 r; .b64 a", "multimem.ld_reduce.relaxed.gpu.global.add.u32 r, [a];"),
             ContainsSubstring("multimem"));
  CHECK_THAT(refusal(".b64 t; .f32 x, y, d<4>", "tex.2d.v4.f32.f32 {d0, d1, d2, d3}, [t, {x, y}], x;"),
             ContainsSubstring("depth comparison"));
}
