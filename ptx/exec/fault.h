// SPDX-License-Identifier: Apache-2.0
// What stops a kernel: thrown by lane functions and engines, caught by the runtime.
#pragma once
#include <string>

#include "base/error.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

struct FaultInfo {
  FaultKind kind = FaultKind::kOutOfBounds;
  std::string kernel;
  Position position;  // of the PTX instruction
  bool has_thread = false;
  uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};
  bool has_address = false;
  uint64_t address = 0;
};

// what() is one sentence that names kernel, PTX line, block, thread and address. Exit code 5.
class Fault : public Error {
 public:
  Fault(FaultInfo info, const std::string& message, const std::string& file);
  const FaultInfo& info() const { return info_; }

 private:
  FaultInfo info_;
};

// Stops the kernel at `in`, for one lane. `what` completes "thread (1,0,0) of block (0,0,0) ...".
[[noreturn]] void fault(const Warp& w, const Instr& in, unsigned lane, FaultKind kind,
                        const std::string& what);
// The same with the address that the lane used; where it is global, the nearest allocation is named.
[[noreturn]] void fault_address(const Warp& w, const Instr& in, unsigned lane, FaultKind kind,
                                const std::string& what, Space space, uint64_t address, uint64_t bytes);
// "thread (1,0,0) of block (0,0,0)"
std::string thread_name(const Warp& w, unsigned lane);
std::string thread_name(const Launch& launch, const uint32_t (&block)[3], uint32_t index);
// "kernel.ptx:12:5", or the instruction number where there is no source.
std::string place_name(const Program& program, uint32_t pc);
// "kernel.cu:7" of the instruction's .loc, with the call sites where it was inlined; "" without .loc.
std::string source_name(const Program& program, uint32_t pc);
// A line "\n  in 'f', called at kernel.ptx:30:5 (kernel.cu:7)" for each call that `in` is inside of; "" in
// the entry.
std::string call_stack(const Warp& w, const Instr& in);
// "4 bytes into 'tile' (1024 bytes at 0x0)", or "" where the block has no shared variables.
std::string shared_name(const Program& program, uint64_t offset);

}  // namespace gpuloom::ptx
