// SPDX-License-Identifier: Apache-2.0
// A value-change dump of some numbers, written by SystemC's own sc_trace: each time that simulated time goes
// on, what has changed is written.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sc_core {
class sc_trace_file;
}

namespace gpuloom::sim {

class VcdTrace {
 public:
  // `path` without .vcd. Make it before the context's first run; the file is complete when this is gone.
  // Throws Error (kInput) where the file cannot be written.
  VcdTrace(const std::string& path, const std::vector<std::string>& names);
  ~VcdTrace();
  VcdTrace(const VcdTrace&) = delete;
  VcdTrace& operator=(const VcdTrace&) = delete;
  void set(size_t index, uint64_t value) { values_[index] = value; }

 private:
  std::vector<uint64_t> values_;
  sc_core::sc_trace_file* file_ = nullptr;
};

}  // namespace gpuloom::sim
