// SPDX-License-Identifier: Apache-2.0
#include "sim/frontend/elf.h"

#include <elf.h>

#include <cstring>

#include "base/error.h"

namespace gpuloom::frontend {
namespace {

[[noreturn]] void damaged(const std::string& name, const char* why) {
  throw Error(ErrorKind::kInput, "'" + name + "' is an ELF file that " + why);
}

template <class T>
T at(std::string_view file, uint64_t offset, const std::string& name) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) damaged(name, "is cut off");
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::string_view body(std::string_view file, const Elf64_Shdr& section, const std::string& name) {
  if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) return {};
  if (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset)
    damaged(name, "is cut off");
  return file.substr(section.sh_offset, section.sh_size);
}

}  // namespace

std::vector<ElfSection> elf_sections(std::string_view file, const std::string& name) {
  const auto header = at<Elf64_Ehdr>(file, 0, name);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    damaged(name, "is not of 64 bits and little-endian");
  std::vector<Elf64_Shdr> headers;
  for (unsigned i = 0; i < header.e_shnum; ++i)
    headers.push_back(at<Elf64_Shdr>(file, header.e_shoff + uint64_t{i} * header.e_shentsize, name));
  if (header.e_shstrndx >= headers.size()) return {};
  const std::string_view names = body(file, headers[header.e_shstrndx], name);
  std::vector<ElfSection> sections;
  for (const Elf64_Shdr& section : headers) {
    const std::string_view from = section.sh_name < names.size() ? names.substr(section.sh_name) : "";
    sections.push_back({std::string(from.substr(0, from.find('\0'))), body(file, section, name)});
  }
  return sections;
}

ElfLinkage elf_linkage(std::string_view file, const std::string& name) {
  std::string_view entries, strings;
  for (const ElfSection& section : elf_sections(file, name)) {
    if (section.name == ".dynamic") entries = section.data;
    if (section.name == ".dynstr") strings = section.data;
  }
  const auto text = [&](uint64_t offset) {
    const std::string_view from = offset < strings.size() ? strings.substr(offset) : "";
    return std::string(from.substr(0, from.find('\0')));
  };
  ElfLinkage linkage;
  for (uint64_t at_entry = 0; at_entry + sizeof(Elf64_Dyn) <= entries.size(); at_entry += sizeof(Elf64_Dyn)) {
    const auto entry = at<Elf64_Dyn>(entries, at_entry, name);
    if (entry.d_tag == DT_NEEDED) linkage.needed.push_back(text(entry.d_un.d_val));
    if (entry.d_tag == DT_RPATH) linkage.rpath = text(entry.d_un.d_val);
    if (entry.d_tag == DT_RUNPATH) linkage.runpath = text(entry.d_un.d_val);
  }
  return linkage;
}

}  // namespace gpuloom::frontend
