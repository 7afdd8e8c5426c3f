// SPDX-License-Identifier: Apache-2.0
// .safetensors (github.com/huggingface/safetensors, format): a 64-bit length, a JSON header of that many
// bytes, then the data.
#include <fmt/core.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "sim/memory/array_file.h"

namespace gpuloom::sim {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& hint = {}) {
  throw Error(ErrorKind::kInput, fmt::format("'{}' {}", path, why), {}, hint);
}

// "F32", "BF16", "I64", "U8", "BOOL"; the 8-bit floats as their bytes.
ElementType tensor_type(const std::string& dtype, const std::string& path) {
  std::string name = dtype == "BOOL" || dtype.starts_with("F8_") ? "u8" : dtype;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  ElementType type{};
  if (!element_type_named(name, type))
    refuse(path, "holds a tensor of type " + dtype + ", which is not read");
  return type;
}

NpyArray tensor(const nlohmann::json& entry, std::string_view data, const std::string& path) {
  NpyArray array;
  array.type = tensor_type(entry.at("dtype").get<std::string>(), path);
  array.shape = entry.at("shape").get<std::vector<uint64_t>>();
  const auto begin = entry.at("data_offsets").at(0).get<uint64_t>();
  const auto end = entry.at("data_offsets").at(1).get<uint64_t>();
  if (begin > end || end > data.size() || end - begin != array.count() * bytes_of(array.type))
    refuse(path, "is damaged or truncated");
  array.data.assign(data.begin() + static_cast<ptrdiff_t>(begin), data.begin() + static_cast<ptrdiff_t>(end));
  return array;
}

}  // namespace

NpyArray read_safetensors(std::string_view data, const std::string& path, const std::string& array) {
  uint64_t length = 0;
  if (data.size() < sizeof length) refuse(path, "is not a .safetensors file");
  std::memcpy(&length, data.data(), sizeof length);
  if (length > data.size() - sizeof length) refuse(path, "is damaged or truncated");
  try {
    const auto header = nlohmann::json::parse(data.substr(sizeof length, length));
    std::vector<std::string> names;
    for (const auto& [name, entry] : header.items())
      if (name != "__metadata__") names.push_back(name);
    const std::string wanted = array.empty() && names.size() == 1 ? names[0] : array;
    if (!wanted.empty() && wanted != "__metadata__" && header.contains(wanted))
      return tensor(header.at(wanted), data.substr(sizeof length + length), path);
    names.resize(std::min<size_t>(names.size(), 20));
    refuse(path,
           array.empty() ? fmt::format("has {} tensors", header.size()) : "has no tensor '" + array + "'",
           fmt::format("name one after a colon: {}:{}", path, either(names)));
  } catch (const nlohmann::json::exception& e) {
    refuse(path, std::string("has a damaged header: ") + e.what());
  }
}

}  // namespace gpuloom::sim
