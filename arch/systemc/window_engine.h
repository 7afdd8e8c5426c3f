// SPDX-License-Identifier: Apache-2.0
// Time in windows (README.md here): units run W cycles alone, then what they sent is served in one
// order.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gpuloom {
class ThreadPool;
}

namespace gpuloom::sim {

using Cycle = uint64_t;
constexpr Cycle kNever = UINT64_MAX;

// What a unit is to run: the cycles [begin, end), and on, at most to `limit`, as long as nothing can arrive
// for it that it does not know of: what it sends at cycle c is answered no earlier than c + (end - begin).
// Where many threads run units, a window is run in two parts, so that what is sent in the first is served
// while units run the second: nothing of it reaches them before the window's end.
enum class WindowPart : uint8_t { kWhole, kFirst, kSecond };
struct Window {
  Cycle begin, end, limit;
  unsigned thread;   // of the pool that runs it, from 0
  Cycle length = 0;  // of the whole window, where this is a part
  WindowPart part = WindowPart::kWhole;
};

// Something that runs a window on private state, on any host thread (an SM). It must not touch other units or
// SystemC.
class WindowUnit {
 public:
  virtual ~WindowUnit() = default;
  // The earliest cycle in which it has something to do; kNever: not before something arrives for it.
  virtual Cycle next_cycle() const = 0;
  // As far as it could run in windows of this length: beyond it something may arrive that it does not know
  // of.
  virtual Cycle horizon([[maybe_unused]] Cycle window) const { return 0; }
  virtual void run_window(const Window& window) = 0;
};

// What lies between the units: it moves what they sent during a window, alone and in an order that does not
// depend on threads. It takes what was sent before `end`, even if a unit has run on; what it delivers must
// not take effect before `end`, nor less than a window after what it answers.
class WindowService {
 public:
  virtual ~WindowService() = default;
  virtual Cycle next_cycle() const = 0;  // of its own
  virtual void serve(Cycle end) = 0;
  // Called before each serve(). Not 0: units may go on to the next window while this one is served, each once
  // all that it sent has been; nothing else that serving does reaches them, nothing takes effect and nothing
  // that was sent waits before this cycle, and finished() stays false.
  virtual Cycle gather([[maybe_unused]] Cycle begin, [[maybe_unused]] Cycle end) { return 0; }
  // In place of serve() then: tells of each unit, by its number, when nothing more comes for it, and does not
  // touch it any more.
  virtual void serve_overlapped([[maybe_unused]] Cycle end,
                                [[maybe_unused]] const std::function<void(size_t)>& release) {}
  // Nobody runs, and units have run the first part of a window, up to `middle`. True: what they have sent
  // before it is served by serve_first() while they run the second part; that touches nothing of a unit that
  // it looks at there, and gather() and serve() leave it out.
  virtual bool gather_first([[maybe_unused]] Cycle begin, [[maybe_unused]] Cycle middle) { return false; }
  virtual void serve_first([[maybe_unused]] Cycle end) {}
  // Nobody runs, and all before `end` is served.
  virtual void settle([[maybe_unused]] Cycle end) {}
  virtual bool finished() const = 0;
  // False: a unit may run to the window's end only, for something that it does not know of may reach it.
  virtual bool may_run_ahead() const { return true; }
  // Nobody has anything to do, and it is not finished(): must throw an Error that says who waits for what.
  virtual void stuck(Cycle now) = 0;
};

struct WindowEngineConfig {
  double clock_hz = 0;
  Cycle window = 0;    // W, at least 1
  Cycle ahead = 0;     // cycles beyond a window's end that a unit may run
  bool parts = false;  // units know parts of windows
};

// One SystemC process: it fires once a window and advances SystemC's time from window to window, over all
// cycles in which everybody sleeps. Needs a Context that is alive; destroy it before the Context.
class WindowEngine {
 public:
  WindowEngine(const char* name, const WindowEngineConfig& config, std::vector<WindowUnit*> units,
               WindowService* service, ThreadPool* pool);
  ~WindowEngine();
  // Runs windows until the service is finished, on the pool's threads or, where units may not run side by
  // side, on this one alone; rethrows what units or the service throw. Can be called again.
  void run(bool alone = false);
  // Begin of the next window.
  Cycle now() const;
  // Lets idle time pass; nobody may have anything to do before `cycle`.
  void skip_to(Cycle cycle);
  uint64_t windows() const;

 private:
  class Process;
  std::unique_ptr<Process> process_;
};

}  // namespace gpuloom::sim
