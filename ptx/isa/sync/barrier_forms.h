// SPDX-License-Identifier: Apache-2.0
// Forms that bar and barrier share.
#pragma once
#include <bit>
#include <string>

#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace barrier {

// The one value that all lanes give.
inline uint32_t common_value(Warp& w, const Instr& in, uint32_t lanes, Place place, const char* what) {
  const uint32_t* values = source<uint32_t>(w, place);
  const uint32_t value = values[std::countr_zero(lanes)];
  for (uint32_t m = lanes; m; m &= m - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(m));
    if (values[lane] != value)
      fault(w, in, lane, FaultKind::kBarrier,
            "names " + std::string(what) + " " + std::to_string(values[lane]) +
                " where another lane of its warp names " + std::to_string(value));
  }
  return value;
}

// ops: barrier{, count}.
template <BarrierOp Op>
inline void meet(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t id = common_value(w, in, lanes, in.ops[0], "barrier");
  const uint32_t count = in.ops[1].present() ? common_value(w, in, lanes, in.ops[1], "a thread count of") : 0;
  barrier_arrive(w, in, lanes, Op, id, count, 0, {});
}

// ops: result, barrier, {count,} predicate; aux: the predicate is negated.
template <BarrierOp Op>
inline void reduce(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t id = common_value(w, in, lanes, in.ops[1], "barrier");
  const uint32_t count = in.ops[2].present() ? common_value(w, in, lanes, in.ops[2], "a thread count of") : 0;
  const uint32_t p = predicate(w, in.ops[3]);
  barrier_arrive(w, in, lanes, Op, id, count, in.aux ? ~p : p, in.ops[0]);
}

inline void encode_reduce(const FormUse& use, Instr& in) { in.aux = use.operand(3).negated; }

inline std::string check_count(const FormUse& use) {
  const unsigned at = use.form().operands[0].destination ? 2 : 1;
  const Operand& count = use.operand(at);
  if (count.kind == OperandKind::kImmediate && (count.value <= 0 || count.value % 32 != 0))
    return "the thread count of a barrier is a multiple of the warp size, 32";
  const Operand& id = use.operand(at - 1);
  if (id.kind == OperandKind::kImmediate && (id.value < 0 || id.value > 15))
    return "barriers are numbered from 0 to 15";
  return {};
}

}  // namespace barrier

inline void declare_barriers(IsaBuilder& isa, const std::string& word, const std::string& aligned) {
  using namespace barrier;
  const auto common = [](FormBuilder form) {
    return form.kind(InstrKind::kBarrier).op(OpClass::bar).check(check_count);
  };
  const bool cta_word = word.starts_with("barrier");
  const char* since = cta_word ? "6.0" : "1.0";
  const char* needs = cta_word ? "sm_30" : "sm_10";
  common(isa.form(word + ".sync" + aligned + " a:u32{, b:u32}"))
      .meaning(meet<BarrierOp::kSync>)
      .since(since)
      .needs(needs);
  common(isa.form(word + ".arrive" + aligned + " a:u32, b:u32"))
      .meaning(meet<BarrierOp::kArrive>)
      .since(cta_word ? "6.0" : "2.0")
      .needs(cta_word ? "sm_30" : "sm_20");
  const auto reduction = [&](FormBuilder form) {
    return common(form)
        .encode(encode_reduce)
        .since(cta_word ? "6.0" : "2.0")
        .needs(cta_word ? "sm_30" : "sm_20");
  };
  reduction(isa.form(word + ".red.popc" + aligned + ".u32 d, a:u32{, b:u32}, {!}c:pred"))
      .meaning(reduce<BarrierOp::kRedPopc>);
  reduction(isa.form(word + ".red.and" + aligned + ".pred p, a:u32{, b:u32}, {!}c:pred"))
      .meaning(reduce<BarrierOp::kRedAnd>);
  reduction(isa.form(word + ".red.or" + aligned + ".pred p, a:u32{, b:u32}, {!}c:pred"))
      .meaning(reduce<BarrierOp::kRedOr>);
}

}  // namespace gpuloom::ptx
