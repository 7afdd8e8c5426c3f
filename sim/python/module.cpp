// SPDX-License-Identifier: Apache-2.0
// gpuloom._native._core: the C++ side of the Python package, which wraps it for people (sim/python/gpuloom).
#include "base/version.h"
#include "sim/python/bindings.h"

PYBIND11_MODULE(_core, m) {
  using namespace gpuloom::python;
  m.doc() = "The compiled part of gpuloom; use the package gpuloom instead.";
  m.attr("__version__") = std::string(gpuloom::version());
  m.attr("source_digest") = std::string(gpuloom::source_digest());
  bind_errors(m);
  bind_config(m);
  bind_reports(m);
  bind_device(m);
  bind_occupancy(m);
  bind_tensor_map(m);
}
