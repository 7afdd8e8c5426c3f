// SPDX-License-Identifier: Apache-2.0
// Sections of a 64-bit little-endian ELF file: where executables and cubins keep what we look for.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom::frontend {

struct ElfSection {
  std::string name;
  std::string_view data;  // part of the file's bytes
};

// Throws Error (kInput) with `name` where the file is cut off or not of that kind.
std::vector<ElfSection> elf_sections(std::string_view file, const std::string& name);

}  // namespace gpuloom::frontend
