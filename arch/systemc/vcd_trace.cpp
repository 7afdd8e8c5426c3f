// SPDX-License-Identifier: Apache-2.0
#include "arch/systemc/vcd_trace.h"

#include <algorithm>
#include <fstream>
#include <systemc>

#include "base/error.h"

namespace gpuloom::sim {

VcdTrace::VcdTrace(const std::string& path, const std::vector<std::string>& names)
    : values_(names.size(), 0) {
  if (!std::ofstream(path + ".vcd")) throw Error(ErrorKind::kInput, "cannot write '" + path + ".vcd'");
  file_ = sc_core::sc_create_vcd_trace_file(path.c_str());
  file_->set_time_unit(
      1, sc_core::SC_FS);  // that of contexts: SystemC warns of each time that a coarser one rounds
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = names[i];  // VCD names have no blanks
    std::replace(name.begin(), name.end(), ' ', '_');
    sc_core::sc_trace(file_, values_[i], name, 64);
  }
}

VcdTrace::~VcdTrace() { sc_core::sc_close_vcd_trace_file(file_); }

}  // namespace gpuloom::sim
