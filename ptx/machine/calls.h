// SPDX-License-Identifier: Apache-2.0
// How calls pass values: which functions follow the calling convention, and the registers that stand for
// parameters and results.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

// The convention of ptxas 13.0 for sm_90, as SASS of recursion, indirect_calls and of programs compiled for
// the purpose shows it: arguments and results from R4 on in order, wide ones aligned, the return address in
// R20 and R21; a called function leaves R2, R16 to R19 and R22 and up as they are, and the convergence
// barriers from B6 on.
constexpr uint8_t kFirstArgument = 4, kEndOfArguments = 16, kReturnAddress = 20, kFirstKept = 16;
constexpr bool is_kept(unsigned r) {
  return r == 2 || (r >= kFirstKept && r != kReturnAddress && r != kReturnAddress + 1);
}

class Calls {
 public:
  explicit Calls(Graph& graph);

  // Functions that call themselves, that are called by address, and what they call. ptxas allocates the
  // registers of all others together with their callers'.
  static std::vector<uint8_t> find_conventional(const Program& program);
  bool conventional(uint32_t f) const { return g_.conventional[f] != 0; }
  // Whether this call follows the convention.
  bool conventional(const CallSite& site) const {
    return site.function == UINT32_MAX || conventional(site.function);
  }

  // The virtual register that stands for `bytes` at `offset` of the local frame of function f; kNoVirtual
  // where the value passes in memory.
  uint32_t slot(uint32_t f, uint32_t offset, uint32_t bytes);
  // Those that a call reads and writes, or a return reads. Complete only when all accesses have been asked
  // for.
  const std::vector<uint32_t>& arguments(uint32_t call) const { return arguments_[call]; }
  const std::vector<uint32_t>& results(uint32_t call) const { return results_[call]; }
  const std::vector<uint32_t>& returns(uint32_t f) const { return returns_[f]; }
  // R20 and R21, or the register that one function finds its return address in.
  std::vector<uint32_t> return_address(const CallSite& site);
  std::vector<uint32_t> return_address(uint32_t f);

 private:
  // Where a parameter's bytes are: a piece of the local frame of a function.
  struct Piece {
    uint32_t offset, bytes;
    uint32_t callee, index;       // of a function allocated with its callers
    uint8_t first = kNoRegister;  // the convention's register
    uint32_t call = UINT32_MAX;   // at a call site
    bool result = false;
  };
  void add_pieces(uint32_t f, const std::vector<CallValue>& values, Piece piece, bool by_convention);
  void find_accesses(uint32_t f);
  uint32_t fixed(uint8_t first, uint8_t words);
  uint32_t shared(uint32_t callee, bool result, uint32_t index, uint32_t word, uint8_t words);

  Graph& g_;
  std::vector<std::vector<Piece>> pieces_;  // by function
  std::vector<std::vector<uint32_t>> arguments_, results_, returns_;
  std::map<std::pair<uint8_t, uint8_t>, uint32_t> fixed_;
  std::map<std::tuple<uint32_t, bool, uint32_t, uint32_t, uint8_t>, uint32_t> shared_;
};

// Functions that run during a call of a function that is allocated with its callers.
std::vector<uint32_t> callees_of(const Graph& graph, const Node& call);
// Whether an instruction passes a parameter or result of a device function.
bool is_call_parameter(const Instr& in);

// Copies between parameters and values become one register where both may have it.
void coalesce_parameters(Graph& graph);
// Values of the constant bank are not kept across calls.
void rematerialize_constants(Graph& graph);
// STL or LDL of `bytes` a lane, at an offset of the stack frame, that no PTX instruction stands for.
Node frame_access(OpClass op, uint32_t decoded, uint16_t offset, uint8_t bytes);
// Behind allocation: what functions save and restore, on the stack.
void add_frames(Graph& graph);

}  // namespace gpuloom::ptx
