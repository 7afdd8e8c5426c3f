// SPDX-License-Identifier: Apache-2.0
// Arrays in files of other programs: NumPy's .npy and .npz, and .safetensors.
#pragma once
#include <string>
#include <string_view>

#include "sim/memory/files.h"

namespace gpuloom::sim {

// Whether `path` names such a file, by its ending: "a.npy", "a.npz:weights",
// "model.safetensors:layer.0.weight".
bool is_array_file(std::string_view path);

// The array of `path`; files with several take its name after a colon, and need none where there is one.
// Throws Error (kInput) that lists the names.
NpyArray read_array(const std::string& path);

// The same of one array file's bytes.
NpyArray parse_npy(std::string_view data, const std::string& name);
NpyArray read_npz(std::string_view data, const std::string& path, const std::string& array);
NpyArray read_safetensors(std::string_view data, const std::string& path, const std::string& array);

}  // namespace gpuloom::sim
