// SPDX-License-Identifier: Apache-2.0
// Pickling of plain structures: a tuple of their members, in the order in which they are listed.
#pragma once
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <tuple>

namespace gpuloom::python {

template <class T, class... Members>
auto pickled(Members T::*... members) {
  namespace py = pybind11;
  return py::pickle([members...](const T& value) { return py::make_tuple((value.*members)...); },
                    [members...](const py::tuple& state) {
                      if (state.size() != sizeof...(members))
                        throw py::value_error("pickled by another version of gpuloom");
                      T value;
                      size_t k = 0;
                      ((value.*members = state[k++].template cast<Members>()), ...);
                      return value;
                    });
}

}  // namespace gpuloom::python
