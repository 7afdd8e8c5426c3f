// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/generator.h"

#include "base/hash.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;

TEST_CASE("Every generator makes the bytes that the silicon run had", "[memory]") {
  // Hashes from the harness of bench/silicon (harness.cuh, fill), compiled on its own.
  struct Golden {
    const char *type, *fill;
    uint64_t count, seed, param, hash;
  };
  const Golden golden[] = {
      {"u8", "zero", 1000, 1, 0, 0x8c333391e5f59063ull},
      {"u8", "raw", 1000, 6, 0, 0x3f740ff914b3f6a6ull},
      {"u8", "range", 1000, 3, 10, 0xcf550a9f5ac4b343ull},
      {"u32", "iota", 1000, 1, 0, 0xd2bbea23c68c8f13ull},
      {"f32", "iota", 1000, 1, 0, 0xd89286e45454205aull},
      {"u32", "raw", 1000, 2, 0, 0xa556628896380558ull},
      {"u32", "range", 1000, 10, 77, 0xcc8e598fda4d2877ull},
      {"f32", "uniform", 1000, 1, 0, 0x2ce6838c0fa8f5beull},
      {"f64", "uniform", 1000, 4, 0, 0x0accdb2a65a1dff4ull},
      {"f16", "uniform", 1000, 5, 0, 0x4f88e4bca1b7bd56ull},
      {"f32", "positive", 1000, 7, 0, 0xdb3a4e08fc9574a9ull},
      {"f64", "positive", 1000, 8, 0, 0x9bd071f7ed4f0cceull},
      {"u32", "perm", 1000, 9, 0, 0x48eeb7ae4da0dac7ull},
      {"u32", "csr_rows", 1001, 11, 8, 0x6ab313ab69d500ebull},
      {"u32", "chase", 1024, 1, 32, 0x7c6ad519f25d7183ull},
  };
  for (const Golden& g : golden) {
    INFO(g.type << ' ' << g.fill);
    ElementType type{};
    FillSpec spec{Fill::kZero, g.seed, g.param};
    REQUIRE(element_type_named(g.type, type));
    REQUIRE(fill_named(g.fill, spec.kind));
    REQUIRE(fill_problem(spec, type, g.count).empty());
    std::vector<uint8_t> bytes(g.count * bytes_of(type), 0xaa);
    generate(spec, type, bytes);
    CHECK(fnv1a64(bytes.data(), bytes.size()) == g.hash);
  }
}

TEST_CASE("A generator that does not fit the element type is refused in words", "[memory]") {
  CHECK(fill_problem({Fill::kUniform, 1, 0}, ElementType::kU32, 4) ==
        "'uniform' makes floating-point numbers, not u32");
  CHECK(fill_problem({Fill::kRange, 1, 0}, ElementType::kU32, 4) ==
        "'range' needs a param above 0: values are below it");
  CHECK(fill_problem({Fill::kPerm, 1, 0}, ElementType::kF32, 4) == "'perm' makes 32-bit integers, not f32");
}

TEST_CASE("Half-precision values round to nearest even and keep infinities, denormals and signs",
          "[memory]") {
  CHECK(f16_bits(1.0) == 0x3c00);
  CHECK(f16_bits(-2.0) == 0xc000);
  CHECK(f16_bits(65504.0) == 0x7bff);
  CHECK(f16_bits(65520.0) == 0x7c00);
  CHECK(f16_bits(0x1p-24) == 0x0001);
  CHECK(f16_bits(0x1p-25) == 0x0000);
  CHECK(f16_bits(1.0 + 0x1p-11) == 0x3c00);
  CHECK(f16_bits(1.0 + 0x1.8p-10) == 0x3c02);
  CHECK(bf16_bits(1.0) == 0x3f80);
  CHECK(bf16_bits(3.3895313892515355e38) == 0x7f7f);
  CHECK(bf16_bits(1e39) == 0x7f80);
  for (unsigned bits = 0; bits < 0x7c00; ++bits)
    REQUIRE(f16_bits(f16_value(static_cast<uint16_t>(bits))) == bits);
  for (unsigned bits = 0; bits < 0x7f80; ++bits)
    REQUIRE(bf16_bits(bf16_value(static_cast<uint16_t>(bits))) == bits);
}
