// SPDX-License-Identifier: Apache-2.0
// A PTX module loaded on a device: its variables have addresses, its kernels can be launched.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ir/module.h"
#include "ptx/machine/lower.h"
#include "ptx/parse/later_bodies.h"
#include "ptx/passes/pipeline.h"
#include "sim/memory/device_memory.h"

namespace gpuloom::sim {

class LoadedModule;

// How a module's kernels are made, where that is not the device's business: to compare ways of running one
// kernel. `passes` whose reuse_rows is on give programs that timed mode does not take.
struct ModuleOptions {
  std::optional<ptx::PassOptions> passes;
  std::optional<ptx::LoweringOptions> lowering;
  std::optional<bool> contract;  // mul + add -> fma in this module, whatever the device says
  // A kernel's body is read when the kernel is first asked for, and what is wrong in it is said then: for
  // modules of many kernels, of which few are launched.
  bool bodies_later = false;
  // Where variables have to lie, by their names in the PTX: as in another process, with all pointers to them.
  std::map<std::string, uint64_t, std::less<>> places;
};

// One entry function, decoded on first use. Handles stay valid as long as their module is loaded.
struct Kernel {
  LoadedModule* module = nullptr;
  std::unique_ptr<ptx::Program> program;
  const std::string& name() const { return program->name; }
  // Whether blocks may run in any order (ptx/passes/independent_blocks.h); found once.
  bool blocks_independent();
  std::optional<bool> independent = {};
};

// Where a variable is and how long it is; address 0: there is none.
struct SymbolPlace {
  uint64_t address = 0, size = 0;
};

class LoadedModule final : public ptx::SymbolResolver {
 public:
  // Gives every .global variable memory and every .const one a place in the constant bank, then writes
  // initialisers and relocations. `others` are the modules loaded before, which may define what this one
  // declares extern. Throws Error: kInput where a symbol is missing, kProgram where memory is.
  LoadedModule(std::unique_ptr<ptx::Module> module, std::string text_sha256, DeviceMemory& memory,
               const std::vector<std::unique_ptr<LoadedModule>>& others, const ptx::PassOptions& passes,
               const ModuleOptions& options = {});
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  ~LoadedModule() override;  // frees the variables' memory

  // Where bodies that are still unread come from.
  void read_bodies_from(std::unique_ptr<ptx::LaterBodies> bodies) { bodies_ = std::move(bodies); }

  // The kernel of that name, decoded: as in the PTX, as in C++ ("saxpy", "saxpy<float>") or "regex:...";
  // "" is the only one. Throws Error: kUsage with the nearest name where there is none, with all that it
  // could be where there are several, kUnsupported as build_program does.
  Kernel& kernel(std::string_view name);
  // The kernel of exactly that name in the PTX, decoded; null where there is none.
  Kernel* find_kernel(std::string_view name);
  std::vector<std::string> kernel_names() const;
  // A .global or .const variable by name.
  SymbolPlace symbol(std::string_view name) const;
  uint64_t address_of(const ptx::Variable& variable) const override;

  const ptx::Module& module() const { return *module_; }
  const ModuleOptions& options() const { return options_; }
  // Of the module's text.
  const std::string& sha256() const { return sha256_; }
  // Of what a kernel's decoded form follows from: the text, and where its source lines stand among those of
  // bodies that were read before.
  std::string text_key(const ptx::Function& entry) const;
  // The whole bank, of which variables take the first const_bytes().
  const std::vector<uint8_t>& const_bank() const { return const_bank_; }
  uint64_t const_bytes() const { return const_bytes_; }
  // Host copies to and from a variable, by its generic address; constants live in the bank.
  void write(uint64_t address, const void* data, uint64_t bytes);
  void read(uint64_t address, void* data, uint64_t bytes) const;

 private:
  std::string kernel_meant(std::string_view name) const;
  Kernel& build(const std::string& name);
  void place_variables();
  SymbolPlace placed(const ptx::Variable& variable, uint64_t bytes);
  void initialise(const ptx::Variable& variable);
  uint64_t relocated(const ptx::Relocation& relocation) const;

  std::unique_ptr<ptx::LaterBodies> bodies_;
  std::unique_ptr<ptx::Module> module_;
  std::string sha256_;
  DeviceMemory* memory_;
  const std::vector<std::unique_ptr<LoadedModule>>* others_;
  ptx::PassOptions passes_;
  ModuleOptions options_;
  std::map<std::string, SymbolPlace, std::less<>> symbols_;
  std::vector<uint64_t> owned_;  // device allocations
  std::vector<uint8_t> const_bank_;
  uint64_t const_bytes_ = 0;
  std::map<std::string, Kernel, std::less<>> kernels_;
};

}  // namespace gpuloom::sim
