// SPDX-License-Identifier: Apache-2.0
// A hardware unit in SystemC's module tree, without a process of its own.
#pragma once
#include <systemc>

namespace gpuloom::sim {

// A module's constructor takes its name as `const ModuleName&`: SystemC gives ports and modules that are made
// while a name is alive to the module of that name, so it has to live as long as the constructor runs.
using ModuleName = sc_core::sc_module_name;

class Module : public sc_core::sc_module {
 public:
  explicit Module(const ModuleName& name) : sc_module(name) {}
};

}  // namespace gpuloom::sim
