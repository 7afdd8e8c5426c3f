// SPDX-License-Identifier: Apache-2.0
// What a launch gives: metrics, counters by line, memory accesses.
#include <pybind11/stl.h>

#include "sim/python/bindings.h"
#include "sim/report/access_report.h"
#include "sim/report/metric_table.h"
#include "sim/report/result.h"
#include "sim/report/writers.h"

namespace gpuloom::python {
namespace {

const char* basis_name(MetricBasis basis) {
  switch (basis) {
    case MetricBasis::kMachine:
      return "machine";
    case MetricBasis::kPtx:
      return "ptx";
    case MetricBasis::kSimulator:
      break;
  }
  return "simulator";
}

RunReport as_run(const ReportKernel& kernel, const std::string& config) {
  RunReport run;
  run.kernels.push_back(kernel);
  run.provenance.config = config;
  return run;
}

void bind_kernel_report(py::module_& m) {
  py::class_<ReportMetric>(m, "Metric")
      .def_readonly("name", &ReportMetric::name)
      .def_readonly("unit", &ReportMetric::unit)
      .def_readonly("value", &ReportMetric::value)
      .def_property_readonly("basis", [](const ReportMetric& r) { return basis_name(r.basis); })
      .def("__repr__", [](const ReportMetric& r) { return r.name + " = " + show_value(r.value, r.unit); });
  py::class_<ReportLine>(m, "Line")
      .def_readonly("file", &ReportLine::file)
      .def_readonly("line", &ReportLine::line)
      .def_readonly("ptx_line", &ReportLine::ptx_line)
      .def_readonly("counters", &ReportLine::counters);
  py::class_<ReportKernel>(m, "KernelReport")
      .def_readonly("name", &ReportKernel::name)
      .def_readonly("grid", &ReportKernel::grid)
      .def_readonly("block", &ReportKernel::block)
      .def_readonly("cluster", &ReportKernel::cluster)
      .def_readonly("complete", &ReportKernel::complete)
      .def_readonly("metrics", &ReportKernel::metrics)
      .def_readonly("stalls", &ReportKernel::stalls)
      .def_readonly("opcodes", &ReportKernel::opcodes)
      .def_readonly("lines", &ReportKernel::lines)
      .def(
          "summary",
          [](const ReportKernel& k, const std::string& config, const std::vector<std::string>& sections) {
            return summary_text(as_run(k, config), sections);
          },
          py::arg("config"), py::arg("sections"))
      .def("json",
           [](const ReportKernel& k, const std::string& config) { return result_json(as_run(k, config)); });
}

void bind_access_report(py::module_& m) {
  py::class_<AccessCounts>(m, "AccessCounts")
      .def_readonly("requests", &AccessCounts::requests)
      .def_readonly("lanes", &AccessCounts::lanes)
      .def_readonly("bytes", &AccessCounts::bytes)
      .def_readonly("sectors", &AccessCounts::sectors)
      .def_readonly("ideal_sectors", &AccessCounts::ideal_sectors)
      .def_readonly("wavefronts", &AccessCounts::wavefronts)
      .def_readonly("ideal_wavefronts", &AccessCounts::ideal_wavefronts)
      .def_readonly("conflicts", &AccessCounts::conflicts);
  py::class_<AccessSite>(m, "AccessSite")
      .def_readonly("operation", &AccessSite::operation)
      .def_readonly("space", &AccessSite::space)
      .def_readonly("file", &AccessSite::file)
      .def_readonly("line", &AccessSite::line)
      .def_readonly("ptx_line", &AccessSite::ptx_line)
      .def_readonly("lane_bytes", &AccessSite::lane_bytes)
      .def_readonly("counts", &AccessSite::counts)
      .def_readonly("worst_sectors", &AccessSite::worst_sectors)
      .def_readonly("worst_degree", &AccessSite::worst_degree)
      .def_readonly("banks", &AccessSite::banks)
      .def_readonly("worst_addresses", &AccessSite::worst_addresses)
      .def_readonly("hints", &AccessSite::hints);
  py::class_<AccessReport>(m, "AccessReport")
      .def_readonly("kernel", &AccessReport::kernel)
      .def_readonly("config", &AccessReport::config)
      .def_readonly("grid", &AccessReport::grid)
      .def_readonly("block", &AccessReport::block)
      .def_readonly("banks", &AccessReport::banks)
      .def_readonly("bank_bytes", &AccessReport::bank_bytes)
      .def_readonly("sites", &AccessReport::sites)
      .def(
          "total",
          [](const AccessReport& r, const std::string& operation, const std::string& space) {
            return r.total(operation, space);
          },
          py::arg("operation"), py::arg("space"))
      .def(
          "text", [](const AccessReport& r, size_t most) { return access_text(r, most); },
          py::arg("most") = 0)
      .def("json", [](const AccessReport& r) { return access_json({r}); });
}

}  // namespace

void bind_reports(py::module_& m) {
  bind_kernel_report(m);
  bind_access_report(m);
  m.def("metric_table", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> rows;
    for (const MetricInfo& i : metric_table()) rows.emplace_back(i.name, i.unit, i.description);
    return rows;
  });
}

}  // namespace gpuloom::python
