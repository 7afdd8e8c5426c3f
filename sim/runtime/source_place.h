// SPDX-License-Identifier: Apache-2.0
// Where a decoded instruction stands for people: the line of the source where the PTX has .loc, else of the
// PTX.
#pragma once
#include <cstdint>
#include <string>
#include <tuple>

#include "ptx/ir/program.h"

namespace gpuloom::sim {

// What an instruction that was inlined counts for. kUser: the innermost line in the folder of the kernel's
// own source, or below it, so that a header of a library counts for the line that called it. kWritten: the
// line where it stands.
enum class LineRule : uint8_t { kUser, kWritten };

struct SourcePlace {
  std::string file;
  uint32_t line = 0, ptx_line = 0;
  std::string written_at;  // "cuda_pipeline.h:288" where that is another line
  bool operator<(const SourcePlace& o) const {
    return std::tie(file, line, ptx_line) < std::tie(o.file, o.line, o.ptx_line);
  }
};

SourcePlace source_place(const ptx::Program& program, size_t instruction, LineRule rule = LineRule::kUser);

// As the PTX has it, with modifiers and without operands: "ld.global.f32".
std::string ptx_operation(const ptx::Program& program, size_t instruction);

}  // namespace gpuloom::sim
