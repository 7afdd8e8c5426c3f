// SPDX-License-Identifier: Apache-2.0
// A step between PTX and what runs, as a table lists it (pipeline.cpp, ptx/machine/lower.cpp); which steps
// run, and who looks at what each leaves.
#pragma once
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom::ptx {

// What a pass leaves behind. Made on demand: without a watcher it costs nothing.
class PassResult {
 public:
  virtual ~PassResult() = default;
  virtual std::string listing() const = 0;
  // What cannot be, a sentence each; empty where all is well.
  virtual std::vector<std::string> problems() const = 0;
};

class PassWatcher {
 public:
  virtual ~PassWatcher() = default;
  virtual void begins(std::string_view) {}
  virtual void ends(std::string_view pass, const PassResult& result) = 0;
};

// Which passes run. One may stand in a table more than once: a name means all of them.
struct PassControl {
  std::set<std::string, std::less<>> off;
  std::vector<PassWatcher*> watchers;  // outlive the passes
  bool runs(std::string_view pass) const { return !off.contains(pass); }
  void set(std::string_view pass, bool on) {
    if (on)
      off.erase(std::string(pass));
    else
      off.emplace(pass);
  }
};

enum class PassKind : uint8_t {
  kRequired,     // what comes behind it needs it
  kOptional,     // time alone follows from it
  kChangesBits,  // optional, and results may differ in their last bits without it, as nvcc -fmad=false's do
};

struct PassInfo {
  std::string_view name, what;
  PassKind kind = PassKind::kOptional;
};

template <class State>
struct Pass {
  PassInfo info;
  void (*run)(State&);
  bool (*applies)(const State&) = nullptr;  // null: always
};

// Runs a table. `result_of(state)` gives what watchers see.
template <class State, class ResultOf>
void run_passes(std::span<const Pass<State>> passes, State& state, const PassControl& control,
                ResultOf result_of) {
  for (const Pass<State>& pass : passes) {
    if (pass.info.kind != PassKind::kRequired && !control.runs(pass.info.name)) continue;
    if (pass.applies != nullptr && !pass.applies(state)) continue;
    for (PassWatcher* w : control.watchers) w->begins(pass.info.name);
    pass.run(state);
    if (control.watchers.empty()) continue;
    const auto result = result_of(state);
    for (PassWatcher* w : control.watchers) w->ends(pass.info.name, result);
  }
}

}  // namespace gpuloom::ptx
