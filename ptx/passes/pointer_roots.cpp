// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/pointer_roots.h"

#include <cstring>

#include "ptx/exec/memory_view.h"

namespace gpuloom::ptx {
namespace {

constexpr unsigned kPointerBytes = 8;
constexpr size_t kMostRoots = 63;

}  // namespace

PointerRoots::PointerRoots(const Program& program, const Flow& flow, const Liveness& liveness)
    : p_(program), flow_(flow), liveness_(liveness) {
  find();
}

Roots PointerRoots::root(uint64_t key) {
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const Roots made = known_.size() < kMostRoots ? Roots{1} << known_.size() : kUnknownRoot;
  known_.emplace(key, made);
  return made;
}

uint64_t PointerRoots::constant(Place place) const {
  uint64_t value = 0;
  std::memcpy(&value, p_.constants.data() + ~place.at, sizeof value);
  return value;
}

// What the instruction makes of 64-bit values: the roots of those, and of variables whose addresses it names.
Roots PointerRoots::made_of(uint32_t i, const State& state) {
  const Instr& in = p_.code[i];
  if (in.space == Space::kParam) return root(static_cast<uint64_t>(in.imm));
  if (in.kind == InstrKind::kLoad) return kUnknownRoot;
  Roots roots = 0;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (ref.defines || ref.bytes != kPointerBytes) continue;
    if (!ref.place.constant())
      roots |= state[liveness_.number(0, ref.place)];
    else if (const uint64_t value = constant(ref.place); value >= kGlobalBase)
      roots |= root(value);
  }
  return roots;
}

void PointerRoots::step(uint32_t i, State& state) {
  const bool whole = !p_.code[i].guard.present();
  Roots roots = 0;
  bool found = false;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (!ref.defines || ref.place.constant()) continue;
    if (!found && ref.bytes == kPointerBytes) roots = made_of(i, state);
    found = found || ref.bytes == kPointerBytes;
    Roots& there = state[liveness_.number(0, ref.place)];
    there = (whole ? 0 : there) | (ref.bytes == kPointerBytes ? roots : 0);
  }
}

void PointerRoots::find() {
  const uint32_t end = flow_.first_block[1];
  in_.assign(end, State(liveness_.rows[0].offset.size(), 0));
  std::vector<uint8_t> queued(end, 1);
  std::vector<uint32_t> work;
  for (uint32_t b = end; b-- > 0;) work.push_back(b);
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    queued[b] = 0;
    State state = in_[b];
    for (uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i) step(i, state);
    for (const uint32_t s : flow_.successors[b]) {
      bool changed = false;
      for (size_t row = 0; row < state.size(); ++row) {
        changed = changed || (state[row] & ~in_[s][row]) != 0;
        in_[s][row] |= state[row];
      }
      if (changed && queued[s] == 0) {
        queued[s] = 1;
        work.push_back(s);
      }
    }
  }
}

Roots PointerRoots::address(uint32_t i, const State& state) {
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p_.refs[r];
    if (!ref.address) continue;
    if (!ref.place.constant()) {
      const Roots roots = state[liveness_.number(0, ref.place)];
      return roots != 0 ? roots : kUnknownRoot;
    }
    break;
  }
  const auto at = static_cast<uint64_t>(p_.code[i].imm);
  return at >= kGlobalBase ? root(at) : kUnknownRoot;
}

void PointerRoots::for_each_access(const AccessFn& access) {
  for (uint32_t b = 0; b < in_.size(); ++b) {
    State state = in_[b];
    for (uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i) {
      const InstrKind kind = p_.code[i].kind;
      if (kind == InstrKind::kLoad || kind == InstrKind::kAtomic) access(i, address(i, state));
      step(i, state);
    }
  }
}

}  // namespace gpuloom::ptx
