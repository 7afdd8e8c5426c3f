// SPDX-License-Identifier: Apache-2.0
// A device's primary context: the simulated GPU, its memory, what runs on it and when.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "sim/host/arrays.h"
#include "sim/host/captures.h"
#include "sim/host/conditional.h"
#include "sim/host/constant_windows.h"
#include "sim/host/copy.h"
#include "sim/host/graph.h"
#include "sim/host/interprocess.h"
#include "sim/host/launch.h"
#include "sim/host/mapping.h"
#include "sim/host/memory.h"
#include "sim/host/pool.h"
#include "sim/host/program.h"
#include "sim/host/properties.h"
#include "sim/host/record.h"
#include "sim/host/settings.h"
#include "sim/streams/device_queue.h"
#include "sim/streams/stream.h"

namespace gpuloom::host {

class Context {
 public:
  // Calls of host functions go through `call`, which lets other threads use the runtime meanwhile.
  using HostCaller = std::function<void(const std::function<void()>&)>;
  // Of the device that has this number among the settings' configurations.
  // `machine` gives the machine of one of several devices in time; empty: the device has its own.
  using MachineFn = std::function<arch::Simulation&(unsigned number)>;
  Context(const Settings& settings, unsigned number, Programs& programs, Records& records, HostClock& clock,
          HostCaller call, const MachineFn& machine = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  sim::Device& device() { return device_; }
  unsigned number() const { return device_.number(); }
  // The device's number in the machine, whatever the program sees of it.
  unsigned place() const {
    return settings_.places.empty() ? number() : static_cast<unsigned>(settings_.places[number()]);
  }
  // Another device of the program, whose memory is seen from here.
  void meet(Context& other);
  void part(Context& other);
  // Kernels of this device may touch the other's memory from here on. Throws Failure.
  void enable_peer(Context& other);
  void disable_peer(Context& other);
  // What this device's default stream does next comes after all work of the other's, or the other way round
  // (cudaMemcpyPeer).
  void come_after(Context& other);
  Memory& memory() { return memory_; }
  Arrays& arrays() { return arrays_; }
  Pools& pools() { return pools_; }
  Mappings& mappings() { return mappings_; }
  Interprocess& interprocess() { return interprocess_; }
  Captures& captures() { return captures_; }
  Conditionals& conditionals() { return conditionals_; }
  ConstantWindows& constants() { return constants_; }
  Timeline& timeline() { return timeline_; }
  Launcher& launcher() { return launcher_; }
  const Costs& costs() const { return costs_; }
  const DeviceAttributes& attributes() const { return attributes_; }

  // Work of a stream: carried out, or a node of the graph that the stream is captured into.
  void submit(Stream& stream, Operation operation);
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, Event& event);
  void launch(GraphExec& graph, Stream& stream);

  // The host waits for a stream, an event, or everything; throws Failure with the fault of a kernel. Whether
  // a capture forbids that, the caller asks Captures.
  void synchronise(Stream& stream);
  void synchronise(Event& event);
  void synchronise();
  bool done(const Stream& stream);
  bool done(const Event& event);
  // A copy or fill for which the host waits.
  void submit_and_wait(Stream& stream, const Copy& copy);
  // Memory of a pool for what the stream does from now on.
  uint64_t allocate(Stream& stream, Pool& pool, uint64_t bytes);
  // Memory of a pool is free when the stream comes to it; the owner may be another device.
  void release(Stream& stream, uint64_t address) { release(stream, address, *this); }
  void release(Stream& stream, uint64_t address, Context& owner);
  void free(uint64_t address);  // at once: memory of cudaMalloc, of a pool, of another process's pool
  // Everything submitted is carried out, the host's clock stays: before memory that may be in use is freed.
  void carry_out_all();
  // The program ends, or resets the device: what it has submitted is carried out.
  void finish();
  void wait_for_other_threads();  // that are in the machine
  // After a fault on one of several devices: nothing of what was submitted runs, and callbacks are told.
  void abandon(int status);

  // Whether the host waits for a copy without Async in its name: not for one between memories of devices.
  bool waits_for(const Copy& copy) {
    const Route route = route_of(copy);
    return route != Route::kDevice && route != Route::kPeer;
  }
  unsigned device_of(const CopySide& side) { return copier_.device_of(side); }
  Route route_of(const Copy& copy) { return copier_.check(copy); }

  // Where a registered variable is; throws Failure (kInvalidSymbol).
  sim::SymbolPlace place(Variable& variable);
  // Throws the fault of a kernel, which ends the context for the program.
  void check_fault() const;

 private:
  void free_left_over(const GraphExec& graph);
  void forget_ended();
  void collect_tickets(unsigned device, std::vector<uint64_t>& tickets);
  void carry_out(const Operation& operation, Stream& stream);
  void check_captured(const Launch& launch, Capture& capture);
  void copy(const Copy& copy, Stream& stream);
  void fill(const Fill& fill, Stream& stream);
  void call(const std::function<void()>& function, Stream& stream);
  void call_host(const std::function<void()>& function);
  void queue_callback(const HostCallback& callback, Stream& stream);
  void call_callbacks_with(int status);
  void record_in_time(Event& event, Stream& stream);
  void wait_in_time(Stream& stream, const Event& event);
  void run_nodes(const std::vector<GraphNode*>& order, Stream& stream);
  void run_conditional(const Conditional& node, Stream& stream);
  Context& of_device(unsigned device);
  void queue_nodes(const std::vector<GraphNode*>& order, Stream& stream);
  void queue_copy(const Copy& copy, Route route, Stream& stream);
  void queue_fill(const Fill& fill, Stream& stream);
  // The device whose machine carries a copy out: one of those whose memory it moves.
  Context& mover(const Copy& copy, Route route);
  bool staged_copy(const Copy& copy) const;

  std::vector<Context*> others_;
  const Settings& settings_;
  Programs& programs_;
  Records& records_;
  HostCaller call_;
  Launcher* printer_ = nullptr;  // takes what kernels print
  sim::Device device_;
  Costs costs_;
  DeviceAttributes attributes_;
  Timeline timeline_;
  Memory memory_;
  Arrays arrays_;
  Pools pools_;
  Mappings mappings_;
  Interprocess interprocess_;
  Captures captures_;
  Conditionals conditionals_;
  ConstantWindows constants_;
  Copier copier_;
  Launcher launcher_;
  std::unique_ptr<DeviceQueue> queue_;          // in timed runs
  std::map<uint64_t, HostCallback> callbacks_;  // in their order, whose turn has not come
  uint64_t next_callback_ = 0;
  std::map<const WorkElsewhere*, std::weak_ptr<WorkElsewhere>> graph_ends_;  // of graphs launched here
};

}  // namespace gpuloom::host
