// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/source_place.h"

#include "ptx/ir/module.h"

namespace gpuloom::sim {

SourcePlace source_place(const ptx::Program& program, size_t instruction) {
  SourcePlace place;
  const uint32_t source = program.code[instruction].source;
  if (source >= program.sources.size()) return place;
  const ptx::InstrSource& s = program.sources[source];
  place.ptx_line = s.position.line;
  place.file = program.module->file_name;
  place.line = s.position.line;
  if (s.source_line == 0 || s.source_line > program.module->source_lines.size()) return place;
  const ptx::SourceLine& line = program.module->source_lines[s.source_line - 1];
  place.line = line.line;
  if (line.file < program.module->files.size()) place.file = program.module->files[line.file];
  return place;
}

}  // namespace gpuloom::sim
