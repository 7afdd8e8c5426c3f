// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/fault.h"

#include <cstdio>

#include "base/demangle.h"
#include "ptx/exec/cta.h"

namespace gpuloom::ptx {
namespace {

std::string triple(const uint32_t (&v)[3]) {
  return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

void thread_of(const Launch& launch, uint32_t index, uint32_t (&thread)[3]) {
  const Dim3& block = launch.block;
  thread[0] = index % block.x;
  thread[1] = index / block.x % block.y;
  thread[2] = index / block.x / block.y;
}
void thread_of(const Warp& w, unsigned lane, uint32_t (&thread)[3]) {
  thread_of(*w.launch, w.index_in_cta * 32 + lane, thread);
}

const std::string& file_of(const Program& program) {
  static const std::string kNone;
  return program.module ? program.module->file_name : kNone;
}

FaultInfo describe(const Warp& w, const Instr& in, unsigned lane, FaultKind kind) {
  FaultInfo info;
  info.kind = kind;
  info.kernel = w.program->name;
  if (in.source < w.program->sources.size()) info.position = w.program->sources[in.source].position;
  info.has_thread = true;
  for (int k = 0; k < 3; ++k) info.block[k] = w.cta->id[k];
  thread_of(w, lane, info.thread);
  return info;
}

// Where in the source, and through which calls: lines below the message.
std::string surroundings(const Warp& w, const Instr& in) {
  const std::string source = source_name(*w.program, static_cast<uint32_t>(&in - w.code));
  return (source.empty() ? "" : "\n  source: " + source) + call_stack(w, in);
}

const KernelParam* nearest_param(const Program& program, uint64_t offset) {
  const KernelParam* found = nullptr;
  for (const KernelParam& p : program.params)
    if (p.offset <= offset) found = &p;
  return found;
}

// "16 bytes past the end of 'p' (8 bytes at 0x0)", "4 bytes into ...": where an offset lies from a piece.
std::string relation(const std::string& piece, uint64_t begin, uint64_t bytes, uint64_t offset) {
  const std::string of = piece + " (" + std::to_string(bytes) + " bytes at " + hex(begin) + ")";
  if (offset < begin + bytes) return std::to_string(offset - begin) + " bytes into " + of;
  const uint64_t past = offset - begin - bytes;
  return past == 0 ? "just past the end of " + of : std::to_string(past) + " bytes past the end of " + of;
}

// What is nearest to an address that is out of bounds, in words that follow it.
std::string nearest(const Warp& w, Space space, uint64_t address, uint64_t bytes) {
  switch (space) {
    case Space::kGlobal:
    case Space::kGeneric: {
      const std::string near = w.launch->memory ? w.launch->memory->describe(address, bytes) : std::string();
      return near.empty() ? ", which is in no allocation" : ", " + near;
    }
    case Space::kShared:
    case Space::kSharedCluster: {
      const auto offset = static_cast<int32_t>(address);
      const std::string near =
          offset < 0 ? std::to_string(-int64_t{offset}) + " bytes before the block's shared memory"
                     : shared_name(*w.program, address & ((uint64_t{1} << kSharedRankShift) - 1));
      return (near.empty() ? "" : ", " + near) + "; the block has " + std::to_string(w.shared_bytes) +
             " bytes of shared memory";
    }
    case Space::kLocal:
    case Space::kParamFunction:
      return "; a thread has " + std::to_string(w.local_bytes) + " bytes of local memory";
    case Space::kConst:
      return "; the module has " + std::to_string(w.launch->const_bytes) + " bytes of constants";
    case Space::kParam: {
      const KernelParam* p = nearest_param(*w.program, address);
      return (p == nullptr ? std::string()
                           : ", " + relation("'" + p->name + "'", p->offset, p->size_bytes, address)) +
             "; the kernel has " + std::to_string(w.launch->params.size()) + " bytes of parameters";
    }
    default:
      return {};
  }
}

}  // namespace

Fault::Fault(FaultInfo info, const std::string& message, const std::string& file)
    : Error(ErrorKind::kProgram, message, {file, info.position.line, info.position.column}),
      info_(std::move(info)) {}

std::string thread_name(const Launch& launch, const uint32_t (&block)[3], uint32_t index) {
  uint32_t thread[3];
  thread_of(launch, index, thread);
  return "thread " + triple(thread) + " of block " + triple(block);
}

std::string thread_name(const Warp& w, unsigned lane) {
  return thread_name(*w.launch, w.cta->id, w.index_in_cta * 32 + lane);
}

std::string source_name(const Program& program, uint32_t pc) {
  const Module* module = program.module;
  if (module == nullptr || program.code[pc].source >= program.sources.size()) return {};
  std::string text;
  uint32_t line = program.sources[program.code[pc].source].source_line;
  for (unsigned depth = 0; line != 0 && line <= module->source_lines.size() && depth < 4; ++depth) {
    const SourceLine& at = module->source_lines[line - 1];
    if (at.line == 0) break;
    const bool named = at.file < module->files.size() && !module->files[at.file].empty();
    text += (text.empty() ? "" : ", inlined at ") +
            (named ? module->files[at.file] : "file " + std::to_string(at.file)) + ":" +
            std::to_string(at.line);
    line = at.inlined_at;
  }
  return text;
}

std::string call_stack(const Warp& w, const Instr& in) {
  constexpr unsigned kMost = 8;
  const Program& program = *w.program;
  const auto pc = static_cast<uint32_t>(&in - w.code);
  const SimtState& s = w.simt;
  if (s.frame >= s.frames.size()) return {};
  // An asynchronous operation may fail when its warp is elsewhere.
  const FunctionCode& here = program.functions[s.frames[s.frame].function];
  if (pc < here.entry || pc >= here.end) return {};
  std::string text;
  unsigned shown = 0;
  uint32_t left = 0;
  for (uint32_t frame = s.frame; frame != 0; frame = s.frames[frame].parent) {
    if (shown == kMost) {
      ++left;
      continue;
    }
    const uint32_t call = s.regions[s.frames[frame].region].pc - 1;
    const std::string source = source_name(program, call);
    text += "\n  in '" + short_name(program.functions[s.frames[frame].function].function->name) +
            "', called at " + place_name(program, call) + (source.empty() ? "" : " (" + source + ")");
    ++shown;
  }
  if (left != 0) text += "\n  and " + std::to_string(left) + " more calls";
  return text;
}

std::string shared_name(const Program& program, uint64_t offset) {
  const SharedVariable* found = nullptr;
  for (const SharedVariable& v : program.shared_variables)
    if (v.offset <= offset) found = &v;
  if (found == nullptr) return {};
  if (found->bytes == 0)
    return std::to_string(offset - found->offset) + " bytes into '" + found->name + "' (dynamic, at " +
           hex(found->offset) + ")";
  return relation("'" + found->name + "'", found->offset, found->bytes, offset);
}

std::string place_name(const Program& program, uint32_t pc) {
  const Instr& in = program.code[pc];
  if (in.source >= program.sources.size()) return "instruction " + std::to_string(pc);
  const Position at = program.sources[in.source].position;
  return file_of(program) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

void fault(const Warp& w, const Instr& in, unsigned lane, FaultKind kind, const std::string& what) {
  throw Fault(describe(w, in, lane, kind),
              "kernel '" + short_name(w.program->name) + "': " + thread_name(w, lane) + " " + what +
                  surroundings(w, in),
              file_of(*w.program));
}

void fault_address(const Warp& w, const Instr& in, unsigned lane, FaultKind kind, const std::string& what,
                   Space space, uint64_t address, uint64_t bytes) {
  FaultInfo facts = describe(w, in, lane, kind);
  facts.has_address = true;
  facts.address = address;
  std::string message = "kernel '" + short_name(w.program->name) + "': " + thread_name(w, lane) + " " + what +
                        " " + std::to_string(bytes) + (bytes == 1 ? " byte at " : " bytes at ");
  if (space != Space::kGlobal && space != Space::kGeneric) message += std::string(name(space)) + " address ";
  message += hex(address);
  if (kind == FaultKind::kMisaligned) {
    message += ", which is not a multiple of " + std::to_string(bytes);
  } else if (kind == FaultKind::kReadOnly) {
    message += ", which is read-only";
  } else {
    message += nearest(w, space, address, bytes);
  }
  message += surroundings(w, in);
  throw Fault(std::move(facts), message, file_of(*w.program));
}

}  // namespace gpuloom::ptx
