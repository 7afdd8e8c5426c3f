// SPDX-License-Identifier: Apache-2.0
// What the modifiers of memory instructions say, read off the form. Sets are named as in the PTX manual:
// .cop, .sem, .scope, .level1::eviction_priority, .level2::eviction_priority, .level::cache_hint,
// .level::prefetch_size.
#pragma once
#include "ptx/exec/memory_path.h"
#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

// Width in bits of the base register of the address operand `index`; 0 where a symbol or nothing is the base.
unsigned address_bits(const FormUse& use, unsigned index);
// All flags; `address` is the index of the address operand.
MemoryFlags memory_flags(const FormUse& use, unsigned address);
// Encode hook body: packs the flags into Instr::target.
void encode_memory(const FormUse& use, Instr& in, unsigned address);
Scope scope_named(std::string_view text);  // ".gpu"; kNone for anything else
Ordering ordering_named(std::string_view text);

}  // namespace gpuloom::ptx
