// SPDX-License-Identifier: Apache-2.0
// What limits a kernel's blocks on an SM.
#include "sim/api/occupancy.h"

#include <pybind11/stl.h>

#include "sim/python/bindings.h"

namespace gpuloom::python {

using sim::OccupancyReport;

void bind_occupancy(py::module_& m) {
  py::class_<sim::OccupancyPoint>(m, "OccupancyPoint")
      .def_readonly("x", &sim::OccupancyPoint::x)
      .def_readonly("blocks", &sim::OccupancyPoint::blocks)
      .def_readonly("percent", &sim::OccupancyPoint::percent);
  py::class_<sim::OccupancyCurve>(m, "OccupancyCurve")
      .def_readonly("name", &sim::OccupancyCurve::name)
      .def_readonly("unit", &sim::OccupancyCurve::unit)
      .def_readonly("now", &sim::OccupancyCurve::now)
      .def_readonly("points", &sim::OccupancyCurve::points);
  py::class_<OccupancyReport>(m, "OccupancyReport")
      .def_readonly("gpu", &OccupancyReport::gpu)
      .def_readonly("capability", &OccupancyReport::capability)
      .def_readonly("refusal", &OccupancyReport::refusal)
      .def_readonly("kernel", &OccupancyReport::kernel)
      .def_readonly("registers_estimated", &OccupancyReport::registers_estimated)
      .def_property_readonly("registers",
                             [](const OccupancyReport& r) { return r.resources.registers_per_thread; })
      .def_property_readonly(
          "shared_bytes",
          [](const OccupancyReport& r) { return r.resources.shared_static + r.resources.shared_dynamic; })
      .def_property_readonly("blocks", [](const OccupancyReport& r) { return r.occupancy.blocks; })
      .def_readonly("warps", &OccupancyReport::warps)
      .def_readonly("warps_max", &OccupancyReport::warps_max)
      .def_readonly("percent", &OccupancyReport::percent)
      .def_readonly("limiters", &OccupancyReport::limiters)
      .def_readonly("advice", &OccupancyReport::advice)
      .def_property_readonly("best_block", [](const OccupancyReport& r) { return r.best.block; })
      .def_property_readonly("best_grid", [](const OccupancyReport& r) { return r.best.grid; })
      .def_readonly("clusters", &OccupancyReport::clusters)
      .def_readonly("largest_cluster", &OccupancyReport::largest_cluster)
      .def_readonly("curves", &OccupancyReport::curves)
      .def(
          "text", [](const OccupancyReport& r, bool curves) { return sim::occupancy_text(r, curves); },
          py::arg("curves") = false)
      .def("__repr__", [](const OccupancyReport& r) { return sim::occupancy_text(r, false); });
  m.def(
      "occupancy",
      [](const std::string& config, const std::vector<std::string>& overrides, const std::string& ptx,
         const std::string& kernel, uint32_t block, std::optional<uint32_t> registers,
         std::optional<uint32_t> shared_static, uint32_t shared_dynamic, std::optional<uint32_t> barriers,
         uint32_t cluster, int carveout_percent) {
        const py::gil_scoped_release released;
        return sim::occupancy_report(config, {ptx, kernel, block, registers, shared_static, shared_dynamic,
                                              barriers, cluster, carveout_percent, overrides});
      },
      py::arg("config"), py::arg("overrides"), py::arg("ptx"), py::arg("kernel"), py::arg("block"),
      py::arg("registers"), py::arg("shared_static"), py::arg("shared_dynamic"), py::arg("barriers"),
      py::arg("cluster"), py::arg("carveout_percent"));
  m.def("occupancy_svg", &sim::occupancy_svg);
}

}  // namespace gpuloom::python
