// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/array_file.h"

namespace gpuloom::sim {
namespace {

// "model.safetensors:weight" -> path and array; a file whose own name has a colon is found first.
std::string split_name(const std::string& path, std::string& array) {
  const size_t colon = path.rfind(':');
  if (colon == std::string::npos || file_exists(path)) return path;
  array = path.substr(colon + 1);
  return path.substr(0, colon);
}

}  // namespace

bool is_array_file(std::string_view path) {
  if (path.ends_with(".npy") || path.ends_with(".npz") || path.ends_with(".safetensors")) return true;
  return path.find(".npz:") != std::string_view::npos || path.find(".safetensors:") != std::string_view::npos;
}

NpyArray read_array(const std::string& path) {
  std::string array;
  const std::string file = split_name(path, array);
  if (file.ends_with(".npz")) return read_npz(read_file(file), file, array);
  if (file.ends_with(".safetensors")) return read_safetensors(read_file(file), file, array);
  return read_npy(path);
}

}  // namespace gpuloom::sim
