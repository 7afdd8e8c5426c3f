// SPDX-License-Identifier: Apache-2.0
// Streams, events, and work on them.
#include <pybind11/stl.h>

#include "base/demangle.h"
#include "base/error.h"
#include "sim/memory/copy_between.h"
#include "sim/python/bindings.h"
#include "sim/python/py_device.h"
#include "sim/report/program_timeline.h"

namespace gpuloom::python {
namespace {

// Handles stay valid as long as the device; after close() they are of streams that are gone.
struct PyStream {
  PyDevice* device;
  host::Stream* stream;
  uint64_t generation;  // of the device's streams
};
struct PyEvent {
  PyDevice* device;
  host::Event* event;
  uint64_t generation;
};

// A piece of work that Python has described; the addresses of host memory are valid as long as the package
// keeps the array.
struct PyWork {
  WorkKind kind = WorkKind::kKernel;
  std::string name;
  sim::Kernel* kernel = nullptr;
  sim::LaunchRequest request;
  sim::LaunchOptions options;
  int priority = 0;
  uint64_t to = 0, from = 0, host = 0, bytes = 0;
  bool pageable = false;
  uint8_t value = 0;
};

uint8_t* host_bytes(uint64_t address) { return reinterpret_cast<uint8_t*>(address); }

std::function<void()> action_of(const PyWork& w, sim::DeviceMemory& memory) {
  switch (w.kind) {
    case WorkKind::kToDevice:
      return [&memory, w] { memory.write(w.to, host_bytes(w.host), w.bytes); };
    case WorkKind::kToHost:
      return [&memory, w] { memory.read(w.from, host_bytes(w.host), w.bytes); };
    case WorkKind::kWithin:
      return [&memory, w] { sim::copy_between(memory, w.to, memory, w.from, w.bytes); };
    default:
      return [&memory, w] { memory.fill(w.to, w.value, w.bytes); };
  }
}

size_t submit(PyDevice& device, host::StreamWork& work, host::Stream& stream, const PyWork& w) {
  if (w.kind == WorkKind::kKernel) {
    sim::LaunchOptions options = w.options;
    options.progress = device.progress();
    return work.launch(stream, w.request, options, w.priority);
  }
  host::Transfer t;
  t.kind = w.kind;
  t.pageable = w.pageable;
  t.bytes = w.bytes;
  t.to = w.to;
  t.from = w.from;
  t.name = w.name;
  if (w.kind == WorkKind::kPeer) {
    PyDevice &to = device.team().owner_of(w.to), &from = device.team().owner_of(w.from);
    t.pulled = &device == &to;
    t.staged = !to.memory_of_streams().peer_access(from.memory_of_streams());
    t.carry_out = [&there = to.memory_of_streams(), &here = from.memory_of_streams(), w] {
      sim::copy_between(there, w.to, here, w.from, w.bytes);
    };
  } else {
    t.carry_out = action_of(w, device.memory_of_streams());
  }
  return work.transfer(stream, std::move(t));
}

// Each piece is work of its device, of those on the stream's timeline.
void launch_graph(const PyStream& s, const std::string& name, const std::vector<PyWork>& pieces,
                  const std::vector<PyDevice*>& devices, const std::vector<std::vector<size_t>>& after) {
  s.device->on_streams(s.generation, [&](host::StreamWork& work) {
    host::GraphWork graph;
    graph.name = name;
    for (size_t k = 0; k < pieces.size(); ++k) {
      PyDevice& device = *devices.at(k);
      host::StreamWork& its = device.work_of_streams();
      host::GraphWork::Piece piece{after.at(k), [&device, &its, &work = pieces[k]](host::Stream& branch) {
                                     submit(device, its, branch, work);
                                   }};
      if (&its != &work) piece.by = &its;
      graph.pieces.push_back(std::move(piece));
    }
    work.launch(*s.stream, graph);
  });
}

void bind_handles(py::module_& m) {
  py::class_<PyStream>(m, "Stream")
      .def("synchronize",
           [](const PyStream& s) {
             s.device->on_streams(s.generation, [&](host::StreamWork& w) { w.synchronise(*s.stream); });
           })
      .def("done",
           [](const PyStream& s) {
             bool done = false;
             s.device->on_streams(s.generation, [&](host::StreamWork& w) { done = w.done(*s.stream); });
             return done;
           })
      .def(
          "wait",
          [](const PyStream& s, const PyEvent& e) {
            s.device->on_streams(s.generation, [&](host::StreamWork& w) { w.wait(*s.stream, *e.event); });
          },
          py::arg("event"));
  py::class_<PyEvent>(m, "Event")
      .def(
          "record",
          [](const PyEvent& e, const PyStream& s) {
            e.device->on_streams(e.generation, [&](host::StreamWork& w) { w.record(*e.event, *s.stream); });
          },
          py::arg("stream"))
      .def("synchronize",
           [](const PyEvent& e) {
             e.device->on_streams(e.generation, [&](host::StreamWork& w) { w.synchronise(*e.event); });
           })
      .def("done",
           [](const PyEvent& e) {
             bool done = false;
             e.device->on_streams(e.generation, [&](host::StreamWork& w) { done = w.done(*e.event); });
             return done;
           })
      .def("time_ns", [](const PyEvent& e) {
        std::optional<double> at;
        e.device->on_streams(e.generation, [&](host::StreamWork& w) { at = w.time_of(*e.event); });
        return at;
      });
}

PyWork copy_with_host(bool to_device, uint64_t address, uint64_t host, uint64_t bytes, bool pageable,
                      const std::string& name) {
  PyWork w;
  w.kind = to_device ? WorkKind::kToDevice : WorkKind::kToHost;
  w.to = w.from = address;
  w.host = host;
  w.bytes = bytes;
  w.pageable = pageable;
  w.name = name;
  return w;
}

void bind_work(py::module_& m) {
  py::class_<PyWork>(m, "Work").def_property_readonly("text", [](const PyWork& w) {
    return w.kind == WorkKind::kKernel ? short_name(w.request.kernel->name())
                                       : std::string(name(w.kind)) + (w.name.empty() ? "" : " " + w.name);
  });
  m.def("copy_with_host", &copy_with_host, py::arg("to_device"), py::arg("address"), py::arg("host"),
        py::arg("bytes"), py::arg("pageable"), py::arg("name"));
  m.def(
      "copy_within",
      [](uint64_t to, uint64_t from, uint64_t bytes, const std::string& name, bool between) {
        PyWork w;
        w.kind = between ? WorkKind::kPeer : WorkKind::kWithin;
        w.to = to, w.from = from, w.bytes = bytes, w.name = name;
        return w;
      },
      py::arg("to"), py::arg("source"), py::arg("bytes"), py::arg("name"), py::arg("between"));
  m.def(
      "fill",
      [](uint64_t to, uint64_t bytes, uint8_t value, const std::string& name) {
        PyWork w;
        w.kind = WorkKind::kFill;
        w.to = w.from = to, w.bytes = bytes, w.value = value, w.name = name;
        return w;
      },
      py::arg("to"), py::arg("bytes"), py::arg("value"), py::arg("name"));
  m.def(
      "launch_work",
      [](const PyKernel& k, const LaunchArguments& a, const std::vector<py::bytes>& args, int priority) {
        PyWork w;
        w.request = k.device->request(*k.kernel, a, args);
        w.options = a;
        w.options.cold_caches = false;  // launches follow each other
        w.priority = priority;
        return w;
      },
      py::arg("kernel"), py::arg("arguments"), py::arg("args"), py::arg("priority"), py::keep_alive<0, 1>());
}

void bind_records(py::module_& m) {
  py::class_<ProgramWork>(m, "ProgramWork")
      .def_property_readonly("kind", [](const ProgramWork& w) { return name(w.kind); })
      .def_readonly("name", &ProgramWork::name)
      .def_readonly("stream", &ProgramWork::stream)
      .def_readonly("graph", &ProgramWork::graph)
      .def_readonly("device", &ProgramWork::device)
      .def_readonly("begin_ns", &ProgramWork::begin_ns)
      .def_readonly("end_ns", &ProgramWork::end_ns)
      .def_readonly("bytes", &ProgramWork::bytes)
      .def_readonly("pageable", &ProgramWork::pageable)
      .def_readonly("done", &ProgramWork::done)
      .def_readonly("shared_with", &ProgramWork::shared_with);
}

}  // namespace

void bind_streams(py::module_& m, py::class_<PyDevice>& device) {
  bind_handles(m);
  bind_work(m);
  bind_records(m);
  device
      .def(
          "default_stream",
          [](PyDevice& d) {
            PyStream s{&d, nullptr, d.generation()};
            d.on_streams(s.generation, [&](host::StreamWork& w) { s.stream = &w.default_stream(); });
            return s;
          },
          py::keep_alive<0, 1>())
      .def(
          "create_stream",
          [](PyDevice& d, const std::string& name, bool non_blocking, int priority) {
            PyStream s{&d, nullptr, d.generation()};
            d.on_streams(s.generation, [&](host::StreamWork& w) {
              s.stream = &w.create_stream(name, non_blocking, priority);
            });
            return s;
          },
          py::arg("name"), py::arg("non_blocking"), py::arg("priority"), py::keep_alive<0, 1>())
      .def(
          "create_event",
          [](PyDevice& d) {
            PyEvent e{&d, nullptr, d.generation()};
            d.on_streams(e.generation, [&](host::StreamWork& w) { e.event = &w.create_event(); });
            return e;
          },
          py::keep_alive<0, 1>())
      .def(
          "submit",
          [](PyDevice& d, const PyStream& s, const PyWork& w) {
            size_t place = 0;
            d.on_streams(s.generation,
                         [&](host::StreamWork& work) { place = submit(d, work, *s.stream, w); });
            return place;
          },
          py::arg("stream"), py::arg("work"))
      .def(
          "launch_graph",
          [](PyDevice&, const PyStream& s, const std::string& name, const std::vector<PyWork>& pieces,
             const std::vector<PyDevice*>& devices, const std::vector<std::vector<size_t>>& after) {
            launch_graph(s, name, pieces, devices, after);
          },
          py::arg("stream"), py::arg("name"), py::arg("pieces"), py::arg("devices"), py::arg("after"))
      .def("synchronize",
           [](PyDevice& d) { d.on_streams(d.generation(), [](host::StreamWork& w) { w.synchronise(); }); })
      .def("now_ns",
           [](PyDevice& d) {
             double now = 0;
             d.on_streams(d.generation(), [&](host::StreamWork& w) { now = w.now_ns(); });
             return now;
           })
      .def("work_count",
           [](PyDevice& d) {
             size_t count = 0;
             d.on_streams(d.generation(), [&](host::StreamWork& w) { count = w.work().size(); });
             return count;
           })
      .def(
          "work",
          [](PyDevice& d, size_t place) {
            ProgramWork work;
            d.on_streams(d.generation(), [&](host::StreamWork& w) { work = w.work().at(place); });
            return work;
          },
          py::arg("place"))
      .def("report", &PyDevice::report_of, py::arg("place"))
      .def("program", &PyDevice::program);
}

}  // namespace gpuloom::python
