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

// What a program or library asks of the dynamic linker.
struct ElfLinkage {
  std::vector<std::string> needed;  // DT_NEEDED
  std::string rpath, runpath;       // rpath is looked through before LD_LIBRARY_PATH, runpath after
};

// Throws Error (kInput) as elf_sections does.
ElfLinkage elf_linkage(std::string_view file, const std::string& name);

}  // namespace gpuloom::frontend
