// SPDX-License-Identifier: Apache-2.0
// Irreducible polynomials (Rau, ISCA 1991): the number of a block, as a polynomial over two elements, modulo
// an irreducible one of degree `degree`. Any 2^degree blocks in a row of a power-of-two stride fall into
// different residues. Slices whose number is not a power of two take the residues in turn.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

constexpr uint64_t kLine = 128;
// An irreducible polynomial of each degree from 1 on, its highest bit included (Lidl and Niederreiter, table
// C).
constexpr uint32_t kPolynomials[] = {0x2,  0x3,   0x7,   0xb,   0x13,  0x25,  0x43,
                                     0x83, 0x11b, 0x211, 0x409, 0x805, 0x1053};

uint32_t residue(uint64_t value, uint32_t polynomial, unsigned degree) {
  uint64_t left = 0;
  for (int bit = 63; bit >= 0; --bit) {
    left = left << 1 | (value >> bit & 1);
    if (left >> degree & 1) left ^= polynomial;
  }
  return static_cast<uint32_t>(left);
}

class Ipoly final : public AddressHash {
 public:
  Ipoly(Parameters& parameters, const L2Host& host)
      : host_(host), degree_(static_cast<unsigned>(parameters.count("degree", 1, 12))) {}
  L2Place place(uint64_t line) const override {
    const uint32_t partition =
        host_.partitions == 1
            ? 0
            : residue(line / host_.partition_bytes, kPolynomials[degree_], degree_) % host_.partitions;
    const uint32_t each = host_.slices / host_.partitions;
    return {partition, residue(line / host_.slice_bytes, kPolynomials[degree_], degree_) % each};
  }
  double along(uint32_t index) const override {
    return middle_of_place(index, host_.slices / host_.partitions);
  }
  uint32_t set(uint64_t line) const override {
    const uint64_t number = line / kLine;
    return static_cast<uint32_t>((number ^ residue(number / host_.sets, kPolynomials[degree_], degree_)) %
                                 host_.sets);
  }

 private:
  const L2Host host_;
  const unsigned degree_;
};

}  // namespace

GPULOOM_POLICY(l2_hash, ipoly, Ipoly)
