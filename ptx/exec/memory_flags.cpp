// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/memory_flags.h"

namespace gpuloom::ptx {
namespace {

CacheOp cache_op(const FormUse& use) {
  if (use.has(".nc")) return CacheOp::kNonCoherent;
  const std::string_view text = use.mod(".cop");
  if (text == ".ca") return CacheOp::kCa;
  if (text == ".cg") return CacheOp::kCg;
  if (text == ".cs") return CacheOp::kCs;
  if (text == ".lu") return CacheOp::kLu;
  if (text == ".cv") return CacheOp::kCv;
  if (text == ".wb") return CacheOp::kWb;
  if (text == ".wt") return CacheOp::kWt;
  return CacheOp::kDefault;
}

Eviction eviction_named(std::string_view text) {
  const size_t colon = text.rfind(':');
  const std::string_view word = colon == std::string_view::npos ? text : text.substr(colon + 1);
  if (word == "evict_unchanged") return Eviction::kUnchanged;
  if (word == "evict_first") return Eviction::kFirst;
  if (word == "evict_last") return Eviction::kLast;
  if (word == "no_allocate") return Eviction::kNoAllocate;
  return Eviction::kNormal;
}

}  // namespace

Scope scope_named(std::string_view text) {
  if (text == ".cta") return Scope::kCta;
  if (text == ".cluster") return Scope::kCluster;
  if (text == ".gpu") return Scope::kGpu;
  if (text == ".sys") return Scope::kSys;
  return Scope::kNone;
}

Ordering ordering_named(std::string_view text) {
  if (text == ".volatile") return Ordering::kVolatile;
  if (text == ".relaxed") return Ordering::kRelaxed;
  if (text == ".acquire") return Ordering::kAcquire;
  if (text == ".release") return Ordering::kRelease;
  if (text == ".acq_rel") return Ordering::kAcqRel;
  if (text == ".mmio") return Ordering::kMmio;
  return Ordering::kWeak;
}

unsigned address_bits(const FormUse& use, unsigned index) {
  const Operand* at = &use.operand(index);
  const Function* function = use.function();
  if (at->kind == OperandKind::kTensor && function != nullptr && at->child_count != 0)
    at = &function->operand_pool[at->first_child];
  if (function == nullptr || at->kind == OperandKind::kNone) return 0;
  if (at->kind == OperandKind::kRegister ||
      (at->kind == OperandKind::kAddress && at->has_base && !at->base_is_symbol)) {
    const unsigned width = bits(function->registers[at->id].type);
    return width <= 32 ? 32 : 64;
  }
  return 0;
}

MemoryFlags memory_flags(const FormUse& use, unsigned address) {
  MemoryFlags f;
  f.base_bits = static_cast<uint8_t>(address_bits(use, address));
  // The row of a local symbol holds the start of the activation's local frame.
  if (f.base_bits == 0 && use.space() == Space::kLocal) f.base_bits = 64;
  f.cache = cache_op(use);
  for (std::string_view word : {".volatile", ".relaxed", ".acquire", ".release", ".acq_rel", ".mmio"})
    if (use.has(word)) {
      f.ordering = ordering_named(word);
      break;
    }
  for (std::string_view word : {".cta", ".cluster", ".gpu", ".sys"})
    if (use.has(word)) f.scope = scope_named(word);
  // volatile is relaxed at system scope (PTX ISA 8.4).
  if (f.ordering == Ordering::kVolatile || f.ordering == Ordering::kMmio) f.scope = Scope::kSys;
  f.l1_eviction = eviction_named(use.mod(".level1::eviction_priority"));
  f.l2_eviction = eviction_named(use.mod(".level2::eviction_priority"));
  if (use.has(".L2::cache_hint")) f.l2_eviction = Eviction::kPolicy;
  if (use.has(".L2::64B")) f.l2_prefetch = 64;
  if (use.has(".L2::128B")) f.l2_prefetch = 128;
  if (use.has(".L2::256B")) f.l2_prefetch = 256;
  f.noinc = use.has(".noinc");
  return f;
}

void encode_memory(const FormUse& use, Instr& in, unsigned address) {
  in.target = memory_flags(use, address).pack();
  // Parameters are constants of the machine or registers of the calling convention: no memory instructions.
  if (in.space == Space::kParam || in.space == Space::kParamFunction) in.kind = InstrKind::kPlain;
}

}  // namespace gpuloom::ptx
