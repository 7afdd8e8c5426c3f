// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "arch/systemc/context.h"
#include "arch/systemc/memory_socket.h"
#include "arch/systemc/window_engine.h"
#include "base/error.h"
#include "base/parallel.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

// Counts in private until told that another unit's count has arrived.
struct Counter : WindowUnit {
  Cycle next = 0;
  uint64_t seen = 0, sent = 0, received = 0;
  Cycle next_cycle() const override { return next; }
  void run_window(const Window& window) override {
    for (Cycle c = std::max(window.begin, next); c < window.end; ++c) seen = seen * 31 + c + received;
    ++sent;
    next = window.part == WindowPart::kFirst ? window.end : kNever;
  }
};

// Passes each unit's count to its neighbour, 100 cycles later.
struct Ring : WindowService {
  std::vector<std::unique_ptr<Counter>> units;
  unsigned rounds = 0, limit = 20;
  bool forget = false;
  Cycle next_cycle() const override { return kNever; }
  void serve(Cycle end) override {
    if (forget) return;
    ++rounds;
    for (size_t i = 0; i < units.size(); ++i) {
      units[(i + 1) % units.size()]->received += units[i]->seen % 1000;
      units[i]->next = end + 100;
    }
  }
  bool finished() const override { return rounds >= limit; }
  void stuck(Cycle now) override { throw Error(ErrorKind::kProgram, "stuck at " + std::to_string(now)); }
};

uint64_t run_ring(unsigned threads, Cycle* end = nullptr) {
  Context context;
  Ring ring;
  std::vector<WindowUnit*> units;
  for (int i = 0; i < 16; ++i) {
    ring.units.push_back(std::make_unique<Counter>());
    units.push_back(ring.units.back().get());
  }
  ThreadPool pool(threads);
  WindowEngine engine("engine", {1.98e9, 32, 0, true}, units, &ring, &pool);
  engine.run();
  if (end) *end = engine.now();
  uint64_t sum = 0;
  for (auto& unit : ring.units) sum = sum * 1000003 + unit->seen;
  return sum;
}

// A plain TLM-2.0 memory that knows nothing of us: 50 ns a call.
struct ForeignMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<ForeignMemory> socket;
  uint64_t calls = 0, bytes = 0;
  explicit ForeignMemory(const ModuleName& name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &ForeignMemory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++calls;
    bytes += payload.get_data_length();
    delay += sc_core::sc_time(50, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Sender : Module {
  MemoryInitiator out;
  Sender(const ModuleName& name, double hz) : Module(name), out("out", hz) {}
};

struct FixedMemory : MemoryTarget {
  explicit FixedMemory(const ModuleName& name) : MemoryTarget(name, 1e9) {}
  std::vector<MemoryRequest> seen;
  void access(MemoryRequest& request) override {
    seen.push_back(request);
    request.time += 7;
  }
};

// Calls sockets after elaboration, as the window engine does.
struct Once : WindowService {
  std::function<void()> action;
  bool done = false;
  Cycle next_cycle() const override { return 0; }
  void serve(Cycle) override {
    action();
    done = true;
  }
  bool finished() const override { return done; }
  void stuck(Cycle) override {}
};

}  // namespace

TEST_CASE("A thousand simulations in one process give the same result", "[kernel]") {
  Cycle first_end = 0;
  const uint64_t first = run_ring(1, &first_end);
  for (int i = 0; i < 1000; ++i) {
    Cycle end = 0;
    REQUIRE(run_ring(1, &end) == first);
    REQUIRE(end == first_end);
  }
}

TEST_CASE("Windows give the same result on one and on several threads", "[kernel]") {
  REQUIRE(run_ring(1) == run_ring(2));
  REQUIRE(run_ring(1) == run_ring(4));
}

TEST_CASE("Windows that many threads run in two parts give the same result", "[kernel]") {
  REQUIRE(run_ring(1) == run_ring(8));
}

TEST_CASE("The first unit's error is told of, whichever part of a window it comes in", "[kernel]") {
  struct Failing : WindowUnit {
    WindowPart part = WindowPart::kFirst;
    std::string text;
    Cycle next_cycle() const override { return 0; }
    void run_window(const Window& window) override {
      if (window.part == part) throw Error(ErrorKind::kProgram, text);
    }
  };
  Context context;
  Ring ring;
  Failing late, early;
  late.part = WindowPart::kSecond;
  late.text = "late";
  early.text = "early";
  ThreadPool pool(8);
  WindowEngine engine("engine", {1e9, 32, 0, true}, {&late, &early}, &ring, &pool);
  REQUIRE_THROWS_WITH(engine.run(), "late");
}

TEST_CASE("Windows skip the cycles in which everybody sleeps", "[kernel]") {
  Cycle end = 0;
  run_ring(1, &end);
  REQUIRE(end == 19 * 132 + 32);  // 20 windows of 32 cycles, 100 idle cycles between them
}

TEST_CASE("A second simulation while one is alive is refused", "[kernel]") {
  Context context;
  REQUIRE_THROWS_AS(Context(), Error);
}

TEST_CASE("When nobody can go on, the service names the reason", "[kernel]") {
  Context context;
  Ring ring;
  ring.forget = true;
  ring.units.push_back(std::make_unique<Counter>());
  ThreadPool alone(1);
  WindowEngine engine("engine", {1e9, 32}, {ring.units[0].get()}, &ring, &alone);
  REQUIRE_THROWS_WITH(engine.run(), "stuck at 32");
}

TEST_CASE("A request crosses a socket unchanged and comes back with its completion", "[kernel]") {
  Context context;
  FixedMemory memory("memory");
  Sender sender("sender", 1e9);
  sender.out.socket.bind(memory.socket);
  MemoryRequest request;
  Once once;
  once.action = [&] {
    request.line = 0x1280;
    request.sectors = 0b0110;
    request.time = 1000;
    sender.out.send(request);
  };
  ThreadPool alone(1);
  WindowEngine engine("engine", {1e9, 1}, {}, &once, &alone);
  engine.run();
  REQUIRE(request.time == 1007);
  REQUIRE(memory.seen.size() == 1);
  REQUIRE(memory.seen[0].line == 0x1280);
}

TEST_CASE("Any TLM-2.0 memory can be bound in place of ours", "[kernel]") {
  Context context;
  ForeignMemory memory("memory");
  Sender sender("sender", 2e9);
  sender.out.socket.bind(memory.socket);
  MemoryRequest request;
  Once once;
  once.action = [&] {
    request.line = 0x1000;
    request.sectors = 0b0110;
    request.time = 1000;
    sender.out.send(request);
  };
  ThreadPool alone(1);
  WindowEngine engine("engine", {2e9, 1}, {}, &once, &alone);
  engine.run();
  REQUIRE(request.time == 1100);  // 50 ns at 2 GHz
  REQUIRE(memory.bytes == 64);    // the two sectors in the middle of the line
}
