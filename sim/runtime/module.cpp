// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/module.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/demangle.h"
#include "base/error.h"
#include "base/text.h"
#include "ptx/exec/texture/state.h"
#include "ptx/passes/independent_blocks.h"

namespace gpuloom::sim {
namespace {

FilePosition where(const ptx::Module& module, const ptx::Position& p) {
  return {module.file_name, p.line, p.column};
}

bool in_const_window(uint64_t address) {
  return address >= ptx::kConstWindowBase && address < ptx::kConstWindowBase + ptx::kConstWindowSize;
}

// .texref, .samplerref, .surfref: their memory holds the state that the host binds to them.
bool is_reference(const ptx::Variable& v) {
  return v.space == ptx::Space::kTex || ptx::info(v.type).kind == ptx::TypeKind::kOpaque;
}

}  // namespace

LoadedModule::LoadedModule(std::unique_ptr<ptx::Module> module, std::string text_sha256, DeviceMemory& memory,
                           const std::vector<std::unique_ptr<LoadedModule>>& others,
                           const ptx::PassOptions& passes, const ModuleOptions& options)
    : module_(std::move(module)),
      sha256_(std::move(text_sha256)),
      memory_(&memory),
      others_(&others),
      passes_(options.passes.value_or(passes)),
      options_(options) {
  passes_.habits = passes.habits;  // whoever chooses the passes leaves to the device how far they go
  place_variables();
  for (const ptx::Variable& v : module_->variables)
    if (v.linkage != ptx::Linkage::kExtern) initialise(v);
}

LoadedModule::~LoadedModule() {
  for (const uint64_t address : owned_) memory_->free(address);
}

void LoadedModule::place_variables() {
  uint64_t const_end = 0;
  for (const ptx::Variable& v : module_->variables) {
    if (v.linkage == ptx::Linkage::kExtern) continue;
    if (v.space == ptx::Space::kConst) {
      const uint64_t align = std::max<uint64_t>(v.align_bytes, 1);
      const uint64_t at = (const_end + align - 1) / align * align;
      const_end = at + v.size_bytes;
      if (const_end > ptx::kConstWindowSize)
        throw Error(ErrorKind::kInput, "the constant variables do not fit their window",
                    where(*module_, v.position));
      symbols_[v.name] = {ptx::kConstWindowBase + at, v.size_bytes};
    } else if (is_reference(v)) {
      if (v.is_array)
        throw Error(ErrorKind::kUnsupported, "arrays of texture or surface references are not modelled",
                    where(*module_, v.position));
      symbols_[v.name] = placed(v, sizeof(ptx::TextureState));
    } else if (v.space == ptx::Space::kGlobal) {
      symbols_[v.name] = placed(v, v.size_bytes);
      memory_->mark_written(symbols_[v.name].address,
                            v.size_bytes);  // zero without an initialiser (PTX ISA 5.1.3)
    }
  }
  constexpr uint64_t kBank = 64 << 10;  // .const of a module (PTX ISA 5.1.2: 64 KiB)
  const_bytes_ = const_end;
  const_bank_.assign(std::max<uint64_t>(const_end, const_end == 0 ? 0 : kBank), 0);
}

SymbolPlace LoadedModule::placed(const ptx::Variable& v, uint64_t bytes) {
  const MemoryKind kind = v.managed ? MemoryKind::kManaged : MemoryKind::kDevice;
  const auto asked = options_.places.find(v.name);
  const uint64_t address =
      asked != options_.places.end()
          ? memory_->allocate_at(asked->second, bytes, v.name, kind)
          : memory_->allocate(bytes, v.name, std::max<uint64_t>(v.align_bytes, DeviceMemory::kAlignment),
                              kind);
  owned_.push_back(address);
  return {address, bytes};
}

uint64_t LoadedModule::relocated(const ptx::Relocation& relocation) const {
  uint64_t address = symbol(relocation.symbol).address;
  if (address == 0) {
    // Addresses of device functions count through the module (see memory_view.h, kFunctionBase).
    for (size_t i = 0; i < module_->functions.size() && address == 0; ++i)
      if (module_->functions[i].name == relocation.symbol) address = ptx::kFunctionBase + 16 * i;
  }
  if (address == 0)
    throw Error(ErrorKind::kInput,
                "an initialiser names '" + relocation.symbol + "', which no loaded module defines",
                {module_->file_name, 0, 0});
  // Without generic() it is the address in the variable's state space.
  if (!relocation.generic && in_const_window(address)) address -= ptx::kConstWindowBase;
  return address + static_cast<uint64_t>(relocation.addend);
}

void LoadedModule::initialise(const ptx::Variable& v) {
  const SymbolPlace place = symbol(v.name);
  if (is_reference(v)) return;     // bound by the host
  if (place.address == 0) return;  // shared memory and textures have no module-wide place
  std::vector<uint8_t> bytes = v.initial;
  bytes.resize(v.size_bytes, 0);
  for (const ptx::Relocation& r : v.relocations) {
    const uint64_t value = relocated(r) >> r.mask_shift;
    if (r.offset_bytes + r.width_bytes > bytes.size())
      throw Error(ErrorKind::kInput, "an initialiser is longer than its variable",
                  where(*module_, v.position));
    std::memcpy(bytes.data() + r.offset_bytes, &value, r.width_bytes);
  }
  if (!bytes.empty() && (!v.initial.empty() || !v.relocations.empty()))
    write(place.address, bytes.data(), bytes.size());
}

SymbolPlace LoadedModule::symbol(std::string_view name) const {
  const auto own = symbols_.find(name);
  if (own != symbols_.end()) return own->second;
  for (const auto& other : *others_)
    if (other.get() != this)
      if (const auto found = other->symbols_.find(name); found != other->symbols_.end()) return found->second;
  return {};
}

uint64_t LoadedModule::address_of(const ptx::Variable& variable) const {
  const uint64_t address = symbol(variable.name).address;
  if (address == 0)
    throw Error(ErrorKind::kInput, "no loaded module defines '" + variable.name + "'",
                where(*module_, variable.position));
  return address;
}

std::vector<std::string> LoadedModule::kernel_names() const {
  std::vector<std::string> names;
  for (const ptx::Function& f : module_->functions)
    if (f.is_entry && f.has_body) names.push_back(f.name);
  return names;
}

std::string LoadedModule::kernel_meant(std::string_view name) const {
  const std::vector<std::string> names = kernel_names();
  if (name.empty() && names.size() == 1) return names[0];
  const std::vector<size_t> meant = name.empty() ? std::vector<size_t>() : names_meant(name, names);
  if (meant.size() == 1) return names[meant[0]];
  std::vector<std::string> listed, known = names;
  for (size_t i = 0; i < names.size(); ++i) {
    if (meant.empty() || std::find(meant.begin(), meant.end(), i) != meant.end())
      listed.push_back(demangled(names[i]));
    known.push_back(short_name(names[i]));
  }
  if (name.empty() || !meant.empty())
    throw Error(ErrorKind::kUsage,
                name.empty()
                    ? fmt::format("'{}' has {} kernels, and none is chosen", module_->file_name, names.size())
                    : fmt::format("'{}' matches {} kernels", name, meant.size()),
                {}, listed.empty() ? "" : "choose one of\n  " + join(listed, "\n  ") + "\n");
  const std::string near = did_you_mean(name, known);
  throw Error(ErrorKind::kUsage, fmt::format("'{}' has no kernel '{}'", module_->file_name, name), {},
              !near.empty()         ? near
              : listed.size() <= 20 ? "it has " + join(listed, ", ")
                                    : "");
}

bool Kernel::blocks_independent() {
  if (!independent) independent = ptx::find_block_dependence(*program).what.empty();
  return *independent;
}

Kernel& LoadedModule::kernel(std::string_view asked) {
  if (const auto known = kernels_.find(asked); known != kernels_.end()) return known->second;
  const std::string name = kernel_meant(asked);
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second;
  return build(name);
}

Kernel* LoadedModule::find_kernel(std::string_view name) {
  if (const auto known = kernels_.find(name); known != kernels_.end()) return &known->second;
  const ptx::Function* const function = module_->find_function(name);
  return function == nullptr || !function->is_entry || !function->has_body ? nullptr : &build(function->name);
}

Kernel& LoadedModule::build(const std::string& name) {
  Kernel kernel;
  kernel.module = this;
  const ptx::Function& entry = *module_->find_function(name);
  if (bodies_ != nullptr) bodies_->complete(entry);
  kernel.program = ptx::build_program(*module_, entry, *this, passes_);
  return kernels_.emplace(name, std::move(kernel)).first->second;
}

std::string LoadedModule::text_key(const ptx::Function& entry) const {
  return bodies_ == nullptr ? sha256_ : fmt::format("{} line {}", sha256_, bodies_->first_line(entry));
}

void LoadedModule::write(uint64_t address, const void* data, uint64_t bytes) {
  if (!in_const_window(address)) return memory_->write(address, data, bytes);
  const uint64_t at = address - ptx::kConstWindowBase;
  if (at + bytes > const_bytes_)
    throw Error(ErrorKind::kUsage,
                "a copy runs over the end of the constant variables (cudaErrorInvalidValue)");
  std::memcpy(const_bank_.data() + at, data, bytes);
}

void LoadedModule::read(uint64_t address, void* data, uint64_t bytes) const {
  if (!in_const_window(address)) return memory_->read(address, data, bytes);
  const uint64_t at = address - ptx::kConstWindowBase;
  if (at + bytes > const_bytes_)
    throw Error(ErrorKind::kUsage,
                "a copy runs over the end of the constant variables (cudaErrorInvalidValue)");
  std::memcpy(data, const_bank_.data() + at, bytes);
}

}  // namespace gpuloom::sim
