// SPDX-License-Identifier: Apache-2.0
// Devices, modules and launches. The interpreter's lock is released while PTX is read and while a kernel
// runs.
#include "sim/runtime/device.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <chrono>
#include <mutex>

#include "sim/python/bindings.h"
#include "sim/runtime/arguments.h"
#include "sim/runtime/session.h"
#include "sim/runtime/symbols.h"

namespace gpuloom::python {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLookEvery{50};  // at signals and at the caller's progress function

class PyDevice;

// SystemC has one context in a process, so timed launches take turns, whichever device they belong to; the
// device that had the last one keeps its model until another wants it. State of the process, because
// SystemC's is.
struct TimedTurn {
  std::mutex mutex;
  PyDevice* owner = nullptr;
};
TimedTurn& timed_turn() {
  static TimedTurn turn;
  return turn;
}

// Looks at signals and asks the caller's function; what either throws waits here until the run has ended.
class Watch {
 public:
  explicit Watch(py::object progress) : progress_(std::move(progress)) {}

  bool go_on(const sim::RunProgress& p) {
    if (Clock::now() - looked_ < kLookEvery) return true;
    const py::gil_scoped_acquire locked;
    bool more = true;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress_.is_none())
        more = !progress_(p.cycle, p.blocks_done, p.blocks_total, p.warp_instructions).is(py::bool_(false));
    } catch (py::error_already_set& raised) {
      raised_ = py::reinterpret_borrow<py::object>(raised.value());
      more = false;
    }
    looked_ = Clock::now();
    return more;
  }
  // What was raised, or None.
  py::object raised() const { return raised_; }

 private:
  py::object progress_, raised_ = py::none();
  Clock::time_point looked_ = Clock::now();
};

struct LaunchArguments {
  Extent grid{1, 1, 1}, block{1, 1, 1};
  std::optional<Extent> cluster;
  uint32_t dynamic_shared = 0;
  std::optional<uint32_t> max_dynamic_shared, carveout;
  bool nonportable_cluster = true, cooperative = false, cold_caches = true, functional = false;
  uint64_t max_cycles = 0, max_instructions = 0;
  std::optional<sim::PolicyWindow> window;
};

struct Launched {
  ReportKernel report;
  std::optional<AccessReport> accesses;
};

class PyDevice {
 public:
  explicit PyDevice(const sim::DeviceOptions& options) : device_(options) {}
  PyDevice(const PyDevice&) = delete;
  PyDevice& operator=(const PyDevice&) = delete;
  ~PyDevice() {
    const py::gil_scoped_release released;  // somebody else's launch may hold the turn for long
    TimedTurn& turn = timed_turn();
    const std::lock_guard<std::mutex> locked(turn.mutex);
    if (turn.owner == this) {
      turn.owner = nullptr;
      device_.release_simulation();
    }
  }

  sim::Device& device() { return device_; }
  std::mutex& mutex() { return mutex_; }

  Launched launch(sim::Kernel& kernel, const LaunchArguments& a, const std::vector<py::bytes>& args,
                  Watch& watch) {
    sim::LaunchSpec spec;
    for (const py::bytes& bytes : args) {
      const auto view = static_cast<std::string_view>(bytes);
      sim::ArgSpec arg;
      arg.kind = sim::ArgSpec::Kind::kBytes;
      arg.bytes.assign(view.begin(), view.end());
      spec.args.push_back(std::move(arg));
    }
    const py::gil_scoped_release released;
    const std::lock_guard<std::mutex> mine(mutex_);
    const sim::LaunchRequest request = make_request(kernel, a, spec);
    sim::LaunchOptions options;
    options.cold_caches = a.cold_caches;
    options.max_cycles = a.max_cycles;
    options.max_instructions = a.max_instructions;
    options.functional = a.functional;
    options.keep_partial = true;
    options.progress = [&watch](const sim::RunProgress& p) { return watch.go_on(p); };
    const bool timed = device_.options().mode == sim::Mode::kTimed && !a.functional;
    std::unique_lock<std::mutex> turn_taken;
    if (timed) turn_taken = take_turn();
    sim::LaunchOutcome outcome = device_.launch(request, options);
    Launched launched{report_kernel(device_, request, outcome), std::move(outcome.accesses)};
    if (launched.accesses) {
      launched.accesses->config = device_.gpu().name;
      launched.accesses->grid = a.grid;
      launched.accesses->block = a.block;
    }
    return launched;
  }

 private:
  static sim::LaunchRequest make_request(sim::Kernel& kernel, const LaunchArguments& a,
                                         const sim::LaunchSpec& spec) {
    sim::LaunchRequest r;
    r.kernel = &kernel;
    r.grid = dim3(a.grid);
    r.block = dim3(a.block);
    if (a.cluster) r.cluster = dim3(*a.cluster);
    r.dynamic_shared_bytes = a.dynamic_shared;
    r.max_dynamic_shared_bytes = a.max_dynamic_shared;
    r.nonportable_cluster = a.nonportable_cluster;
    r.carveout_pct = a.carveout;
    r.cooperative = a.cooperative;
    r.window = a.window;
    r.params = pack_arguments(*kernel.program, spec, {});
    return r;
  }

  std::unique_lock<std::mutex> take_turn() {
    TimedTurn& turn = timed_turn();
    std::unique_lock<std::mutex> locked(turn.mutex);
    if (turn.owner != nullptr && turn.owner != this) turn.owner->device_.release_simulation();
    turn.owner = this;
    return locked;
  }

  std::mutex mutex_;
  sim::Device device_;
};

// A kernel, and the device that it is loaded on.
struct PyKernel {
  PyDevice* device;
  sim::Kernel* kernel;
};

struct PyModule {
  PyDevice* device;
  sim::LoadedModule* module;
};

sim::DeviceOptions device_options(const std::string& config, const std::vector<std::string>& overrides,
                                  bool functional, unsigned threads, bool lines, bool contract, bool lowering,
                                  bool analyze, bool check_init, bool check_races, uint64_t stack_bytes,
                                  uint64_t heap_bytes) {
  sim::DeviceOptions o;
  o.config = config;
  o.overrides = overrides;
  o.mode = functional || analyze ? sim::Mode::kFunctional : sim::Mode::kTimed;
  o.lowering = lowering ? sim::Lowering::kMachine : sim::Lowering::kNone;
  o.contract = contract;
  o.threads = threads;
  o.per_instruction = lines;
  // Without time these cost a factor of two at most, and they are what a user would ask for next.
  o.count_machine = functional && lowering && lines;
  o.analyze = analyze || o.count_machine;
  o.checks.init = check_init;
  o.checks.races = check_races;
  o.limits.stack_bytes = stack_bytes;
  if (heap_bytes != 0) o.limits.heap_bytes = heap_bytes;
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

py::tuple launch(const PyKernel& k, const LaunchArguments& a, const std::vector<py::bytes>& args,
                 const py::object& progress) {
  Watch watch(progress);
  Launched launched = k.device->launch(*k.kernel, a, args, watch);
  py::object accesses = py::none();
  if (launched.accesses) accesses = py::cast(std::move(*launched.accesses));
  return py::make_tuple(std::move(launched.report), accesses, watch.raised());
}

template <class Action>
auto alone(PyDevice& d, Action action) {
  const py::gil_scoped_release released;
  const std::lock_guard<std::mutex> locked(d.mutex());
  return action(d.device());
}

void write_memory(PyDevice& d, uint64_t address, const py::buffer& data) {
  const py::buffer_info info = data.request();
  const auto bytes = static_cast<uint64_t>(info.size * info.itemsize);
  alone(d, [&](sim::Device& device) { device.memory().write(address, info.ptr, bytes); });
}

void read_memory(PyDevice& d, uint64_t address, const py::buffer& into) {
  const py::buffer_info info = into.request(true);
  const auto bytes = static_cast<uint64_t>(info.size * info.itemsize);
  alone(d, [&](sim::Device& device) { device.memory().read(address, info.ptr, bytes); });
}

// Of a module's variables: constants are not in device memory but in the module's bank.
void write_symbol(const PyModule& m, uint64_t address, const py::buffer& data) {
  const py::buffer_info info = data.request();
  const auto bytes = static_cast<uint64_t>(info.size * info.itemsize);
  alone(*m.device, [&](sim::Device&) { m.module->write(address, info.ptr, bytes); });
}

void read_symbol(const PyModule& m, uint64_t address, const py::buffer& into) {
  const py::buffer_info info = into.request(true);
  const auto bytes = static_cast<uint64_t>(info.size * info.itemsize);
  alone(*m.device, [&](sim::Device&) { m.module->read(address, info.ptr, bytes); });
}

std::vector<std::string> findings(PyDevice& d) {
  std::vector<std::string> texts;
  for (const ptx::Finding& f : d.device().findings()) texts.push_back(f.text());
  return texts;
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
}

}  // namespace

void bind_device(py::module_& m) {
  bind_launch_arguments(m);
  py::class_<PyKernel>(m, "Kernel")
      .def_property_readonly("name", [](const PyKernel& k) { return k.kernel->name(); })
      .def_property_readonly("parameters", &parameters)
      .def_property_readonly("shared_bytes",
                             [](const PyKernel& k) { return k.kernel->program->shared_static_bytes; })
      .def_property_readonly("registers",
                             [](const PyKernel& k) {
                               return alone(*k.device, [&](sim::Device& d) {
                                 return d.lowered(*k.kernel).registers_per_thread;
                               });
                             })
      .def("launch", &launch, py::arg("arguments"), py::arg("args"), py::arg("progress"));
  py::class_<PyModule>(m, "Module")
      .def_property_readonly("kernel_names", [](const PyModule& l) { return l.module->kernel_names(); })
      .def_property_readonly("sha256", [](const PyModule& l) { return l.module->sha256(); })
      .def(
          "kernel",
          [](const PyModule& l, const std::string& name) {
            return alone(*l.device, [&](sim::Device&) {
              return PyKernel{l.device, &l.module->kernel(name)};
            });
          },
          py::keep_alive<0, 1>())
      .def("symbol",
           [](const PyModule& l, const std::string& name) {
             const sim::SymbolPlace place = sim::named_symbol(*l.module, name);
             return std::make_pair(place.address, place.size);
           })
      .def("write", &write_symbol)
      .def("read", &read_symbol);
  py::class_<PyDevice>(m, "Device")
      .def(py::init([](const std::string& config, const std::vector<std::string>& overrides, bool functional,
                       unsigned threads, bool lines, bool contract, bool lowering, bool analyze,
                       bool check_init, bool check_races, uint64_t stack_bytes, uint64_t heap_bytes) {
             return std::make_unique<PyDevice>(device_options(config, overrides, functional, threads, lines,
                                                              contract, lowering, analyze, check_init,
                                                              check_races, stack_bytes, heap_bytes));
           }),
           py::kw_only(), py::arg("config"), py::arg("overrides"), py::arg("functional"), py::arg("threads"),
           py::arg("lines"), py::arg("contract"), py::arg("lowering"), py::arg("analyze"),
           py::arg("check_init"), py::arg("check_races"), py::arg("stack_bytes"), py::arg("heap_bytes"))
      .def(
          "load",
          [](PyDevice& d, const std::string& path, std::optional<bool> contract) {
            return alone(d, [&](sim::Device& device) {
              return PyModule{&d, &device.load_file(path, {}, {.contract = contract})};
            });
          },
          py::arg("path"), py::arg("contract") = py::none(), py::keep_alive<0, 1>())
      .def(
          "load_text",
          [](PyDevice& d, const std::string& text, const std::string& name, std::optional<bool> contract) {
            return alone(d, [&](sim::Device& device) {
              return PyModule{&d, &device.load_text(text, name, {.contract = contract})};
            });
          },
          py::arg("text"), py::arg("name"), py::arg("contract") = py::none(), py::keep_alive<0, 1>())
      .def("allocate",
           [](PyDevice& d, uint64_t bytes, const std::string& name) {
             return alone(d, [&](sim::Device& device) { return device.memory().allocate(bytes, name); });
           })
      .def("free",
           [](PyDevice& d, uint64_t address) {
             alone(d, [&](sim::Device& device) { device.memory().free(address); });
           })
      .def("write", &write_memory)
      .def("read", &read_memory)
      .def_property_readonly("name", [](PyDevice& d) { return d.device().gpu().name; })
      .def_property_readonly("sm_count", [](PyDevice& d) { return d.device().gpu().sm_count(); })
      .def_property_readonly("memory_used", [](PyDevice& d) { return d.device().memory().used(); })
      .def_property_readonly("notes", [](PyDevice& d) { return d.device().notes(); })
      .def_property_readonly("findings", &findings);
}

}  // namespace gpuloom::python
