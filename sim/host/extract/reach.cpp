// SPDX-License-Identifier: Apache-2.0
#include "sim/host/extract/reach.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "ptx/exec/memory_view.h"

namespace gpuloom::host {
namespace {

class Reach {
 public:
  explicit Reach(const sim::DeviceMemory& memory) : memory_(memory) {}

  void scan(std::span<const uint8_t> bytes) {
    for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if (word >= kLeastPointer) meet(word);
    }
  }

  // What was met and not looked into yet.
  void follow() {
    while (!open_.empty()) {
      const sim::Allocation next = open_.back();
      open_.pop_back();
      scan({memory_.view(next.address, next.size), next.size});
    }
  }

  void leave_out(uint64_t address) { found_.erase(address); }

  ReachedMemory result() const {
    ReachedMemory r;
    r.registered = registered_;
    for (const auto& [address, allocation] : found_) r.allocations.push_back(allocation);
    return r;
  }

 private:
  // Below it are numbers: no process has memory in its first 64 KiB.
  static constexpr uint64_t kLeastPointer = 1 << 16;

  void meet(uint64_t word) {
    const sim::Allocation* a = memory_.find(word);
    if (a == nullptr) return;
    if (a->kind == sim::MemoryKind::kRegistered) {
      registered_ = true;
      return;
    }
    if (found_.emplace(a->address, *a).second) open_.push_back(*a);
  }

  const sim::DeviceMemory& memory_;
  std::map<uint64_t, sim::Allocation> found_;
  std::vector<sim::Allocation> open_;
  bool registered_ = false;
};

}  // namespace

std::vector<PlacedVariable> variables_of(const sim::LoadedModule& module) {
  std::vector<PlacedVariable> variables;
  for (const ptx::Variable& v : module.module().variables) {
    if (v.linkage == ptx::Linkage::kExtern) continue;
    const sim::SymbolPlace place = module.symbol(v.name);
    if (place.address == 0 || place.size == 0) continue;
    const bool constant = place.address - ptx::kConstWindowBase < ptx::kConstWindowSize;
    variables.push_back({v.name, place, constant});
  }
  return variables;
}

std::vector<uint8_t> contents(const sim::LoadedModule& module, const PlacedVariable& variable) {
  std::vector<uint8_t> bytes(variable.place.size);
  module.read(variable.place.address, bytes.data(), bytes.size());
  return bytes;
}

ReachedMemory memory_in_reach(const sim::DeviceMemory& memory, const sim::LoadedModule& module,
                              const std::vector<uint8_t>& params) {
  Reach reach(memory);
  reach.scan(params);
  const std::vector<PlacedVariable> variables = variables_of(module);
  for (const PlacedVariable& v : variables) reach.scan(contents(module, v));
  reach.follow();
  for (const PlacedVariable& v : variables) reach.leave_out(v.place.address);
  return reach.result();
}

}  // namespace gpuloom::host
