// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "ptx/isa/table/form.h"
#include "ptx/passes/program_result.h"
#include "ptx/passes/pseudo.h"

namespace gpuloom::ptx {

namespace {

char letter_of(unsigned bytes_a_lane) {
  switch (bytes_a_lane) {
    case 0:
      return 'p';
    case 1:
      return 'b';
    case 2:
      return 'h';
    case 4:
      return 'r';
    case 8:
      return 'd';
    default:
      return 'q';
  }
}

std::string number_text(int64_t value) {
  return value > -4096 && value < 65536 ? std::to_string(value) : [&] {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return std::string(text);
  }();
}

// A constant by its value in lane 0; a register by its row.
std::string row_text(const Program& p, Place place, unsigned bytes_a_lane) {
  if (!place.present()) return "-";
  if (!place.constant()) return letter_of(bytes_a_lane) + std::to_string(place.at / 4);
  const auto offset = static_cast<uint32_t>(~place.at);
  uint64_t value = 0;
  const size_t size = std::min<size_t>(bytes_a_lane == 0 ? 4 : bytes_a_lane, 8);
  if (offset + size <= p.constants.size()) std::memcpy(&value, &p.constants[offset], size);
  if (bytes_a_lane == 0) return value != 0 ? "true" : "false";
  return number_text(static_cast<int64_t>(value));
}

std::string rows_of(const Program& p, uint32_t i, bool defined) {
  std::string out;
  for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
    const OperandRef& ref = p.refs[r];
    if ((ref.defines != 0) != defined || ref.operand == kInstrPlaces) continue;
    const std::string row = row_text(p, ref.place, ref.bytes);
    out += (out.empty() ? "" : ", ") + (ref.address != 0 ? "[" + row + "]" : row);
  }
  return out;
}

// What passes insert and PTX has no word for.
std::string made_up(const Instr& in) {
  if (in.fn == local_address) return "(local address)";
  if (in.fn == offset_address) return "(address + offset)";
  if (in.fn == split_lanes) return "(lanes of one mask alone)";
  if (in.fn == skip_split) return "(skip where all lanes are together)";
  if (in.fn == end_split) return "(to the meeting point)";
  return {};
}

std::string line_of(const Program& p, uint32_t i) {
  const Instr& in = p.code[i];
  std::string out = "  " + std::to_string(i) + "\t";
  if (in.guard.present())
    out += std::string(in.guard_negated != 0 ? "@!" : "@") + row_text(p, in.guard, 0) + " ";
  const std::string own = made_up(in);
  out += own.empty() ? ptx_of(p, i) : own;
  const std::string made = rows_of(p, i, true), read = rows_of(p, i, false);
  if (!made.empty()) out += "  " + made + " =";
  if (!read.empty()) out += "  " + read;
  if (in.imm != 0) out += "  imm " + number_text(in.imm);
  if (in.kind == InstrKind::kBranch && in.target < p.code.size()) out += "  to " + std::to_string(in.target);
  return out + "\n";
}

}  // namespace

std::string ptx_of(const Program& p, uint32_t i) {
  const Instr& in = p.code[i];
  if (in.kind == InstrKind::kReconverge) return "(reconverge)";
  if (in.source >= p.sources.size()) return {};
  const InstrSource& source = p.sources[in.source];
  const Instruction& written = source.function->instructions[source.instruction];
  std::string out = written.form->instruction->mnemonic;
  for (size_t k = 0; k < written.form->mods.size(); ++k) {
    if (written.mods[k] != 0) out += written.form->mods[k].values[written.mods[k] - 1u].text;
  }
  const auto op = static_cast<OpClass>(in.op_class);
  const bool contracted = op == OpClass::ffma && written.form->instruction->mnemonic != "fma";
  return out + (contracted ? " (contracted)" : "") + " (line " + std::to_string(source.position.line) + ")";
}

std::string list_program(const Program& p) {
  std::string out = "program " + p.name + ": " + std::to_string(p.code.size()) + " instructions\n";
  if (p.ref_begin.size() != p.code.size() + 1) return out;
  std::vector<uint32_t> block_at(p.code.size(), UINT32_MAX);
  for (uint32_t b = 0; b < p.blocks.size(); ++b) {
    if (p.blocks[b].first < p.code.size()) block_at[p.blocks[b].first] = b;
  }
  for (uint32_t f = 0; f < p.functions.size(); ++f) {
    if (p.functions.size() > 1) out += "function " + p.functions[f].function->name + "\n";
    for (uint32_t i = p.functions[f].entry; i < p.functions[f].end; ++i) {
      if (block_at[i] != UINT32_MAX) out += "block " + std::to_string(block_at[i]) + ":\n";
      out += line_of(p, i);
    }
  }
  return out;
}

}  // namespace gpuloom::ptx
