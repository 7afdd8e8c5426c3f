// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/source_place.h"

#include "ptx/ir/module.h"
#include "ptx/isa/table/form.h"

namespace gpuloom::sim {
namespace {

const ptx::SourceLine* line_at(const ptx::Module& module, uint32_t index) {
  return index == 0 || index > module.source_lines.size() ? nullptr : &module.source_lines[index - 1];
}

const std::string& file_of(const ptx::Module& module, const ptx::SourceLine& line) {
  return line.file < module.files.size() ? module.files[line.file] : module.file_name;
}

std::string folder_in(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// The innermost line of the call chain in the folder of its outermost one.
const ptx::SourceLine* user_line(const ptx::Module& module, const ptx::SourceLine* line) {
  constexpr unsigned kDeepest = 64;  // no chain is longer; a damaged one may be a ring
  const ptx::SourceLine* outermost = line;
  for (unsigned depth = 0; depth < kDeepest; ++depth) {
    const ptx::SourceLine* outer = line_at(module, outermost->inlined_at);
    if (outer == nullptr || outer->line == 0) break;
    outermost = outer;
  }
  const std::string folder = folder_in(file_of(module, *outermost));
  const auto inside =
      [&](const std::string& file) {  // a bare name stands in no folder, and only others beside it
        return folder.empty() ? folder_in(file).empty() : file.starts_with(folder);
      };
  for (unsigned depth = 0; line != outermost && depth < kDeepest; ++depth) {
    if (inside(file_of(module, *line))) return line;
    line = line_at(module, line->inlined_at);
  }
  return outermost;
}

}  // namespace

SourcePlace source_place(const ptx::Program& program, size_t instruction, LineRule rule) {
  SourcePlace place;
  const uint32_t source = program.code[instruction].source;
  if (source >= program.sources.size()) return place;
  const ptx::Module& module = *program.module;
  const ptx::InstrSource& s = program.sources[source];
  place.ptx_line = s.position.line;
  place.file = module.file_name;
  place.line = s.position.line;
  const ptx::SourceLine* written = line_at(module, s.source_line);
  if (written == nullptr) return place;
  const ptx::SourceLine* line = rule == LineRule::kUser ? user_line(module, written) : written;
  place.line = line->line;
  place.file = file_of(module, *line);
  if (line != written && written->line != 0)
    place.written_at = file_of(module, *written) + ":" + std::to_string(written->line);
  return place;
}

std::string ptx_operation(const ptx::Program& program, size_t instruction) {
  const uint32_t source = program.code[instruction].source;
  if (source >= program.sources.size() || program.sources[source].function == nullptr) return {};
  const ptx::InstrSource& s = program.sources[source];
  if (s.instruction >= s.function->instructions.size()) return {};
  const ptx::Instruction& written = s.function->instructions[s.instruction];
  std::string text(written.form->instruction->mnemonic);
  for (size_t k = 0; k < written.form->mods.size(); ++k)
    if (written.mods[k] != 0) text += written.form->mods[k].values[written.mods[k] - 1u].text;
  return text;
}

}  // namespace gpuloom::sim
