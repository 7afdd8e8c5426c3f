// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/fault.h"

#include <cstdio>

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

void thread_of(const Warp& w, unsigned lane, uint32_t (&thread)[3]) {
  const Dim3& block = w.launch->block;
  const uint32_t index = w.index_in_cta * 32 + lane;
  thread[0] = index % block.x;
  thread[1] = index / block.x % block.y;
  thread[2] = index / block.x / block.y;
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

}  // namespace

Fault::Fault(FaultInfo info, const std::string& message, const std::string& file)
    : Error(ErrorKind::kProgram, message, {file, info.position.line, info.position.column}),
      info_(std::move(info)) {}

std::string thread_name(const Warp& w, unsigned lane) {
  uint32_t thread[3];
  thread_of(w, lane, thread);
  return "thread " + triple(thread) + " of block " + triple(w.cta->id);
}

std::string place_name(const Program& program, uint32_t pc) {
  const Instr& in = program.code[pc];
  if (in.source >= program.sources.size()) return "instruction " + std::to_string(pc);
  const Position at = program.sources[in.source].position;
  return file_of(program) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

void fault(const Warp& w, const Instr& in, unsigned lane, FaultKind kind, const std::string& what) {
  throw Fault(describe(w, in, lane, kind),
              "kernel '" + w.program->name + "': " + thread_name(w, lane) + " " + what, file_of(*w.program));
}

void fault_address(const Warp& w, const Instr& in, unsigned lane, FaultKind kind, const std::string& what,
                   Space space, uint64_t address, uint64_t bytes) {
  FaultInfo facts = describe(w, in, lane, kind);
  facts.has_address = true;
  facts.address = address;
  std::string message = "kernel '" + w.program->name + "': " + thread_name(w, lane) + " " + what + " " +
                        std::to_string(bytes) + (bytes == 1 ? " byte at " : " bytes at ");
  if (space != Space::kGlobal && space != Space::kGeneric) message += std::string(name(space)) + " address ";
  message += hex(address);
  if (kind == FaultKind::kMisaligned) {
    message += ", which is not a multiple of " + std::to_string(bytes);
  } else if (space == Space::kGlobal || space == Space::kGeneric) {
    const std::string near = w.launch->memory ? w.launch->memory->describe(address, bytes) : std::string();
    message += near.empty() ? ", which is in no allocation" : ", " + near;
  } else if (space == Space::kShared || space == Space::kSharedCluster) {
    message += "; the block has " + std::to_string(w.shared_bytes) + " bytes of shared memory";
  } else if (space == Space::kLocal || space == Space::kParamFunction) {
    message += "; a thread has " + std::to_string(w.local_bytes) + " bytes of local memory";
  }
  throw Fault(std::move(facts), message, file_of(*w.program));
}

}  // namespace gpuloom::ptx
