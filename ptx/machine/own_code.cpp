// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/own_code.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

namespace gpuloom::ptx {
namespace {

// Notes follow one another: a head, a name and a description, each padded to four bytes.
std::string build_id(const uint8_t* notes, size_t bytes) {
  const auto padded = [](size_t n) { return (n + 3) / 4 * 4; };
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes + at, sizeof head);
    const size_t name = at + sizeof head, description = name + padded(head.n_namesz);
    at = description + padded(head.n_descsz);
    if (at > bytes || head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4) continue;
    if (std::memcmp(notes + name, "GNU", 4) != 0) continue;
    std::string text;
    for (size_t i = 0; i < head.n_descsz; ++i) {
      constexpr char kDigits[] = "0123456789abcdef";
      text += kDigits[notes[description + i] >> 4];
      text += kDigits[notes[description + i] & 15];
    }
    return text;
  }
  return {};
}

int look_at(dl_phdr_info* object, size_t, void* out) {
  OwnCode found;
  found.base = object->dlpi_addr;
  bool own = false;
  const auto here = reinterpret_cast<uintptr_t>(&own_code);
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
    if (part.p_type == PT_LOAD) {
      own = own || (here >= begin && here < end);
      found.end = std::max(found.end, end);
    }
    if (part.p_type == PT_NOTE && found.name.empty())
      found.name = build_id(reinterpret_cast<const uint8_t*>(begin), part.p_memsz);
  }
  if (!own) return 0;
  *static_cast<OwnCode*>(out) = found;
  return 1;
}

}  // namespace

const OwnCode& own_code() {
  static const OwnCode code = [] {
    OwnCode found;
    dl_iterate_phdr(look_at, &found);
    return found;
  }();
  return code;
}

}  // namespace gpuloom::ptx
