// SPDX-License-Identifier: Apache-2.0
// __constant__ and __device__ variables of a launch file: `symbols`, and copies to and from them.
#pragma once
#include <string>
#include <vector>

#include "sim/runtime/launch_file.h"
#include "sim/runtime/module.h"

namespace gpuloom::sim {

// One entry of `symbols`: a number, or a map with the keys of a buffer, all of which may be left out. An
// entry with `buffer` is left to the caller, who knows the buffers.
SymbolSpec read_symbol(const std::string& name, const ConfigView& view, const std::string& folder);

// A variable by its name in the PTX or in C++ ("ns::coef"). Throws Error (kInput) that lists the module's
// variables where there is none, or several.
SymbolPlace named_symbol(const LoadedModule& module, const std::string& name, const FilePosition& where = {});

// Completes type and shape of each from the module's variables and sets those that are to be set;
// `addresses` are the buffers'. Throws Error (kInput) where a value does not fit.
void set_symbols(LoadedModule& module, std::vector<SymbolSpec>& symbols,
                 const std::vector<uint64_t>& addresses);

// What a variable holds now.
std::vector<uint8_t> symbol_bytes(const LoadedModule& module, const SymbolSpec& symbol);

}  // namespace gpuloom::sim
