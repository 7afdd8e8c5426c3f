// SPDX-License-Identifier: Apache-2.0
// A hardware unit in SystemC's module tree, without a process of its own.
#pragma once
#include <systemc>

namespace gpuloom::sim {

class Module : public sc_core::sc_module {
 public:
  explicit Module(const char* name) : sc_module(sc_core::sc_module_name(name)) {}
};

}  // namespace gpuloom::sim
