// SPDX-License-Identifier: Apache-2.0
// What a run gives: metrics, counters by line, outputs, memory accesses. All of it pickles.
#include <pybind11/stl.h>

#include "base/demangle.h"
#include "sim/python/bindings.h"
#include "sim/python/pickling.h"
#include "sim/report/access_report.h"
#include "sim/report/compare.h"
#include "sim/report/metric_table.h"
#include "sim/report/program_timeline.h"
#include "sim/report/result.h"
#include "sim/report/writers.h"

namespace gpuloom::python {
namespace {

// The launch `index` of a run alone.
RunReport only(const RunReport& run, size_t index) {
  RunReport one = run;
  one.kernels = {run.kernels.at(index)};
  one.accesses.clear();
  if (index < run.accesses.size()) one.accesses.push_back(run.accesses[index]);
  one.timelines.clear();
  one.program.reset();
  one.complete = one.kernels[0].complete;
  return one;
}

void bind_kernel_report(py::module_& m) {
  py::class_<ReportMetric>(m, "Metric")
      .def_readonly("name", &ReportMetric::name)
      .def_readonly("unit", &ReportMetric::unit)
      .def_readonly("value", &ReportMetric::value)
      .def_property_readonly("basis", [](const ReportMetric& r) { return basis_name(r.basis); })
      .def("__repr__", [](const ReportMetric& r) { return r.name + " = " + show_value(r.value, r.unit); })
      .def(py::pickle(
          [](const ReportMetric& r) {
            return py::make_tuple(r.name, r.unit, r.value, static_cast<unsigned>(r.basis));
          },
          [](const py::tuple& t) {
            return ReportMetric{t[0].cast<std::string>(), t[1].cast<std::string>(), t[2].cast<double>(),
                                static_cast<MetricBasis>(t[3].cast<unsigned>())};
          }));
  py::class_<ReportLine>(m, "Line")
      .def_readonly("file", &ReportLine::file)
      .def_readonly("line", &ReportLine::line)
      .def_readonly("ptx_line", &ReportLine::ptx_line)
      .def_readonly("operation", &ReportLine::operation)
      .def_readonly("written_at", &ReportLine::written_at)
      .def_readonly("counters", &ReportLine::counters);
  py::class_<ReportKernel>(m, "KernelReport")
      .def_readonly("name", &ReportKernel::name)
      .def_readonly("grid", &ReportKernel::grid)
      .def_readonly("block", &ReportKernel::block)
      .def_readonly("cluster", &ReportKernel::cluster)
      .def_readonly("complete", &ReportKernel::complete)
      .def_readonly("limiters", &ReportKernel::limiters)
      .def_readonly("metrics", &ReportKernel::metrics)
      .def_readonly("stalls", &ReportKernel::stalls)
      .def_readonly("opcodes", &ReportKernel::opcodes)
      .def_readonly("lines", &ReportKernel::lines);
}

void bind_run_report(py::module_& m) {
  py::class_<ReportBuffer>(m, "Output")
      .def_readonly("name", &ReportBuffer::name)
      .def_readonly("type", &ReportBuffer::type)
      .def_readonly("count", &ReportBuffer::count)
      .def_readonly("fnv1a64", &ReportBuffer::fnv1a64)
      .def_readonly("values", &ReportBuffer::values)
      .def(pickled(&ReportBuffer::name, &ReportBuffer::type, &ReportBuffer::count, &ReportBuffer::fnv1a64,
                   &ReportBuffer::values));
  py::class_<ReportCheck>(m, "Check")
      .def_readonly("buffer", &ReportCheck::buffer)
      .def_readonly("against", &ReportCheck::against)
      .def_readonly("passed", &ReportCheck::passed)
      .def_readonly("mismatches", &ReportCheck::mismatches)
      .def_readonly("count", &ReportCheck::count)
      .def_readonly("first", &ReportCheck::first)
      .def(pickled(&ReportCheck::buffer, &ReportCheck::against, &ReportCheck::passed,
                   &ReportCheck::mismatches, &ReportCheck::count, &ReportCheck::first));
  py::class_<RunReport>(m, "RunReport")
      .def_property_readonly("config", [](const RunReport& r) { return r.provenance.config; })
      .def_property_readonly("mode", [](const RunReport& r) { return r.provenance.mode; })
      .def_property_readonly("changes",
                             [](const RunReport& r) {
                               std::vector<std::tuple<std::string, std::string, std::string>> rows;
                               for (const ReportChange& c : r.provenance.changes)
                                 rows.emplace_back(c.key, c.from, c.to);
                               return rows;
                             })
      .def_property_readonly("findings",
                             [](const RunReport& r) {
                               std::vector<std::string> texts;
                               for (const ReportFinding& f : r.findings) texts.push_back(f.text);
                               return texts;
                             })
      .def_readonly("complete", &RunReport::complete)
      .def_readonly("kernels", &RunReport::kernels)
      .def_readonly("outputs", &RunReport::outputs)
      .def_readonly("checks", &RunReport::checks)
      .def_readonly("notes", &RunReport::notes)
      .def_readonly("accesses", &RunReport::accesses)
      .def("only", &only, py::arg("index"))
      .def(
          "summary",
          [](const RunReport& r, const std::vector<std::string>& sections) {
            return summary_text(r, sections);
          },
          py::arg("sections"))
      .def("json", [](const RunReport& r) { return result_json(r); })
      .def_property_readonly("program_metrics",
                             [](const RunReport& r) {
                               return r.program && r.program->timed ? program_metrics(*r.program)
                                                                    : std::vector<ReportMetric>{};
                             })
      .def("program_text", [](const RunReport& r) { return r.program ? program_text(*r.program) : ""; })
      .def("program_timeline",
           [](const RunReport& r) {
             return program_timeline_json(r.program ? program_spans(*r.program) : std::vector<ProgramSpan>{});
           })
      .def(py::pickle([](const RunReport& r) { return py::make_tuple(result_json(r), r.accesses); },
                      [](const py::tuple& t) {
                        RunReport r = parse_result_json(t[0].cast<std::string>(), "a pickled result");
                        r.accesses = t[1].cast<std::vector<AccessReport>>();
                        return r;
                      }));
  m.def("short_name", &short_name);
  m.def("parse_result",
        [](const std::string& text, const std::string& file) { return parse_result_json(text, file); });
  m.def(
      "compare_text",
      [](const std::vector<std::pair<std::string, RunReport>>& runs, double threshold,
         const std::string& filter, bool all) {
        std::vector<NamedRun> named;
        for (const auto& [name, run] : runs) named.push_back({name, run});
        CompareOptions options;
        options.threshold_pct = threshold;
        if (!filter.empty()) options.filters = {filter};
        options.all = all;
        return compare_text(named, options);
      },
      py::arg("runs"), py::arg("threshold"), py::arg("filter"), py::arg("all"));
}

void bind_access_report(py::module_& m) {
  using C = AccessCounts;
  py::class_<C>(m, "AccessCounts")
      .def_readonly("requests", &C::requests)
      .def_readonly("lanes", &C::lanes)
      .def_readonly("bytes", &C::bytes)
      .def_readonly("sectors", &C::sectors)
      .def_readonly("ideal_sectors", &C::ideal_sectors)
      .def_readonly("wavefronts", &C::wavefronts)
      .def_readonly("ideal_wavefronts", &C::ideal_wavefronts)
      .def_readonly("conflicts", &C::conflicts)
      .def(pickled(&C::requests, &C::lanes, &C::bytes, &C::sectors, &C::ideal_sectors, &C::wavefronts,
                   &C::ideal_wavefronts, &C::conflicts));
  using S = AccessSite;
  py::class_<S>(m, "AccessSite")
      .def_readonly("operation", &S::operation)
      .def_readonly("space", &S::space)
      .def_readonly("file", &S::file)
      .def_readonly("line", &S::line)
      .def_readonly("ptx_line", &S::ptx_line)
      .def_readonly("lane_bytes", &S::lane_bytes)
      .def_readonly("counts", &S::counts)
      .def_readonly("worst_sectors", &S::worst_sectors)
      .def_readonly("worst_degree", &S::worst_degree)
      .def_readonly("banks", &S::banks)
      .def_readonly("worst_addresses", &S::worst_addresses)
      .def_readonly("hints", &S::hints)
      .def(pickled(&S::operation, &S::space, &S::file, &S::line, &S::ptx_line, &S::lane_bytes, &S::joined,
                   &S::counts, &S::worst_sectors, &S::worst_degree, &S::banks, &S::worst_addresses,
                   &S::hints));
  using R = AccessReport;
  py::class_<R>(m, "AccessReport")
      .def_readonly("kernel", &R::kernel)
      .def_readonly("config", &R::config)
      .def_readonly("grid", &R::grid)
      .def_readonly("block", &R::block)
      .def_readonly("banks", &R::banks)
      .def_readonly("bank_bytes", &R::bank_bytes)
      .def_readonly("sites", &R::sites)
      .def(
          "total",
          [](const R& r, const std::string& operation, const std::string& space) {
            return r.total(operation, space);
          },
          py::arg("operation"), py::arg("space"))
      .def(
          "text", [](const R& r, size_t most) { return access_text(r, most); }, py::arg("most") = 0)
      .def("json", [](const R& r) { return access_json({r}); })
      .def(pickled(&R::kernel, &R::config, &R::grid, &R::block, &R::banks, &R::bank_bytes, &R::sites));
}

}  // namespace

void bind_reports(py::module_& m) {
  bind_kernel_report(m);
  bind_access_report(m);
  bind_run_report(m);
  m.def("metric_table", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> rows;
    for (const MetricInfo& i : metric_table()) rows.emplace_back(i.name, i.unit, i.description);
    return rows;
  });
}

}  // namespace gpuloom::python
