// SPDX-License-Identifier: Apache-2.0
// What a file is, by what stands in it: users name files as they like.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuloom::frontend {

enum class Content : uint8_t { kEmpty, kYaml, kPtx, kCuda, kElf, kCubin, kFatbin, kArchive, kBinary };

// The extension of `path` decides only where the text itself does not.
Content content_of(std::string_view data, std::string_view path = {});

// "a launch file or another YAML or JSON text", "PTX", "an ELF file", ...
std::string_view describe(Content content);

// Whether the content is PTX or something that PTX comes from.
bool holds_kernels(Content content);

}  // namespace gpuloom::frontend
