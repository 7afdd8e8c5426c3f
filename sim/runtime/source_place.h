// SPDX-License-Identifier: Apache-2.0
// Where a decoded instruction stands for people: the line of the source where the PTX has .loc, else of the
// PTX.
#pragma once
#include <cstdint>
#include <string>
#include <tuple>

#include "ptx/ir/kernel.h"

namespace gpuloom::sim {

struct SourcePlace {
  std::string file;
  uint32_t line = 0, ptx_line = 0;
  bool operator<(const SourcePlace& o) const {
    return std::tie(file, line, ptx_line) < std::tie(o.file, o.line, o.ptx_line);
  }
};

SourcePlace source_place(const ptx::Program& program, size_t instruction);

}  // namespace gpuloom::sim
