// SPDX-License-Identifier: Apache-2.0
// gpuloom::Error as the Python exceptions of gpuloom/_errors.py, which carry kind, file, line, column and
// hint.
#include "base/error.h"
#include "ptx/parse/parser.h"
#include "sim/python/bindings.h"

namespace gpuloom::python {
namespace {

void raise(const Error& e, const FilePosition& where) {
  const py::object exception = py::module_::import("gpuloom._errors")
                                   .attr("from_native")(static_cast<int>(e.kind()), e.what(), e.message(),
                                                        e.hint(), where.file, where.line, where.column);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

}  // namespace

void bind_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const ptx::ParseError& e) {
      raise(e, e.first());
    } catch (const Error& e) {
      raise(e, e.where());
    }
  });
}

}  // namespace gpuloom::python
