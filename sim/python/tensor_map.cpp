// SPDX-License-Identifier: Apache-2.0
// Tensor maps: the 128 bytes that a kernel takes as a parameter or reads from memory.
#include "sim/runtime/tensor_map.h"

#include <pybind11/stl.h>

#include <algorithm>

#include "base/text.h"
#include "ptx/exec/tensor_map_layout.h"
#include "sim/python/bindings.h"

namespace gpuloom::python {
namespace {

// The index of a word among those that the launch file takes.
uint32_t choice(const char* what, const std::string& word, const std::vector<std::string>& words) {
  const auto at = std::find(words.begin(), words.end(), word);
  if (at != words.end()) return static_cast<uint32_t>(at - words.begin());
  throw Error(ErrorKind::kUsage, std::string(what) + " is " + either(words) + ", not '" + word + "'");
}

py::bytes encode(const std::string& element, sim::TensorMapSpec spec, const std::string& interleave,
                 const std::string& swizzle, const std::string& oob_fill, const std::string& l2_promotion) {
  if (!sim::tensor_element_named(element, spec.element))
    throw Error(ErrorKind::kInput, "tensors of '" + element + "' do not exist", {},
                "expected " + either(sim::tensor_element_names()));
  spec.interleave =
      static_cast<ptx::TensorInterleave>(choice("interleave", interleave, {"none", "16B", "32B"}));
  spec.swizzle = static_cast<ptx::TensorSwizzle>(choice("swizzle", swizzle, {"none", "32B", "64B", "128B"}));
  spec.fill = static_cast<ptx::TensorFill>(choice("oob_fill", oob_fill, {"zero", "nan"}));
  const uint32_t promotion = choice("l2_promotion", l2_promotion, {"none", "64B", "128B", "256B"});
  spec.l2_promotion_bytes = promotion == 0 ? 0 : 32u << promotion;
  const ptx::TensorMapWords words = ptx::pack_tensor_map(sim::encode_tensor_map(spec));
  return {reinterpret_cast<const char*>(words.data()), sizeof words};
}

}  // namespace

void bind_tensor_map(py::module_& m) {
  py::class_<sim::TensorMapSpec>(m, "TensorMapSpec")
      .def(py::init<>())
      .def_readwrite("address", &sim::TensorMapSpec::address)
      .def_readwrite("dims", &sim::TensorMapSpec::dims)
      .def_readwrite("strides", &sim::TensorMapSpec::strides)
      .def_readwrite("box", &sim::TensorMapSpec::box)
      .def_readwrite("element_strides", &sim::TensorMapSpec::element_strides)
      .def_readwrite("im2col", &sim::TensorMapSpec::im2col)
      .def_readwrite("lower", &sim::TensorMapSpec::lower)
      .def_readwrite("upper", &sim::TensorMapSpec::upper)
      .def_readwrite("channels", &sim::TensorMapSpec::channels)
      .def_readwrite("pixels", &sim::TensorMapSpec::pixels);
  m.def("encode_tensor_map", encode, py::arg("element"), py::arg("spec"), py::arg("interleave"),
        py::arg("swizzle"), py::arg("oob_fill"), py::arg("l2_promotion"));
}

}  // namespace gpuloom::python
