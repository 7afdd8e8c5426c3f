// SPDX-License-Identifier: Apache-2.0
#include "sim/api/sweep/sweep_run.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <unordered_set>

#include "base/version.h"
#include "sim/api/process_pool.h"
#include "sim/api/sweep/sweep_remote.h"

namespace gpuloom::sim {
namespace {

// Counts the states of the points and reports what changes.
class Watcher {
 public:
  Watcher(const SweepStore& store, const SweepRunOptions& options)
      : store_(store), options_(options), manifest_(store.manifest()) {}

  // The points to run, each once; forgets how they failed.
  std::vector<std::string> begin() {
    std::vector<std::string> ids;
    std::unordered_set<std::string> seen;
    const std::vector<PointState> states = store_.states(manifest_);
    for (size_t i = 0; i < states.size(); ++i) {
      const std::string& id = manifest_.points[i].id;
      if (states[i] == PointState::kDone) ++done_before_;
      const bool failed_before = states[i] == PointState::kFailed && !options_.retry_failed;
      if (failed_before) reported_.insert(id);
      if (states[i] == PointState::kDone || failed_before || !seen.insert(id).second) continue;
      store_.forget_failure(id);
      ids.push_back(id);
    }
    return ids;
  }

  void look() {
    SweepProgress p;
    p.points = manifest_.points.size();
    const std::vector<PointState> states = store_.states(manifest_);
    for (size_t i = 0; i < states.size(); ++i) {
      p.done += states[i] == PointState::kDone;
      p.failed += states[i] == PointState::kFailed;
      p.running += states[i] == PointState::kRunning;
      if (states[i] == PointState::kFailed && reported_.insert(manifest_.points[i].id).second &&
          options_.failed)
        if (const auto failure = store_.failure(manifest_.points[i].id))
          options_.failed(manifest_.points[i], *failure);
    }
    p.done_now = p.done - done_before_;
    if (options_.progress) options_.progress(p);
  }

  std::vector<std::string> still_left(const std::vector<std::string>& ids) const {
    std::vector<std::string> left;
    for (const std::string& id : ids) {
      const PointState state = store_.state(id);
      if (state == PointState::kPending || state == PointState::kRunning) left.push_back(id);
    }
    return left;
  }

  SweepSummary summary() const {
    SweepSummary s;
    s.points = manifest_.points.size();
    s.done_before = done_before_;
    const std::vector<PointState> states = store_.states(manifest_);
    for (size_t i = 0; i < states.size(); ++i) {
      s.done += states[i] == PointState::kDone;
      s.failed += states[i] == PointState::kFailed;
      if (states[i] == PointState::kFailed && s.exit_code == 0)
        s.exit_code = store_.failure(manifest_.points[i].id)->exit_code;
    }
    s.left = s.points - s.done - s.failed;
    if (s.left != 0 && s.exit_code == 0) s.exit_code = static_cast<int>(ErrorKind::kProgram);
    return s;
  }

 private:
  const SweepStore& store_;
  const SweepRunOptions& options_;
  SweepManifest manifest_;
  size_t done_before_ = 0;
  std::unordered_set<std::string> reported_;
};

// Looks at the directory a few times a second, less often where that takes long.
class Pace {
 public:
  Pace(Watcher& watcher, const std::function<bool()>& go_on) : watcher_(watcher), go_on_(go_on) {}
  // Whether to go on.
  bool tick() {
    if (go_on_ && !go_on_()) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return true;
    watcher_.look();
    const auto end = std::chrono::steady_clock::now();
    next_ =
        end + std::max<std::chrono::steady_clock::duration>(std::chrono::milliseconds(200), 10 * (end - now));
    return true;
  }

 private:
  Watcher& watcher_;
  const std::function<bool()>& go_on_;
  std::chrono::steady_clock::time_point next_{};
};

void run_local(const SweepStore& store, const SweepRunOptions& options, std::vector<std::string> ids,
               Watcher& watcher) {
  Pace pace(watcher, options.go_on);
  // Who is killed from outside (out of memory, a batch system) is started again, but not for ever.
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts && !ids.empty(); ++attempt) {
    if (attempt != 0 && options.note)
      options.note(fmt::format("{} {} killed from outside: starting again", ids.size(),
                               ids.size() == 1 ? "point was" : "points were"));
    std::vector<ProcessJob> jobs;
    for (const std::string& id : ids) {
      jobs.push_back({{own_program(), "sweep", "point", store.directory(), id, "--quiet", "--timeout",
                       fmt::format("{}", options.timeout_seconds)},
                      "/dev/null"});
    }
    run_processes(jobs, options.jobs, 0, {}, [&] { return pace.tick(); });
    if (options.go_on && !options.go_on()) return;
    ids = watcher.still_left(ids);
  }
}

}  // namespace

SweepSummary run_sweep(const SweepStore& store, const SweepRunOptions& options) {
  const SweepManifest planned = store.manifest();
  if (planned.sources != source_digest())
    throw Error(ErrorKind::kInput,
                fmt::format("'{}' was planned for another build of gpuloom (sources {}, this one has {})",
                            store.directory(), planned.sources, source_digest()),
                {},
                fmt::format("gpuloom sweep run {} -d {} plans it for this one; what is done stays as well",
                            planned.file, store.directory()));
  Watcher watcher(store, options);
  std::vector<std::string> ids = watcher.begin();
  watcher.look();
  if (!ids.empty() && options.backend == SweepBackend::kLocal) {
    run_local(store, options, std::move(ids), watcher);
  } else if (!ids.empty()) {
    Pace pace(watcher, options.go_on);
    const auto tick = [&] { return pace.tick(); };
    const auto left = [&] { return watcher.still_left(ids).size(); };
    if (options.backend == SweepBackend::kDask) {
      run_on_dask(store, options, ids, tick);
    } else {
      run_on_slurm(store, options, ids, tick, left);
    }
  }
  watcher.look();
  return watcher.summary();
}

}  // namespace gpuloom::sim
