// SPDX-License-Identifier: Apache-2.0
#include "sim/host/context.h"

#include <algorithm>
#include <thread>

#include "base/error.h"
#include "sim/api/trace_file.h"
#include "sim/host/status.h"

namespace gpuloom::host {
namespace {

sim::DeviceOptions device_options(const Settings& s, unsigned number, Launcher** launcher,
                                  const Context::MachineFn& machine) {
  sim::DeviceOptions o;
  o.config = s.configs[number];
  o.share = {number, static_cast<unsigned>(s.configs.size())};
  o.machine = machine;
  o.overrides = s.overrides;
  o.mode = s.timed ? sim::Mode::kTimed : sim::Mode::kFunctional;
  o.contract = s.contract;
  o.use_threads(s.threads);
  o.trace = sim::trace_request({s.trace, {}});
  o.placement = sim::HostPlacement::kSameAddress;
  o.bounds = s.bounds;
  o.lowering_cache = s.cache;
  o.error_text = [](int error, bool name) -> std::string {
    return name ? status_name(error) : status_text(error);
  };
  o.print = [launcher](const std::string& text) { (*launcher)->print(text); };
  return o;
}

Engine engine_of(Route route) {
  switch (route) {
    case Route::kToDevice:
    case Route::kPageableToDevice:
      return Engine::kToDevice;
    case Route::kFromDevice:
    case Route::kPageableFromDevice:
      return Engine::kFromDevice;
    case Route::kDevice:
      return Engine::kCompute;
    case Route::kPeer:
      return Engine::kPeer;
    case Route::kHost:
      break;
  }
  return Engine::kNone;
}

}  // namespace

Context::Context(const Settings& settings, unsigned number, Programs& programs, Records& records,
                 HostClock& clock, HostCaller call, const MachineFn& machine)
    : settings_(settings),
      programs_(programs),
      records_(records),
      call_(std::move(call)),
      device_(device_options(settings, number, &printer_, machine)),
      costs_(device_.config()),
      attributes_(device_.gpu(), costs_, place()),
      timeline_(costs_, clock, number),
      memory_(device_.memory(), number),
      arrays_(device_.memory()),
      pools_(memory_),
      mappings_(memory_),
      interprocess_(memory_),
      conditionals_(memory_),
      copier_(memory_, [this](uint64_t& address) { return constants_.owner(address); }),
      launcher_(device_, settings, timeline_, records) {
  printer_ = &launcher_;
  if (settings.timed) {
    queue_ = std::make_unique<DeviceQueue>(
        device_, costs_, timeline_,
        [this](const Error& error) {
          launcher_.failed(error);
          call_callbacks_with(launcher_.fault());
        },
        [this] { call_([] { std::this_thread::yield(); }); });
    launcher_.run_on(*queue_);
    memory_.before_free([this] { queue_->carry_out_all(); });
  }
  for (const auto& image : programs_.images()) {
    if (image->managed.empty()) continue;
    if (settings.configs.size() > 1)
      throw Error(ErrorKind::kUnsupported, "__managed__ variables of a program with several GPUs", {},
                  "allocate with cudaMallocManaged, or run on one GPU");
    image->load(device_);
  }
}

void Context::check_fault() const {
  if (launcher_.fault() != 0) throw Failure(static_cast<Status>(launcher_.fault()));
}

void Context::submit(Stream& stream, Operation operation) {
  if (stream.capture != nullptr) {
    if (const auto* c = std::get_if<Copy>(&operation)) copier_.check(*c);
    if (const auto* f = std::get_if<Fill>(&operation)) copier_.check(*f);
    if (const auto* l = std::get_if<Launch>(&operation)) check_captured(*l, *stream.capture);
    stream.capture->add(stream, std::move(operation));
    return;
  }
  if (stream.legacy) captures_.forbid_legacy();
  forget_ended();
  carry_out(operation, stream);
}

void Context::carry_out(const Operation& operation, Stream& stream) {
  // Nothing runs after a fault but callbacks, which are told of it; the program hears of it when it waits.
  if (launcher_.fault() != 0) {
    if (const auto* h = std::get_if<HostCallback>(&operation))
      call_host([&] { h->function(h->stream, launcher_.fault(), h->data); });
    return;
  }
  struct Visitor {
    Context& c;
    Stream& stream;
    void operator()(const Nothing&) const {}
    void operator()(const Launch& launch) const { c.launcher_.run(launch, stream); }
    void operator()(const Copy& copy) const { c.copy(copy, stream); }
    void operator()(const Fill& fill) const { c.fill(fill, stream); }
    void operator()(const HostCall& h) const {
      if (c.queue_ != nullptr) {
        c.queue_->call(stream, [&c = c, h](Time) { c.call_host([&] { h.function(h.data); }); });
        return;
      }
      c.call([&] { h.function(h.data); }, stream);
    }
    void operator()(const HostCallback& h) const {
      if (c.queue_ != nullptr) return c.queue_callback(h, stream);
      c.call([&] { h.function(h.stream, c.launcher_.fault(), h.data); }, stream);
    }
    void operator()(const ChildGraph& child) const { c.run_nodes(child.graph->order(), stream); }
    void operator()(const EventRecord& r) const { c.record_in_time(*r.event, stream); }
    void operator()(const EventWait& w) const { c.wait_in_time(stream, *w.event); }
    void operator()(const Allocate& a) const { c.pools_.take_for_graph(a.address); }
    void operator()(const Release& r) const { c.release(stream, r.address); }
    void operator()(const Conditional& node) const { c.run_conditional(node, stream); }
  };
  std::visit(Visitor{*this, stream}, operation);
}

void Context::copy(const Copy& copy, Stream& stream) {
  const Route route = copier_.check(copy);
  if (queue_) return queue_copy(copy, route, stream);
  copier_.run(copy);
  const uint64_t bytes = copy.width * copy.height * copy.depth;
  const Engine engine = engine_of(route);
  const Time start = timeline_.ready(stream, engine);
  const Time took = bytes == 0              ? 0
                    : route == Route::kPeer ? costs_.of_peer_copy(bytes, staged_copy(copy))
                                            : costs_.of_copy(route, bytes);
  const Time end = timeline_.occupy(stream, engine, start, took);
  if (route == Route::kPageableFromDevice) timeline_.advance(end);  // the call returns with the data
  if (engine == Engine::kNone || bytes == 0) return;
  records_.add(engine == Engine::kToDevice     ? Moved::kToDevice
               : engine == Engine::kFromDevice ? Moved::kFromDevice
               : engine == Engine::kPeer       ? Moved::kPeer
                                               : Moved::kDevice,
               bytes, took);
}

void Context::fill(const Fill& fill, Stream& stream) {
  copier_.check(fill);
  const uint64_t bytes = fill.width * fill.element * fill.height * fill.depth;
  if (bytes == 0) return;
  if (queue_) return queue_fill(fill, stream);
  copier_.run(fill);
  const Time took = costs_.of_fill(bytes);
  timeline_.occupy(stream, Engine::kCompute, timeline_.ready(stream, Engine::kCompute), took);
  records_.add(Moved::kFilled, bytes, took);
}

void Context::call(const std::function<void()>& function, Stream& stream) {
  timeline_.occupy(stream, Engine::kNone, timeline_.ready(stream, Engine::kNone), 0);
  call_host(function);
}

void Context::call_host(const std::function<void()>& function) {
  launcher_.flush_printed();
  call_(function);
}

void Context::record_in_time(Event& event, Stream& stream) {
  if (queue_)
    queue_->record(event, stream);
  else
    timeline_.record(event, stream);
}

void Context::wait_in_time(Stream& stream, const Event& event) {
  if (queue_)
    queue_->wait(stream, event);
  else
    timeline_.wait(stream, event);
}

void Context::release(Stream& stream, uint64_t address, Context& owner) {
  if (&owner != this) {
    if (!queue_) return owner.free(address);
    queue_->call(stream, [&owner, address](Time) { owner.free(address); });
    return;
  }
  LetGo block;
  block.address = address;
  block.stream = stream.id;
  block.at = timeline_.end_of(stream);
  block.pending = queue_ != nullptr;
  const uint64_t number = pools_.let_go(block);
  if (!queue_) {
    if (number == 0) free(address);
    return;
  }
  const uint64_t ticket = queue_->call(
      stream, [this, address, number](Time) { number != 0 ? pools_.free_let_go(number) : free(address); });
  if (number != 0) pools_.newest_let_go().ticket = ticket;
}

void Context::free(uint64_t address) {
  if (interprocess_.holds(address))
    interprocess_.close(address);
  else
    pools_.free(address);
}

// CUDA runtime API, cudaMemPoolAttr: in the stream that let it go; where that is done; where this stream
// comes after it; or by a dependence that the runtime puts in.
uint64_t Context::allocate(Stream& stream, Pool& pool, uint64_t bytes) {
  return pools_.allocate(pool, bytes, [&](const LetGo& b) {
    if (b.stream == stream.id) return true;
    if (queue_) {
      if (pool.reuse_opportunistic != 0 && queue_->ended_by_now(b.ticket)) return true;
      if (pool.reuse_internal != 0) stream.after.push_back(b.ticket);
      return pool.reuse_internal != 0;
    }
    if (pool.reuse_opportunistic != 0 && b.at <= timeline_.now()) return true;
    if (pool.reuse_event != 0 && b.at <= timeline_.end_of(stream)) return true;
    if (pool.reuse_internal != 0) timeline_.occupy(stream, Engine::kNone, b.at, 0);
    return pool.reuse_internal != 0;
  });
}

void Context::finish() {
  try {
    if (queue_) queue_->synchronise();
  } catch (const Failure&) {  // nobody is left to hear of it
  }
  launcher_.flush_printed();
  launcher_.finish();
  timeline_.synchronise();
}

void Context::wait_for_other_threads() {
  if (queue_) queue_->wait_for_others();
}

void Context::abandon(int status) {
  if (!queue_) return;
  queue_->abandon();
  call_callbacks_with(status);
}

void Context::carry_out_all() {
  if (queue_) queue_->carry_out_all();
}

void Context::synchronise(Stream& stream) {
  if (queue_) queue_->synchronise(stream);
  launcher_.flush_printed();
  timeline_.synchronise(stream);
  pools_.give_back();
  check_fault();
}

void Context::synchronise(Event& event) {
  if (queue_) queue_->synchronise(event);
  launcher_.flush_printed();
  if (!queue_) timeline_.synchronise(event);
  pools_.give_back();
  check_fault();
}

void Context::synchronise() {
  if (queue_) queue_->synchronise();
  launcher_.flush_printed();
  timeline_.synchronise();
  pools_.give_back();
  conditionals_.free_unused();
  check_fault();
}

bool Context::done(const Stream& stream) {
  const bool ended = !queue_ || queue_->query(stream);
  launcher_.flush_printed();
  check_fault();
  return queue_ ? ended : timeline_.query(timeline_.end_of(stream));
}

bool Context::done(const Event& event) {
  const bool ended = !queue_ || queue_->query(event);
  launcher_.flush_printed();
  check_fault();
  return queue_ ? ended : !event.recorded || timeline_.query(event.at);
}

void Context::submit_and_wait(Stream& stream, const Copy& copy) {
  submit(stream, copy);
  synchronise(stream);
}

sim::SymbolPlace Context::place(Variable& variable) {
  require(variable.image != nullptr, Status::kInvalidSymbol);
  sim::LoadedModule& module = variable.image->load(device_);
  require(module.symbol(variable.name).address != 0, Status::kInvalidSymbol);
  return constants_.place(module, variable.name);
}

}  // namespace gpuloom::host
