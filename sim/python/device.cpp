// SPDX-License-Identifier: Apache-2.0
// Devices, modules, kernels and launches. The interpreter's lock is released while PTX is read and while a
// kernel runs.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "base/demangle.h"
#include "sim/python/bindings.h"
#include "sim/python/py_device.h"
#include "sim/runtime/arguments.h"
#include "sim/runtime/pointer_use.h"
#include "sim/runtime/suite.h"
#include "sim/runtime/symbols.h"

namespace gpuloom::python {
namespace {

struct PyModule {
  PyDevice* device;
  sim::LoadedModule* module;
};

// As the class Device of the package lists them.
struct DeviceArguments {
  std::string config;
  std::vector<std::string> overrides;
  bool functional = false, lines = true, contract = true, lowering = true, analyze = false,
       check_init = false, check_races = false, library_lines = false;
  unsigned threads = 1;
  uint64_t stack_bytes = 0, heap_bytes = 0;
  sim::TraceChoice trace;
};

sim::DeviceOptions device_options(const DeviceArguments& a) {
  sim::DeviceOptions o;
  o.config = a.config;
  o.overrides = a.overrides;
  o.mode = a.functional || a.analyze ? sim::Mode::kFunctional : sim::Mode::kTimed;
  o.lowering = a.lowering ? sim::Lowering::kMachine : sim::Lowering::kNone;
  o.contract = a.contract;
  o.threads = o.block_threads = a.threads;
  o.per_instruction = a.lines;
  o.line_rule = a.library_lines ? sim::LineRule::kWritten : sim::LineRule::kUser;
  // Without time these cost a factor of two at most, and they are what a user would ask for next.
  o.count_machine = a.functional && a.lowering && a.lines;
  o.analyze = a.analyze || o.count_machine;
  o.checks.init = a.check_init;
  o.checks.races = a.check_races;
  o.limits.stack_bytes = a.stack_bytes;
  if (a.heap_bytes != 0) o.limits.heap_bytes = a.heap_bytes;
  o.trace = sim::trace_request(a.trace);
  o.print = [](const std::string& text) {
    const py::gil_scoped_acquire locked;
    py::print(text, py::arg("end") = "");
  };
  return o;
}

// name, type, bytes
std::vector<std::tuple<std::string, std::string, uint32_t>> parameters(const PyKernel& k) {
  std::vector<std::tuple<std::string, std::string, uint32_t>> list;
  for (const ptx::KernelParam& p : k.kernel->program->params)
    list.emplace_back(p.name, p.is_array ? "bytes" : std::string(ptx::info(p.type).name), p.size_bytes);
  return list;
}

// For each parameter the accesses through it as type, bytes, elements of a vector; nothing where they are not
// all known.
using Accesses = std::vector<std::tuple<std::string, uint32_t, uint32_t>>;
std::vector<std::optional<Accesses>> pointer_uses(const PyKernel& k, const std::vector<bool>& pointers) {
  const ptx::Function* entry = k.kernel->module->module().find_function(k.kernel->name());
  std::vector<std::optional<Accesses>> list;
  if (entry == nullptr) return list;
  for (const sim::PointerUse& use : sim::pointer_uses(*entry, pointers)) {
    list.emplace_back();
    if (!use.complete) continue;
    list.back().emplace();
    for (const sim::PointerAccess& a : use.accesses)
      list.back()->emplace_back(ptx::info(a.type).name, ptx::bytes(a.type), a.vector);
  }
  return list;
}

// A functional device that does not count machine instructions reads kernels in another form, which cannot be
// lowered (sim::Device::load_text).
const ptx::MachineProgram& machine(const PyKernel& k) {
  const sim::DeviceOptions& o = k.device->device().options();
  if (o.mode == sim::Mode::kFunctional && !o.count_machine && !o.analyze)
    throw Error(ErrorKind::kUsage, "a functional device without lines knows no machine registers", {},
                "Device(..., lines=True), or gpuloom.occupancy");
  return *k.device->alone([&](sim::Device& d) { return &d.lowered(*k.kernel); });
}

py::tuple launch_kernel(const PyKernel& k, const LaunchArguments& a, const std::vector<py::bytes>& args,
                        const py::object& progress) {
  Watch watch(progress);
  RunReport run = k.device->launch(*k.kernel, a, args, watch);
  return py::make_tuple(std::move(run), watch.raised());
}

py::tuple run_whole_file(PyDevice& d, const sim::LaunchFile& file, const LaunchArguments& a,
                         const std::string& folder, const py::object& progress) {
  Watch watch(progress);
  sim::LaunchOptions options = a;
  options.functional = false;  // the device's mode decides
  RunReport run = d.run_file(file, options, folder, watch);
  return py::make_tuple(std::move(run), watch.raised());
}

void write_memory(PyDevice& d, uint64_t address, const py::buffer& data) {
  const py::buffer_info info = data.request();
  const auto bytes = static_cast<uint64_t>(info.size * info.itemsize);
  d.at_rest([&](sim::Device& device) { device.memory().write(address, info.ptr, bytes); });
}

void read_memory(PyDevice& d, uint64_t address, const py::buffer& into) {
  const py::buffer_info info = into.request(true);
  const auto bytes = static_cast<uint64_t>(info.size * info.itemsize);
  d.at_rest([&](sim::Device& device) { device.memory().read(address, info.ptr, bytes); });
}

// Of a module's variables: constants are not in device memory but in the module's bank.
void write_symbol(const PyModule& m, uint64_t address, const py::buffer& data) {
  const py::buffer_info info = data.request();
  const auto bytes = static_cast<uint64_t>(info.size * info.itemsize);
  m.device->at_rest([&](sim::Device&) { m.module->write(address, info.ptr, bytes); });
}

void read_symbol(const PyModule& m, uint64_t address, const py::buffer& into) {
  const py::buffer_info info = into.request(true);
  const auto bytes = static_cast<uint64_t>(info.size * info.itemsize);
  m.device->at_rest([&](sim::Device&) { m.module->read(address, info.ptr, bytes); });
}

void bind_launch_arguments(py::module_& m) {
  py::class_<sim::PolicyWindow>(m, "PolicyWindow")
      .def(py::init<>())
      .def_readwrite("address", &sim::PolicyWindow::address)
      .def_readwrite("bytes", &sim::PolicyWindow::bytes)
      .def_readwrite("hit_ratio", &sim::PolicyWindow::hit_ratio)
      .def_readwrite("hit_persisting", &sim::PolicyWindow::hit_persisting)
      .def_readwrite("miss_streaming", &sim::PolicyWindow::miss_streaming)
      .def_readwrite("set_aside_bytes", &sim::PolicyWindow::set_aside_bytes);
  py::class_<LaunchArguments>(m, "LaunchArguments")
      .def(py::init<>())
      .def_readwrite("grid", &LaunchArguments::grid)
      .def_readwrite("block", &LaunchArguments::block)
      .def_readwrite("cluster", &LaunchArguments::cluster)
      .def_readwrite("dynamic_shared", &LaunchArguments::dynamic_shared)
      .def_readwrite("max_dynamic_shared", &LaunchArguments::max_dynamic_shared)
      .def_readwrite("carveout", &LaunchArguments::carveout)
      .def_readwrite("nonportable_cluster", &LaunchArguments::nonportable_cluster)
      .def_readwrite("cooperative", &LaunchArguments::cooperative)
      .def_readwrite("cold_caches", &LaunchArguments::cold_caches)
      .def_readwrite("functional", &LaunchArguments::functional)
      .def_readwrite("max_cycles", &LaunchArguments::max_cycles)
      .def_readwrite("max_instructions", &LaunchArguments::max_instructions)
      .def_readwrite("window", &LaunchArguments::window);
  py::class_<sim::LaunchFile>(m, "LaunchFile")
      .def(py::init([](const std::string& path, const std::string& suite_case) {
             return suite_case.empty() ? sim::read_launch_file(path) : sim::read_suite_case(path, suite_case);
           }),
           py::arg("path"), py::arg("suite_case"))
      .def_readonly("config", &sim::LaunchFile::config)
      .def_readonly("stack_limit", &sim::LaunchFile::stack_limit)
      .def_readonly("heap_limit", &sim::LaunchFile::heap_limit);
}

void bind_device_arguments(py::module_& m) {
  py::class_<sim::TraceChoice>(m, "TraceChoice")
      .def(py::init<>())
      .def_readwrite("format", &sim::TraceChoice::format)
      .def_readwrite("base", &sim::TraceChoice::base)
      .def_readwrite("sms", &sim::TraceChoice::sms)
      .def_readwrite("begin", &sim::TraceChoice::begin)
      .def_readwrite("end", &sim::TraceChoice::end);
  py::class_<DeviceArguments>(m, "DeviceArguments")
      .def(py::init<>())
      .def_readwrite("config", &DeviceArguments::config)
      .def_readwrite("overrides", &DeviceArguments::overrides)
      .def_readwrite("functional", &DeviceArguments::functional)
      .def_readwrite("threads", &DeviceArguments::threads)
      .def_readwrite("lines", &DeviceArguments::lines)
      .def_readwrite("library_lines", &DeviceArguments::library_lines)
      .def_readwrite("contract", &DeviceArguments::contract)
      .def_readwrite("lowering", &DeviceArguments::lowering)
      .def_readwrite("analyze", &DeviceArguments::analyze)
      .def_readwrite("check_init", &DeviceArguments::check_init)
      .def_readwrite("check_races", &DeviceArguments::check_races)
      .def_readwrite("stack_bytes", &DeviceArguments::stack_bytes)
      .def_readwrite("heap_bytes", &DeviceArguments::heap_bytes)
      .def_readwrite("trace", &DeviceArguments::trace);
}

void bind_module(py::module_& m) {
  py::class_<PyKernel>(m, "Kernel")
      .def_property_readonly("name", [](const PyKernel& k) { return k.kernel->name(); })
      .def_property_readonly("signature", [](const PyKernel& k) { return demangled(k.kernel->name()); })
      .def_property_readonly("parameters", &parameters)
      .def_property_readonly("parameter_labels",
                             [](const PyKernel& k) { return sim::parameter_labels(*k.kernel->program); })
      .def_property_readonly("shared_bytes",
                             [](const PyKernel& k) { return k.kernel->program->shared_static_bytes; })
      .def_property_readonly("registers", [](const PyKernel& k) { return machine(k).registers_per_thread; })
      .def_property_readonly("spill_bytes", [](const PyKernel& k) { return machine(k).spill_bytes; })
      .def("pointer_uses", &pointer_uses, py::arg("pointers"))
      .def("launch", &launch_kernel, py::arg("arguments"), py::arg("args"), py::arg("progress"));
  py::class_<PyModule>(m, "Module")
      .def_property_readonly("kernel_names", [](const PyModule& l) { return l.module->kernel_names(); })
      .def_property_readonly("sha256", [](const PyModule& l) { return l.module->sha256(); })
      .def(
          "kernel",
          [](const PyModule& l, const std::string& name) {
            return l.device->alone([&](sim::Device&) { return PyKernel{l.device, &l.module->kernel(name)}; });
          },
          py::keep_alive<0, 1>())
      .def("symbol",
           [](const PyModule& l, const std::string& name) {
             const sim::SymbolPlace place = sim::named_symbol(*l.module, name);
             return std::make_pair(place.address, place.size);
           })
      .def("write", &write_symbol)
      .def("read", &read_symbol);
}

void bind_team(py::module_& m) {
  py::class_<PyTeam>(m, "Team")
      .def(py::init([](const std::vector<DeviceArguments>& all) {
             std::vector<PyTeam::Member> members;
             for (const DeviceArguments& a : all) members.push_back({device_options(a), a.trace});
             return std::make_unique<PyTeam>(std::move(members));
           }),
           py::arg("arguments"))
      .def("device", &PyTeam::device, py::arg("number"), py::return_value_policy::reference_internal)
      .def("program", &PyTeam::program)
      .def("close", &PyTeam::close);
}

}  // namespace

void bind_device(py::module_& m) {
  bind_launch_arguments(m);
  bind_device_arguments(m);
  bind_module(m);
  py::class_<PyDevice> bound(m, "Device");
  bind_streams(m, bound);
  bind_team(m);
  bound
      .def(
          "load",
          [](PyDevice& d, const std::string& path, std::optional<bool> contract,
             const std::vector<std::string>& link) {
            frontend::PtxRequest request;
            request.link = link;
            return d.alone([&](sim::Device& device) {
              return PyModule{&d, &device.load_file(path, request, {.contract = contract})};
            });
          },
          py::arg("path"), py::arg("contract") = py::none(), py::arg("link") = std::vector<std::string>{},
          py::keep_alive<0, 1>())
      .def(
          "load_text",
          [](PyDevice& d, const std::string& text, const std::string& name, std::optional<bool> contract) {
            return d.alone([&](sim::Device& device) {
              return PyModule{&d, &device.load_text(text, name, {.contract = contract})};
            });
          },
          py::arg("text"), py::arg("name"), py::arg("contract") = py::none(), py::keep_alive<0, 1>())
      .def("run_file", &run_whole_file, py::arg("file"), py::arg("arguments"), py::arg("folder"),
           py::arg("progress"))
      .def("allocate",
           [](PyDevice& d, uint64_t bytes, const std::string& name) {
             return d.alone([&](sim::Device& device) { return device.memory().allocate(bytes, name); });
           })
      .def("free",
           [](PyDevice& d, uint64_t address) {
             d.at_rest([&](sim::Device& device) { device.memory().free(address); });
           })
      .def("write", &write_memory)
      .def("read", &read_memory)
      .def("flush_caches", [](PyDevice& d) { d.at_rest([](sim::Device& device) { device.flush_caches(); }); })
      .def_property_readonly("number", [](const PyDevice& d) { return d.device().number(); })
      .def_property_readonly("name", [](const PyDevice& d) { return d.device().gpu().name; })
      .def_property_readonly("sm_count", [](const PyDevice& d) { return d.device().gpu().sm_count(); })
      .def_property_readonly("memory_used", [](const PyDevice& d) { return d.device().memory().used(); });
}

}  // namespace gpuloom::python
