// SPDX-License-Identifier: Apache-2.0
// mul + add -> fma, as ptxas does it (-fmad=true). PTX ISA 9.7.3.3: an add or mul without rounding modifier
// may be contracted. Measured with ptxas 13.0 for sm_90, f32, f64, f16, bf16 and packed alike
// (tests/conformance/contraction):
//  - a product is contracted if each of its uses is an add or sub that can take it, and into each of them;
//    the mul is gone then. One other use (a store, another mul, both operands of one add) and nothing is
//    contracted. Dead uses do not count. The uses may be guarded, the mul may not.
//  - all uses are in the mul's block. Blocks are those before if-conversion; division, square roots and
//    reciprocals with rounding, fences and guarded memory or barrier instructions end one too, a barrier or
//    an atomic without guard does not.
//  - a product by an immediate, a parameter or a .const variable at a known address needs no second register
//    wherever it is made, so that its uses may be in any block, in a loop too, but not behind a loop that the
//    mul is in (SASS of adam_step, ray_spheres; a square is not such a product).
//  - add of two products: the first operand is contracted if it can be, else the second.
//  - sub negates an operand of the fma: a*b - c and c - a*b both.
//  - the product that ends div.approx, div.full and rcp.approx is one too (divide.h), unless the dividend is
//  1
//    and nothing scales it.
//  - a product that is negated or copied before it is added, in its block, counts as added itself; other uses
//  of
//    the negation or copy are uses of the product.
//  - .ftz must be the same on both; .sat on the add stays, .sat on the mul forbids; an explicit rounding on
//  either forbids.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/passes/bind.h"
#include "ptx/passes/divide.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/synthesize.h"

namespace gpuloom::ptx {

namespace {

enum class Op : uint8_t { kOther, kMul, kAdd, kSub, kNeg, kMove };

struct Arithmetic {
  Op op = Op::kOther;
  Type type = Type::kNone;
  bool ftz = false, sat = false;
};

struct ProductUse {
  uint32_t instr = 0;
  Place place;            // the operand: the product, or its negation or copy
  bool negative = false;  // the negation
};

struct RowUses {
  uint32_t defs = 0;
  uint32_t def = UINT32_MAX;   // an instruction
  std::vector<uint32_t> uses;  // instructions, once an operand
};

class Contraction {
 public:
  Contraction(Draft& d, uint32_t f) : d_(d), p_(d.program), f_(f), edit_(d.program) {}

  // True if something changed.
  bool run(const Flow& flow, const Liveness& liveness) {
    flow_ = &flow;
    liveness_ = &liveness;
    const FunctionCode& code = p_.functions[f_];
    for (uint32_t i = code.entry; i < code.end; ++i) {
      kind_.push_back(classify(i));
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (p_.refs[r].place.constant()) continue;
        RowUses& row = rows_[p_.refs[r].place.at];
        if (p_.refs[r].defines) {
          ++row.defs;
          row.def = i;
        } else {
          row.uses.push_back(i);
        }
      }
    }
    find_segments();
    bool changed = false;
    for (uint32_t i = code.entry; i < code.end; ++i) {
      const Op op = kind(i).op;
      if (op != Op::kAdd && op != Op::kSub) continue;
      changed |= contract_product(p_.code[i].ops[1]) || contract_product(p_.code[i].ops[2]);
    }
    if (!changed) return false;
    edit_.sort_insertions();
    apply(p_, edit_);
    return true;
  }

 private:
  Arithmetic& kind(uint32_t i) { return kind_[i - p_.functions[f_].entry]; }

  // Blocks as ptxas sees them when it contracts. What it expands into code with branches of its own ends one:
  // division and its kin, fences, and guarded instructions other than arithmetic.
  bool splits(uint32_t i) const {
    const Instr& in = p_.code[i];
    if (in.guard.present() && in.kind != InstrKind::kPlain) return true;
    return is(static_cast<OpClass>(in.op_class), kEndsContraction);
  }

  void find_segments() {
    const FunctionCode& code = p_.functions[f_];
    uint32_t segment = 0;
    for (uint32_t b = flow_->first_block[f_]; b < flow_->first_block[f_ + 1]; ++b) {
      // A label that only the block before leads to ends nothing.
      const std::vector<uint32_t>& from = flow_->predecessors[b];
      if (from.size() != 1 || from[0] + 1 != b || flow_->successors[from[0]].size() != 1) ++segment;
      for (uint32_t i = flow_->blocks[b].first; i <= flow_->blocks[b].last; ++i) {
        segment_.push_back(segment);
        if (splits(i)) ++segment;
      }
    }
    segment_.resize(code.end - code.entry, segment);
  }
  uint32_t segment(uint32_t i) const { return segment_[i - p_.functions[f_].entry]; }

  Arithmetic classify(uint32_t i) const {
    Arithmetic out;
    const Instr& in = p_.code[i];
    if (in.kind != InstrKind::kPlain || static_cast<OpClass>(in.op_class) == OpClass::none) return out;
    if (const auto division = approx_division(p_, in)) {
      uint64_t bits = 0;
      const bool one = !division->scaled() && d_.constants.value_of(division->dividend, bits) &&
                       (bits & 0x7fff'ffff) == 0x3f80'0000;
      if (!one) out = {Op::kMul, Type::kF32, division->ftz, false};
      return out;
    }
    const FormUse use = use_of(p_, in);
    const std::string& name = use.form().instruction->mnemonic;
    // What stands where a division by a constant stood is a product (fold_constant_divisors).
    const bool folded = name == "div" && static_cast<OpClass>(in.op_class) == OpClass::fmul;
    const Op op = name == "mul" || folded ? Op::kMul
                  : name == "add"         ? Op::kAdd
                  : name == "sub"         ? Op::kSub
                  : name == "neg"         ? Op::kNeg
                                          : Op::kOther;
    if (name == "mov" && !in.ops[2].present() && in.ops[1].present() && !in.ops[1].constant())
      out.op = Op::kMove;
    if (op == Op::kOther) return out;
    if (op == Op::kNeg && main_type(use) == Type::kBf16x2) return out;  // HFMA2.BF16_V2, no operand's sign
    switch (main_type(use)) {
      case Type::kF32:
      case Type::kF64:
      case Type::kF16:
      case Type::kF16x2:
      case Type::kBf16:
      case Type::kBf16x2:
        break;
      default:
        return out;
    }
    for (const std::string_view rounding : {".rn", ".rz", ".rm", ".rp"}) {
      if (use.has(rounding)) return out;
    }
    out.op = op;
    out.type = main_type(use);
    out.ftz = use.has(".ftz");
    out.sat = use.has(".sat");
    return out;
  }

  // Whether `place` holds at `use` what it held at `mul`. With one definition that is so wherever the product
  // itself is the one of `mul`; with several only within a block, where it can be seen.
  bool same_value(Place place, uint32_t mul, uint32_t use) {
    if (place.constant()) return true;
    const auto it = rows_.find(place.at);
    if (it == rows_.end() || it->second.defs <= 1) return true;
    if (flow_->block_of[mul] != flow_->block_of[use] || use < mul) return false;
    for (uint32_t i = mul; i < use; ++i) {
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (p_.refs[r].defines && p_.refs[r].place.at == place.at) return false;
      }
    }
    return true;
  }

  // The instruction that alone defines a register's row; UINT32_MAX where there are several or none.
  uint32_t only_definition(Place place) const {
    if (place.constant()) return UINT32_MAX;
    const auto it = rows_.find(place.at);
    return it == rows_.end() || it->second.defs != 1 ? UINT32_MAX : it->second.def;
  }
  bool passes_on(uint32_t i) {
    return (kind(i).op == Op::kNeg || kind(i).op == Op::kMove) && !p_.code[i].guard.present();
  }

  // What `place` is a negation or copy of.
  Place origin(Place place) {
    for (uint32_t def = only_definition(place); def != UINT32_MAX && passes_on(def);) {
      place = p_.code[def].ops[1];
      const uint32_t before = only_definition(place);
      def = before < def ? before : UINT32_MAX;  // not around a loop
    }
    return place;
  }

  // Every use of the product of `mul` that stands in `place`, through negations and copies behind it in its
  // block, which are added to `passed`. False where there is one that it cannot follow.
  bool collect(uint32_t mul, const ProductUse& from, std::vector<ProductUse>& uses,
               std::vector<uint32_t>& passed) {
    const uint32_t first_block = flow_->first_block[f_];
    if (only_definition(from.place) == UINT32_MAX ||
        liveness_->live_in[first_block].has(liveness_->number(f_, from.place)))
      return false;
    for (const uint32_t u : rows_.at(from.place.at).uses) {
      const bool here = segment(u) == segment(mul) && u > from.instr;
      if (!passes_on(u)) {
        if (from.instr != mul && !here) return false;
        uses.push_back({u, from.place, from.negative});
        continue;
      }
      const Arithmetic &step = kind(u), &product = kind(mul);
      const bool negates = step.op == Op::kNeg;
      if (!here || (negates && (step.type != product.type || (step.ftz && !product.ftz)))) return false;
      passed.push_back(u);
      if (!collect(mul, {u, p_.code[u].ops[0], from.negative != negates}, uses, passed)) return false;
    }
    return true;
  }

  bool contract_product(Place place) {
    const Place product = origin(place);
    const uint32_t mul = only_definition(product);
    if (mul == UINT32_MAX) return false;
    const Arithmetic what = kind(mul);
    if (what.op != Op::kMul || what.sat || p_.code[mul].guard.present()) return false;
    std::vector<ProductUse> uses;
    std::vector<uint32_t> passed;
    if (!collect(mul, {mul, product, false}, uses, passed)) return false;
    for (const ProductUse& use : uses) {
      const uint32_t u = use.instr;
      const Arithmetic& add = kind(u);
      const bool takes =
          (add.op == Op::kAdd || add.op == Op::kSub) && add.type == what.type && add.ftz == what.ftz;
      const auto same = [&](const ProductUse& other) { return other.instr == u; };
      if (!takes || std::count_if(uses.begin(), uses.end(), same) > 1) return false;
      if (segment(u) != segment(mul) && !(one_register(mul) && !leaves_loop(mul, u))) return false;
      if (!same_factors(mul, u)) return false;
    }
    const auto division = approx_division(p_, p_.code[mul]);
    const Factors factors = division ? split_division(d_, f_, *division, mul, edit_)
                                     : Factors{p_.code[mul].ops[1], p_.code[mul].ops[2]};
    for (const ProductUse& use : uses) fuse(factors, use);
    passed.push_back(mul);
    for (const uint32_t gone : passed) {
      edit_.erase[gone] = 1;
      kind(gone).op = Op::kOther;
    }
    return true;
  }

  // Of a division, what is made for it stays as it is.
  bool same_factors(uint32_t mul, uint32_t use) {
    const Place *ops = p_.code[mul].ops, *last = ops + 2;
    if (const auto division = approx_division(p_, p_.code[mul])) {
      if (division->scaled()) return true;
      last = ops + 1;
    }
    return std::all_of(ops + 1, last + 1, [&](Place factor) { return same_value(factor, mul, use); });
  }

  // Whether a factor is an immediate or what the machine reads from the constant bank.
  bool one_register(uint32_t mul) const {
    const Place *begin = p_.code[mul].ops + 1, *end = begin + 2;
    if (const auto division = approx_division(p_, p_.code[mul])) {
      if (division->scaled()) return false;
      end = begin + 1;
    }
    return std::any_of(begin, end, [&](Place factor) {
      if (factor.constant()) return true;
      const auto it = rows_.find(factor.at);
      if (it == rows_.end() || it->second.defs != 1) return false;
      const Instr& from = p_.code[it->second.def];
      if (!from.ops[1].present() || !from.ops[1].constant()) return false;
      return from.space == Space::kConst || (f_ == 0 && from.space == Space::kParam);
    });
  }

  // Whether `use` is behind a loop around `mul`: loops are taken for what stands between a jump back and its
  // target.
  bool leaves_loop(uint32_t mul, uint32_t use) const {
    const uint32_t in = flow_->block_of[mul], to = flow_->block_of[use];
    for (uint32_t last = in; last < flow_->first_block[f_ + 1]; ++last) {
      for (const uint32_t head : flow_->successors[last])
        if (head <= in && (to < head || to > last)) return true;
    }
    return false;
  }

  static unsigned width(Type type) { return bytes(type); }

  // -place in a row of its own, computed before instruction u. The machine negates operands for nothing.
  Place negated(Place place, Type type, uint32_t u) {
    const unsigned bytes_a_lane = width(type);
    const Place out = Place::reg(d_.functions[f_].take_row(bytes_a_lane));
    p_.functions[f_].frame_bytes = (d_.functions[f_].frame_bytes + 63) / 64 * 64;
    const Type row = register_type(type);
    Instr in = synthesize("neg", {dotted(type)}, {row, row});
    in.ops[0] = out;
    in.ops[1] = place;
    in.op_class = static_cast<uint16_t>(OpClass::none);
    const auto b = static_cast<uint8_t>(bytes_a_lane);
    edit_.insert.push_back(
        {u, in, {OperandRef{out, b, true, false, 0, 0xff}, OperandRef{place, b, false, false, 1, 0xff}}});
    return out;
  }

  static Type register_type(Type type) {
    return type == Type::kF16x2 || type == Type::kBf16x2 ? Type::kB32
           : type == Type::kBf16                         ? Type::kB16
                                                         : type;
  }
  static std::string_view dotted(Type type) {
    switch (type) {
      case Type::kF32:
        return ".f32";
      case Type::kF64:
        return ".f64";
      case Type::kF16:
        return ".f16";
      case Type::kF16x2:
        return ".f16x2";
      case Type::kBf16:
        return ".bf16";
      default:
        return ".bf16x2";
    }
  }

  void fuse(const Factors& factors, const ProductUse& use) {
    const uint32_t u = use.instr;
    const Arithmetic add = kind(u);
    const Instr& old = p_.code[u];
    const bool first = old.ops[1].at == use.place.at;
    Place a = factors.a, c = first ? old.ops[2] : old.ops[1];
    const Place b = factors.b;
    if (add.op == Op::kSub && first) c = negated(c, add.type, u);
    if (use.negative != (add.op == Op::kSub && !first)) a = negated(a, add.type, u);
    std::vector<std::string_view> modifiers{".rn", dotted(add.type)};
    if (add.ftz) modifiers.push_back(".ftz");
    if (add.sat) modifiers.push_back(".sat");
    const Type row = register_type(add.type);
    Instr fma = synthesize("fma", modifiers, {row, row, row, row});
    const Place places[4] = {old.ops[0], a, b, c};
    std::vector<OperandRef> refs;
    for (uint8_t k = 0; k < 4; ++k) {
      fma.ops[k] = places[k];
      refs.push_back({places[k], static_cast<uint8_t>(width(add.type)), k == 0, false, k, 0xff});
    }
    fma.guard = old.guard;
    fma.guard_negated = old.guard_negated;
    if (fma.guard.present()) refs.push_back({fma.guard, 0, false, false, kInstrPlaces, 0xff});
    edit_.replace[u] = {fma, refs};
    kind(u).op = Op::kOther;
    for (const Place used : {factors.a, b}) {
      if (!used.constant()) rows_[used.at].uses.push_back(u);
    }
  }

  Draft& d_;
  Program& p_;
  uint32_t f_;
  Edit edit_;
  const Flow* flow_ = nullptr;
  const Liveness* liveness_ = nullptr;
  std::vector<Arithmetic> kind_;               // by instruction of the function
  std::vector<uint32_t> segment_;              // likewise: block as ptxas sees it
  std::unordered_map<int32_t, RowUses> rows_;  // by offset in the frame
};

}  // namespace

void contract_multiply_add(Draft& d) {
  for (uint32_t f = 0; f < d.program.functions.size(); ++f) {
    const Flow flow = build_flow(d.program);
    const Liveness liveness = find_liveness(d.program, flow);
    Contraction(d, f).run(flow, liveness);
  }
}

}  // namespace gpuloom::ptx
