// SPDX-License-Identifier: Apache-2.0
// What a pass of lowering leaves, as those see it who watch: operations over virtual registers, or the
// machine program where it has been made.
#pragma once
#include "ptx/machine/graph.h"
#include "ptx/passes/pass.h"

namespace gpuloom::ptx {

// Operations by block with what they make and read: v a value of 32-bit registers, u a uniform one, p a
// predicate; behind a colon the register where there is one.
std::string list_graph(const Graph& graph);
// Reads of what nothing has made on any way there, decoded instructions that take effect twice, accesses that
// have changed places with one to the same memory, values that live together in one register.
std::vector<std::string> check_graph(const Graph& graph);
// Decoded instructions that take effect never or twice, control codes and registers out of range.
std::vector<std::string> check_machine(const MachineProgram& machine, const MachineModel& model);

class LoweringResult : public PassResult {
 public:
  LoweringResult(const Graph& graph, const MachineProgram& machine) : graph_(graph), machine_(machine) {}
  std::string listing() const override;
  std::vector<std::string> problems() const override;

 private:
  const Graph& graph_;
  const MachineProgram& machine_;
};

}  // namespace gpuloom::ptx
