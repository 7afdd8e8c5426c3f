// SPDX-License-Identifier: Apache-2.0
// mul + add -> fma, as ptxas does it (-fmad=true). PTX ISA 9.7.3.3: an add or mul without rounding modifier
// may be contracted. Measured with ptxas 13.0 for sm_90, f32, f64, f16, bf16 and packed alike
// (bench/silicon/probes/contraction):
//  - a product is contracted if each of its uses is an add or sub that can take it, and into each of them;
//    the mul is gone then. One other use (a store, another mul, both operands of one add) and nothing is
//    contracted. Dead uses do not count. The uses may be guarded, the mul may not.
//  - all uses are in the mul's block. Blocks are those before if-conversion; division, square roots and
//    reciprocals with rounding, fences and guarded memory or barrier instructions end one too, a barrier or
//    an atomic without guard does not.
//  - a product by an immediate, a parameter or a .const variable at a known address needs no second register
//    wherever it is made, so that its uses may be in any block, in a loop too, but not behind a loop that the
//    mul is in (SASS of adam_step, ray_spheres; a square is no such product).
//  - add of two products: the first operand is contracted if it can be, else the second.
//  - sub negates an operand of the fma: a*b - c and c - a*b both.
//  - .ftz must be the same on both; .sat on the add stays, .sat on the mul forbids; an explicit rounding on
//  either forbids.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/bind.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/synthesize.h"

namespace gpuloom::ptx {

namespace {

enum class Op : uint8_t { kOther, kMul, kAdd, kSub };

struct Arithmetic {
  Op op = Op::kOther;
  Type type = Type::kNone;
  bool ftz = false, sat = false;
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
    std::stable_sort(edit_.insert.begin(), edit_.insert.end(),
                     [](const auto& a, const auto& b) { return a.before < b.before; });
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
    switch (static_cast<OpClass>(in.op_class)) {
      case OpClass::div_s32:
      case OpClass::div_u32:
      case OpClass::rem_s32:
      case OpClass::rem_u32:
      case OpClass::div_64:
      case OpClass::rem_64:
      case OpClass::div_f32:
      case OpClass::rcp_f32:
      case OpClass::sqrt_f32:
      case OpClass::div_f64:
      case OpClass::rcp_f64:
      case OpClass::sqrt_f64:
      case OpClass::rsqrt_f64:
      case OpClass::membar:
        return true;
      default:
        return false;
    }
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
    const FormUse use = use_of(p_, in);
    const std::string& name = use.form().instruction->mnemonic;
    const Op op = name == "mul" ? Op::kMul : name == "add" ? Op::kAdd : name == "sub" ? Op::kSub : Op::kOther;
    if (op == Op::kOther) return out;
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

  bool contract_product(Place product) {
    if (product.constant()) return false;
    const auto it = rows_.find(product.at);
    if (it == rows_.end() || it->second.defs != 1) return false;
    const uint32_t mul = it->second.def;
    const Arithmetic what = kind(mul);
    if (what.op != Op::kMul || what.sat || p_.code[mul].guard.present()) return false;
    const uint32_t first_block = flow_->first_block[f_];
    if (liveness_->live_in[first_block].has(liveness_->number(f_, product))) return false;
    const std::vector<uint32_t>& uses = it->second.uses;
    for (const uint32_t u : uses) {
      const Arithmetic& add = kind(u);
      const bool takes =
          (add.op == Op::kAdd || add.op == Op::kSub) && add.type == what.type && add.ftz == what.ftz;
      if (!takes || std::count(uses.begin(), uses.end(), u) > 1) return false;
      if (segment(u) != segment(mul) && !(one_register(mul) && !leaves_loop(mul, u))) return false;
      if (!same_value(p_.code[mul].ops[1], mul, u) || !same_value(p_.code[mul].ops[2], mul, u)) return false;
    }
    for (const uint32_t u : uses) fuse(mul, u, product);
    edit_.erase[mul] = 1;
    kind(mul).op = Op::kOther;
    return true;
  }

  // Whether a factor is an immediate or what the machine reads from the constant bank.
  bool one_register(uint32_t mul) const {
    const Place *begin = p_.code[mul].ops + 1, *end = begin + 2;
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

  void fuse(uint32_t mul, uint32_t u, Place product) {
    const Arithmetic add = kind(u);
    const Instr& old = p_.code[u];
    const bool first = old.ops[1].at == product.at;
    Place a = p_.code[mul].ops[1], c = first ? old.ops[2] : old.ops[1];
    const Place b = p_.code[mul].ops[2];
    if (add.op == Op::kSub) {
      if (first) {
        c = negated(c, add.type, u);
      } else {
        a = negated(a, add.type, u);
      }
    }
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
    for (const Place used : {p_.code[mul].ops[1], b}) {
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
