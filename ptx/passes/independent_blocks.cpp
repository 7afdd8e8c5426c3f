// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/independent_blocks.h"

#include <algorithm>

#include "ptx/exec/atomic_ops.h"
#include "ptx/exec/memory_path.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/instr_questions.h"
#include "ptx/passes/pointer_roots.h"

namespace gpuloom::ptx {
namespace {

// A load that the program means to see what other blocks have stored meanwhile.
bool waits_for_stores(const Instr& in) {
  if (!reads_global(class_of(in))) return false;
  const MemoryFlags flags = MemoryFlags::unpack(in.target);
  return flags.ordering != Ordering::kWeak || flags.cache == CacheOp::kCv;
}

bool in_global(const Instr& in, OpClass global, OpClass generic) {
  const auto op = static_cast<OpClass>(in.op_class);
  return op == global || op == generic;
}

// A load of what other blocks reduce, though CUDA orders neither: programs look whether a bit is set before
// they set it, and then what they execute depends on who came first.
BlockDependence find_looks(const Program& p, const Flow& flow, const Liveness& liveness) {
  const auto reduces = [](const Instr& in) {
    return in.kind == InstrKind::kAtomic && in_global(in, OpClass::red, OpClass::atomg);
  };
  if (std::none_of(p.code.begin(), p.code.end(), reduces)) return {};
  if (p.functions.size() > 1) return {"an atomic in a program with functions", p.functions[0].end};
  Roots loaded = 0, reduced = 0;
  uint32_t at = 0;
  PointerRoots(p, flow, liveness).for_each_access([&](uint32_t i, Roots roots) {
    const Instr& in = p.code[i];
    if (reduces(in)) reduced |= roots;
    if (in.kind != InstrKind::kLoad || !in_global(in, OpClass::ldg, OpClass::ldgen) ||
        MemoryFlags::unpack(in.target).cache == CacheOp::kNonCoherent)
      return;
    loaded |= roots;
    at = i;
  });
  const bool anywhere = reduced != 0 && loaded != 0 && ((reduced | loaded) & kUnknownRoot) != 0;
  if ((reduced & loaded) == 0 && !anywhere) return {};
  return {"a load of what other blocks reduce", at};
}

// Integer operations whose result does not depend on the order of several.
bool commutes(const Instr& in) {
  const AtomicEntry& entry = atomic_entry(in.aux);
  constexpr std::string_view kOps[] = {"add", "min", "max", "and", "or", "xor"};
  return in.vec == 1 && !is_float(entry.type) && (entry.element_bytes == 4 || entry.element_bytes == 8) &&
         std::find(std::begin(kOps), std::end(kOps), entry.op) != std::end(kOps);
}

std::string_view dependence_of_atomic(const Instr& in, bool read) {
  const auto op = static_cast<OpClass>(in.op_class);
  if (op == OpClass::atoms) return {};
  if (!updates_global(op)) return "a reduction of a surface";
  if (read) return "what an atomic returns";
  return commutes(in) ? "" : "an atomic whose order counts";
}

std::string_view dependence_of_copy(const Program& p, const Instr& in) {
  return use_of(p, in).form().instruction->mnemonic.starts_with("cp.reduce") ? "a reduction by a bulk copy"
                                                                             : "";
}

std::string_view dependence_of_call(const Program& p, const Instr& in) {
  const std::string& external = p.calls[in.extra].external;
  return external.empty() || external == "__assertfail" ? "" : "a call of the device's runtime";
}

std::string_view dependence(const Program& p, uint32_t i, bool read) {
  const Instr& in = p.code[i];
  switch (in.kind) {
    case InstrKind::kLoad:
      return waits_for_stores(in) ? "a load that other blocks' stores may change" : "";
    case InstrKind::kAtomic:
      return dependence_of_atomic(in, read);
    case InstrKind::kAsyncCopy:
      return dependence_of_copy(p, in);
    case InstrKind::kCall:
      return dependence_of_call(p, in);
    case InstrKind::kReadClock:
      return "a clock";
    case InstrKind::kSleep:
      return "a sleep";
    default:
      return {};
  }
}

bool defines_what_is_read(const Program& p, const Liveness& liveness, uint32_t f, uint32_t i,
                          const RowSet& live) {
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if (ref.defines && !ref.place.constant() && live.has(liveness.number(f, ref.place))) return true;
  }
  return false;
}

}  // namespace

BlockDependence find_block_dependence(const Program& p) {
  // Most programs have no atomics, and need no analysis of what is read.
  bool atomics = false;
  for (uint32_t i = 0; i < p.code.size(); ++i) {
    if (p.code[i].kind == InstrKind::kAtomic)
      atomics = true;
    else if (const std::string_view what = dependence(p, i, false); !what.empty())
      return {what, i};
  }
  if (!atomics) return {};
  const Flow flow = build_flow(p);
  const Liveness liveness = find_liveness(p, flow);
  for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
    const uint32_t f = liveness.function_of[b];
    RowSet live = liveness.live_out[b];
    for (uint32_t i = flow.blocks[b].last + 1; i-- > flow.blocks[b].first;) {
      if (p.code[i].kind == InstrKind::kAtomic) {
        const std::string_view what = dependence(p, i, defines_what_is_read(p, liveness, f, i, live));
        if (!what.empty()) return {what, i};
      }
      step_back(p, liveness, f, i, live);
    }
  }
  return find_looks(p, flow, liveness);
}

}  // namespace gpuloom::ptx
