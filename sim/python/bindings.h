// SPDX-License-Identifier: Apache-2.0
// What the files of the Python module share: one function a topic, called by module.cpp in this order.
#pragma once
#include <pybind11/pybind11.h>

#include <array>
#include <cstdint>
#include <string>

#include "ptx/exec/cta.h"

namespace gpuloom::python {

namespace py = pybind11;

void bind_errors(py::module_& m);
void bind_config(py::module_& m);
void bind_reports(py::module_& m);  // metrics, lines, accesses: what launches give
void bind_device(py::module_& m);
void bind_occupancy(py::module_& m);
void bind_tensor_map(py::module_& m);

using Extent = std::array<uint32_t, 3>;
inline ptx::Dim3 dim3(const Extent& e) { return {e[0], e[1], e[2]}; }

}  // namespace gpuloom::python
