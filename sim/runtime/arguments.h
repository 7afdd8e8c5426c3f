// SPDX-License-Identifier: Apache-2.0
// Kernel arguments from a launch file, laid out as the kernel's parameter buffer.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/exec/tensor_map_layout.h"
#include "ptx/ir/program.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {

// What messages call the parameters: their types in C++ where the kernel's name tells them, else their names.
std::vector<std::string> parameter_labels(const ptx::Program& program);

// Bytes of one scalar. `type` is a name such as "s32" or "f16", or "" for what `param` says. Throws Error
// (kInput) where the text is not a number of the type or does not fit it.
std::vector<uint8_t> scalar_bytes(const ArgSpec& arg, const ptx::KernelParam& param);

// A tensor map of a launch file, and where a copy of it is in device memory.
struct PlacedTensorMap {
  ptx::TensorMapWords map;
  uint64_t address = 0;
};

// The parameter buffer. A tensor map goes to a parameter of its size as it is, to a 64-bit one as a pointer;
// a texture or surface is its handle. `addresses` are those of the launch file's buffers. Throws Error
// (kInput) that lists the kernel's parameters where the arguments do not fit them.
std::vector<uint8_t> pack_arguments(const ptx::Program& program, const LaunchSpec& launch,
                                    const std::vector<uint64_t>& addresses,
                                    const std::vector<PlacedTensorMap>& maps = {},
                                    const std::vector<PlacedTexture>& textures = {});

}  // namespace gpuloom::sim
