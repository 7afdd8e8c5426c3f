// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/symbols.h"

#include <fmt/core.h>

#include <cstring>

#include "base/config/config.h"
#include "base/demangle.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/memory/array_file.h"
#include "sim/runtime/buffer_data.h"
#include "sim/runtime/launch_buffer.h"

namespace gpuloom::sim {
namespace {

// The element type of a PTX variable; arrays of C++ come as .b8 and do not tell.
bool type_of_variable(const ptx::Variable& v, ElementType& type) {
  const auto name = ptx::info(v.type).name;
  if (name[0] != 'b' || name == "bf16") return element_type_named(name, type);
  return false;
}

const ptx::Variable* variable_named(const LoadedModule& module, const std::string& name) {
  std::vector<std::string> names;
  for (const ptx::Variable& v : module.module().variables) names.push_back(v.name);
  const std::vector<size_t> meant = names_meant(name, names);
  return meant.size() == 1 ? &module.module().variables[meant[0]] : nullptr;
}

// What the entry leaves open.
void complete_from(const LoadedModule& module, const SymbolPlace& place, SymbolSpec& s) {
  BufferSpec& d = s.data;
  const ptx::Variable* v = variable_named(module, d.name);
  if (!s.typed) {
    s.typed = v != nullptr && type_of_variable(*v, d.type);
    if (!s.typed && !d.values.empty())
      throw Error(ErrorKind::kInput,
                  fmt::format("the PTX does not say of which type '{}' is ({} bytes)", d.name, place.size),
                  d.where, fmt::format("{}: {{type: f32, values: [...]}}", d.name));
    if (!s.typed) d.type = ElementType::kU8;
  }
  if (d.shape.empty()) d.shape = {(place.size - std::min(s.offset, place.size)) / bytes_of(d.type)};
}

void set(LoadedModule& module, const SymbolPlace& place, const SymbolSpec& s,
         const std::vector<uint64_t>& addresses) {
  std::vector<uint8_t> bytes;
  if (s.buffer) {
    const uint64_t address = addresses[*s.buffer] + static_cast<uint64_t>(s.buffer_offset);
    bytes.resize(sizeof address);
    std::memcpy(bytes.data(), &address, sizeof address);
  } else {
    bytes = initial_bytes(s.data);
  }
  if (s.offset > place.size || bytes.size() > place.size - s.offset)
    throw Error(ErrorKind::kInput,
                fmt::format("'{}' has {} bytes, and {} are to be written{}", s.data.name, place.size,
                            bytes.size(), s.offset == 0 ? "" : fmt::format(" from byte {} on", s.offset)),
                s.data.where);
  module.write(place.address + s.offset, bytes.data(), bytes.size());
}

}  // namespace

SymbolSpec read_symbol(const std::string& name, const ConfigView& view, const std::string& folder) {
  SymbolSpec s;
  s.data.name = name;
  s.data.where = view.where();
  if (view.node()->is_scalar()) {
    s.data.values = {view.text(kSelf)};
    s.data.shape = {1};
    s.set = true;
    return s;
  }
  s.data = read_buffer(name, view, folder, Sizes::kMayBeOpen);
  s.typed = view.has("type") || view.has("dtype") || is_array_file(s.data.file);
  s.set = s.data.initialised;
  if (view.has("offset")) s.offset = amount(view, "offset");
  return s;
}

SymbolPlace named_symbol(const LoadedModule& module, const std::string& name, const FilePosition& where) {
  if (const SymbolPlace exact = module.symbol(name); exact.address != 0) return exact;
  std::vector<std::string> names;
  for (const ptx::Variable& v : module.module().variables)
    if (module.symbol(v.name).address != 0) names.push_back(v.name);
  const std::vector<size_t> meant = names_meant(name, names);
  if (meant.size() == 1) return module.symbol(names[meant[0]]);
  std::vector<std::string> listed;
  for (const std::string& n : names) listed.push_back(short_name(n));
  throw Error(ErrorKind::kInput,
              meant.empty() ? fmt::format("'{}' has no __constant__ or __device__ variable '{}'",
                                          module.module().file_name, name)
                            : fmt::format("'{}' names {} variables", name, meant.size()),
              where, listed.empty() ? "it has none" : "it has " + join(listed, ", "));
}

void set_symbols(LoadedModule& module, std::vector<SymbolSpec>& symbols,
                 const std::vector<uint64_t>& addresses) {
  for (SymbolSpec& s : symbols) {
    const SymbolPlace place = named_symbol(module, s.data.name, s.data.where);
    if (s.data.address && place.address != *s.data.address)
      throw Error(ErrorKind::kInput,
                  fmt::format("'{}' cannot be placed: it lies at {:#x}", s.data.name, place.address),
                  s.data.where, "`address` is for __device__ variables, named as in the PTX");
    if (!s.buffer) complete_from(module, place, s);
    if (s.set) set(module, place, s, addresses);
  }
}

std::vector<uint8_t> symbol_bytes(const LoadedModule& module, const SymbolSpec& s) {
  const SymbolPlace place = named_symbol(module, s.data.name, s.data.where);
  const uint64_t bytes = s.data.bytes();
  if (s.offset > place.size || bytes > place.size - s.offset)
    throw Error(ErrorKind::kInput,
                fmt::format("'{}' has {} bytes, and {} are to be read", s.data.name, place.size, bytes),
                s.data.where);
  std::vector<uint8_t> data(bytes);
  module.read(place.address + s.offset, data.data(), bytes);
  return data;
}

}  // namespace gpuloom::sim
