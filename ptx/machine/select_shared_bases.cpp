// SPDX-License-Identifier: Apache-2.0
// Addresses of shared memory where blocks form clusters: S2R of the block's rank in its cluster, MOV of the
// window's begin, IADD3 for a variable that does not stand there, LEA. ptxas makes them where they are needed
// or, where each turn of a loop without loops inside needs them, in front of that. It makes them anew in each
// block that comes through none which has them, and in and behind each loop with branches
// (bench/silicon/lowering/shared_bases.py). Where lanes may be apart they are vector operations, which take
// registers.
#include <algorithm>
#include <map>

#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

bool Selector::has_clusters() const { return g_.model->profile.shared_window; }

bool Selector::names_shared(uint32_t i) const {
  const Place from = p_.code[i].ops[1];
  if (shape(i) != Shape::kMove || !has_clusters() || !from.present() || !from.constant()) return false;
  const Variable* v = symbol_of(i);
  return v != nullptr && v->space == Space::kShared;
}

// An access that names a shared variable itself, without a register: it counts from the window's begin,
// whatever the variable (STS [UR4+0x1010], R4).
bool Selector::names_window(uint32_t i) const {
  const Instr& in = p_.code[i];
  if (!has_clusters() || in.space != Space::kShared) return false;
  const auto end = p_.refs.begin() + p_.ref_begin[i + 1];
  const auto ref =
      std::find_if(p_.refs.begin() + p_.ref_begin[i], end, [](const OperandRef& r) { return r.address; });
  return ref != end && ref->place.constant();
}

// The base so far from the window's begin that is there in the block of i, or a new one.
size_t Selector::shared_base(uint32_t i, uint32_t offset) {
  const uint32_t block = home_of_read(i), from = there_from(block, g_.flow.block_of[i]);
  auto base = std::find_if(shared_bases_.begin(), shared_bases_.end(), [&](const SharedBase& known) {
    return known.offset == offset && loops_.dominates(known.from, from) &&
           long_loops_.keeps(known.block, block);
  });
  if (base == shared_bases_.end())
    base = shared_bases_.insert(base, {offset, block, from, g_.apart[block] == 0, kNoVirtual});
  return static_cast<size_t>(base - shared_bases_.begin());
}

// Which base each instruction that names a shared variable has. Results with one definition are the base's
// own register.
void Selector::find_shared_bases() {
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    if (names_shared(i))
      shared_base_of_[i] = shared_base(i, static_cast<uint32_t>(constant_bits(p_.code[i].ops[1], 4)));
    else if (names_window(i))
      shared_base_of_[i] = shared_base(i, 0);
  }
  for (const auto& [i, number] : shared_base_of_) {
    SharedBase& base = shared_bases_[number];
    base.wanted |= names_window(i);
    if (!names_shared(i) || single_result(i) == nullptr) continue;
    const uint32_t result = find(virtual_of(p_.code[i].ops[0]));
    if (base.value == kNoVirtual)
      base.value = result;
    else if (result != base.value)
      join_[result - base_] = base.value;
  }
  for (SharedBase& base : shared_bases_) {
    if (!base.wanted) continue;
    if (base.value == kNoVirtual) base.value = temporary(1);
    g_.registers[base.value].uniform = base.uniform;
  }
}

bool Selector::names_uniform_base(uint32_t i) const {
  const auto base = shared_base_of_.find(i);
  return base == shared_base_of_.end() || shared_bases_[base->second].uniform;
}

void Selector::emit_shared_base(uint32_t i, std::vector<Node>& out) {
  SharedBase& base = shared_bases_[shared_base_of_.at(i)];
  base.wanted = true;
  if (base.value == kNoVirtual) base.value = temporary(1);
  g_.registers[base.value].uniform = base.uniform;
  if (single_result(i) != nullptr) return;
  emit_sequence(i, {OpClass::mov}, out);
  out.back().uses.push_back(base.value);
}

void Selector::add_shared_bases() {
  struct Window {
    uint32_t block, from;
    bool uniform;
    uint32_t rank, begin;
  };
  std::vector<Window> windows;
  std::map<uint32_t, std::vector<Node>> made;  // by block
  for (const SharedBase& base : shared_bases_) {
    if (!base.wanted) continue;
    const auto add = [&](OpClass op, std::vector<uint32_t> uses, uint32_t result) {
      Node& n = push(made[base.block], op, g_.flow.blocks[base.block].first);
      n.uniform = base.uniform && op != OpClass::s2r;
      n.uses = std::move(uses);
      n.defs = {result};
      return result;
    };
    auto window = std::find_if(windows.begin(), windows.end(), [&](const Window& w) {
      return (w.uniform || !base.uniform) && loops_.dominates(w.from, base.from) &&
             long_loops_.keeps(w.block, base.block);
    });
    if (window == windows.end()) {
      const uint32_t rank = add(OpClass::s2r, {}, temporary(1, base.uniform));
      const uint32_t begin = add(OpClass::mov, {}, temporary(1, base.uniform));
      window = windows.insert(window, {base.block, base.from, base.uniform, rank, begin});
    }
    uint32_t begin = window->begin;
    if (base.offset != 0) begin = add(OpClass::iadd, {begin}, temporary(1, base.uniform));
    add(OpClass::lea, {window->rank, begin}, base.value);
  }
  for (auto& [block, bases] : made) {
    std::vector<Node>& nodes = g_.blocks[block];
    const ptrdiff_t at = !nodes.empty() && nodes.front().begins ? 1 : 0;
    nodes.insert(nodes.begin() + at, bases.begin(), bases.end());
  }
}

}  // namespace gpuloom::ptx
