// SPDX-License-Identifier: Apache-2.0
// What limits a kernel's blocks on an SM.
#include "sim/api/occupancy.h"

#include <pybind11/stl.h>

#include "sim/python/bindings.h"
#include "sim/python/pickling.h"

namespace gpuloom::python {

using sim::OccupancyReport;

namespace {

// What a report holds and Python does not show: named so that reports pickle.
void bind_parts(py::module_& m) {
  using K = arch::KernelResources;
  py::class_<K>(m, "KernelResources")
      .def(pickled(&K::threads, &K::registers_per_thread, &K::shared_static, &K::shared_dynamic,
                   &K::carveout_percent, &K::optin, &K::barriers));
  using O = arch::Occupancy;
  py::class_<O>(m, "OccupancyLimits")
      .def(pickled(&O::limit_warps, &O::limit_registers, &O::limit_shared, &O::limit_blocks,
                   &O::limit_barriers, &O::blocks, &O::warps_per_block, &O::allocated_registers,
                   &O::allocated_shared, &O::carveout));
  using B = arch::BlockChoice;
  py::class_<B>(m, "BlockChoice").def(pickled(&B::block, &B::grid));
}

}  // namespace

void bind_occupancy(py::module_& m) {
  bind_parts(m);
  py::class_<sim::OccupancyPoint>(m, "OccupancyPoint")
      .def_readonly("x", &sim::OccupancyPoint::x)
      .def_readonly("blocks", &sim::OccupancyPoint::blocks)
      .def_readonly("percent", &sim::OccupancyPoint::percent)
      .def(pickled(&sim::OccupancyPoint::x, &sim::OccupancyPoint::blocks, &sim::OccupancyPoint::percent));
  py::class_<sim::OccupancyCurve>(m, "OccupancyCurve")
      .def_readonly("name", &sim::OccupancyCurve::name)
      .def_readonly("unit", &sim::OccupancyCurve::unit)
      .def_readonly("now", &sim::OccupancyCurve::now)
      .def_readonly("points", &sim::OccupancyCurve::points)
      .def(pickled(&sim::OccupancyCurve::name, &sim::OccupancyCurve::unit, &sim::OccupancyCurve::now,
                   &sim::OccupancyCurve::points));
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
      .def("__repr__", [](const OccupancyReport& r) { return sim::occupancy_text(r, false); })
      .def(pickled(&OccupancyReport::gpu, &OccupancyReport::description, &OccupancyReport::capability,
                   &OccupancyReport::refusal, &OccupancyReport::kernel, &OccupancyReport::resources,
                   &OccupancyReport::registers_estimated, &OccupancyReport::occupancy,
                   &OccupancyReport::launch_carveout, &OccupancyReport::launch_limit_shared,
                   &OccupancyReport::warps, &OccupancyReport::warps_max, &OccupancyReport::percent,
                   &OccupancyReport::limiters, &OccupancyReport::advice, &OccupancyReport::best,
                   &OccupancyReport::cluster, &OccupancyReport::clusters, &OccupancyReport::largest_cluster,
                   &OccupancyReport::curves));
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
