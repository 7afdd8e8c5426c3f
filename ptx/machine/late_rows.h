// SPDX-License-Identifier: Apache-2.0
// Rows of PTX registers that time writes after the instruction has been left behind: results of atomics and
// of strong loads (ptx/passes/late.h). An operation that carries an instruction out must wait for them where
// the instruction reads or writes such a row, whatever registers the machine-like program gives to the
// values.
#pragma once
#include <cstdint>
#include <set>
#include <vector>

#include "ptx/machine/graph.h"
#include "ptx/machine/machine_program.h"

namespace gpuloom::ptx {

std::set<int32_t> late_rows(const Program& p, const FunctionCode& code);

// Of each operation of a program: which late rows the instructions that take effect with it touch, and which
// of them they fill late. Rows are numbered from 0 over all functions.
class LateRowsByOperation {
 public:
  LateRowsByOperation(const Graph& g, const MachineProgram& m);

  uint32_t rows() const { return rows_; }
  struct Touch {
    uint32_t row;
    bool fills;
  };
  const std::vector<Touch>& of(uint32_t operation) const { return rows_ == 0 ? none_ : touches_[operation]; }

 private:
  uint32_t rows_ = 0;
  std::vector<std::vector<Touch>> touches_;
  std::vector<Touch> none_;
};

}  // namespace gpuloom::ptx
