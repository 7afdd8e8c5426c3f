// SPDX-License-Identifier: Apache-2.0
// Products of bytes in floating point where the hardware has none of its own: two multiplications of halves,
// the first from zero, and an addition for each register of the sums (SASS of sm_90; of k = 16 the short
// multiplication, of sums in halves HADD2).
#include "ptx/machine/rules/matrix_operands.h"

namespace gpuloom::ptx {

namespace {

constexpr OpClass kProduct = OpClass::qmma_16832;

bool match_unpacked_product(const Selection& s, uint32_t i) {
  return s.class_now(i) == kProduct && s.mnemonic(i) == "mma" && s.sequence_of(kProduct).size() == 4;
}

// The halves that the lower or the upper two bytes of each register become; once for all multiplications of a
// block that have the register.
std::vector<uint32_t> unpacked(const Selection& s, Emitter& out, uint32_t i, const std::vector<Place>& tuple,
                               bool high) {
  std::vector<uint32_t> row;
  for (const Place p : tuple) {
    const int64_t value = is_constant(s, p) ? -1 : static_cast<int64_t>(s.value(p));
    const auto [known, is_new] =
        out.once(Made::kUnpacked, {s.block_of(i), high ? 1 : 0, value, static_cast<int64_t>(s.maker(p))});
    if (is_new) known.push_back(out.make(s.sequence_of(kProduct)[0], out.source(p), 1));
    row.push_back(known[0]);
  }
  return row;
}

void apply_unpacked_product(const Selection& s, Emitter& out, uint32_t i) {
  const FormUse use = s.use(i);
  const std::vector<OpClass> sequence = s.sequence_of(kProduct);
  std::map<uint8_t, std::vector<Place>> tuples = factors(s, i);
  const std::vector<uint32_t> made = results_of(s, i);
  std::vector<uint32_t> sums;
  const bool guarded = s.instr(i).guard.present();
  for (const bool high : {false, true}) {
    const std::vector<uint32_t> a = unpacked(s, out, i, tuples[1], high),
                                b = unpacked(s, out, i, tuples[2], high);
    Node& n = out.push(use.has(".m16n8k16") ? OpClass::hmma_1688 : sequence[high ? 2 : 1]);
    n.guarded = guarded;
    for (const auto& row : {a, b, sums}) {
      n.uses.insert(n.uses.end(), row.begin(), row.end());
      add_row(s, n, row);
    }
    sums.clear();
    for (size_t e = 0; e < made.size(); ++e) sums.push_back(out.temporary(1));
    n.defs = sums;
    add_row(s, n, n.defs);
  }
  const bool halves = use.has(".f16");
  for (size_t e = 0; e < made.size(); ++e) {
    Node& n = out.push(halves ? OpClass::hadd2 : sequence[3]);
    n.guarded = guarded;
    n.uses = {sums[e]};
    if (e < tuples[3].size()) s.add_source(tuples[3][e], n.uses);
    if (guarded) n.uses.push_back(made[e]);
    n.defs = {made[e]};
    n.carries = e + 1 == made.size();
    if (n.carries) out.keep_order(n);
  }
}

}  // namespace

extern const Rule kUnpackedProduct{"unpacked_product", match_unpacked_product, apply_unpacked_product};

}  // namespace gpuloom::ptx
