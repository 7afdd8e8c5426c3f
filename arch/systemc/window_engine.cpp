// SPDX-License-Identifier: Apache-2.0
#include "arch/systemc/window_engine.h"

#include <algorithm>
#include <exception>
#include <systemc>
#include <utility>

#include "arch/systemc/clock.h"
#include "arch/systemc/context.h"
#include "base/parallel.h"

namespace gpuloom::sim {
namespace {

// From so many threads on, serving takes longer than what a unit loses when it runs a window in two parts.
constexpr unsigned kPartsThreads = 6;
// With so many threads units run on by a fourth only: those that may run far hold up the others at the
// window's end (16 cores, sgemm_64x64 of 2048^3, million warp instructions a second with 2048, 1024 and 512
// cycles: 19, 25 and 30; one thread 2.8).
constexpr Cycle kShareAhead = 4;
// The second part: as long as many threads need while one serves what was sent in the first.
constexpr Cycle kSecondPart = 4;  // a fourth

}  // namespace

class WindowEngine::Process : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Process);
  Process(const sc_core::sc_module_name& name, const WindowEngineConfig& config,
          std::vector<WindowUnit*> units, WindowService* service, ThreadPool* pool)
      : sc_module(name),
        clock_(config.clock_hz),
        window_(std::max<Cycle>(config.window, 1)),
        most_ahead_(pool->threads() >= kPartsThreads ? config.ahead / kShareAhead : config.ahead),
        parts_(config.parts && pool->threads() >= kPartsThreads && config.window >= kSecondPart),
        units_(std::move(units)),
        service_(service),
        pool_(pool) {
    awake_.reserve(units_.size());
    errors_.resize(units_.size());
    SC_METHOD(step);
    sensitive << start_;
    dont_initialize();
  }

  void run(bool alone) {
    alone_ = alone;
    begun_ = false;
    error_ = nullptr;
    start_.notify(sc_core::SC_ZERO_TIME);
    run_context();
    if (error_) std::rethrow_exception(error_);
  }

  Cycle now() const { return now_; }
  void skip_to(Cycle cycle) { now_ = std::max(now_, cycle); }
  uint64_t windows() const { return windows_; }

 private:
  // Fires at the beginning of a window. Exceptions are carried out by hand: SystemC would wrap them in its
  // own report.
  void step() {
    try {
      if (!begun_) {
        if (service_->finished()) return;
        begin_ = next_window();
        if (begin_ == kNever) {
          service_->stuck(now_);
          return;
        }
        run_units(begin_, begin_ + window_);
      }
      const Cycle begin = begin_, end = begin + window_;
      const Cycle answered = service_->gather(begin, end);
      begun_ = answered != 0;
      if (begun_)
        serve_and_run(end, answered);
      else
        service_->serve(end);
      service_->settle(end);
      ++windows_;
      now_ = end;
      if (begun_)
        wake_at(begin_);
      else if (!service_->finished())
        wake_at(std::max(now_, next_window()));
    } catch (...) {
      begun_ = false;
      error_ = std::current_exception();
    }
  }

  Cycle next_window() const {
    Cycle next = service_->next_cycle();
    for (const WindowUnit* unit : units_) next = std::min(next, unit->next_cycle());
    return next == kNever ? kNever : std::max(next, now_);
  }

  // Those who have something to do in the window, and those further on who can run a good way: the more run
  // at once, the better they spread over threads.
  bool runs(const WindowUnit& unit, Cycle end) const {
    const Cycle next = unit.next_cycle();
    return next < end || (next < end + ahead_ / 2 && next + ahead_ / 4 < unit.horizon(window_));
  }

  Cycle middle(Cycle begin) const { return begin + window_ - window_ / kSecondPart; }

  // What a unit throws is kept until all have run the second part: which error is told of does not hang on
  // parts.
  auto first_part(Cycle begin) {
    return [this, begin](size_t i, unsigned thread) {
      const Cycle end = middle(begin);
      try {
        units_[i]->run_window({begin, end, end, thread, window_, WindowPart::kFirst});
      } catch (...) {
        errors_[i] = std::current_exception();
      }
    };
  }

  void run_units(Cycle begin, Cycle end) {
    ahead_ = service_->may_run_ahead() ? most_ahead_ : 0;
    awake_.clear();
    for (size_t i = 0; i < units_.size(); ++i)
      if (runs(*units_[i], end)) awake_.push_back(i);
    const auto run = [&](size_t i, unsigned thread) {
      units_[awake_[i]]->run_window({begin, end, end + ahead_, thread});
    };
    if (alone_) {
      for (size_t i = 0; i < awake_.size(); ++i) run(i, 0);
    } else if (parts_) {
      const auto all = [this](auto&& take) {
        for (const size_t i : awake_) take(i);
      };
      pool_->for_each_given(units_.size(), all, first_part(begin));
      run_second_part(begin);
    } else {
      pool_->for_each_index(awake_.size(), run);
    }
  }

  // Those that have run the first part, the last ones first: their state is still in the caches.
  void run_second_part(Cycle begin) {
    const Cycle end = begin + window_;
    const bool serves = service_->gather_first(begin, middle(begin));
    const auto give = [&](auto&& take) {
      for (size_t k = awake_.size(); k-- > 0;) take(awake_[k]);
      if (serves) service_->serve_first(end);
    };
    pool_->for_each_given(units_.size(), give, [&](size_t i, unsigned thread) {
      if (errors_[i]) std::rethrow_exception(std::exchange(errors_[i], nullptr));
      units_[i]->run_window({middle(begin), end, end + ahead_, thread, window_, WindowPart::kSecond});
    });
  }

  // Serves a window while units that are through with it run the next one already, which begins where the
  // first of them may have something to do. The same windows whatever the number of threads.
  void serve_and_run(Cycle end, Cycle answered) {
    Cycle next = answered;
    for (const WindowUnit* unit : units_) next = std::min(next, unit->next_cycle());
    begin_ = next = std::max(next, end);
    const auto run = [&](size_t i, unsigned thread) {
      units_[i]->run_window({next, next + window_, next + window_ + ahead_, thread});
    };
    const auto serve = [&](auto&& take) {
      service_->serve_overlapped(end, [&](size_t i) {
        if (runs(*units_[i], next + window_)) take(i);
      });
    };
    awake_.clear();
    if (alone_) {
      serve([&](size_t i) { awake_.push_back(i); });
      for (const size_t i : awake_) run(i, 0);
    } else if (parts_) {
      const auto note = [&](auto&& take) {
        serve([&](size_t i) {
          awake_.push_back(i);
          take(i);
        });
      };
      pool_->for_each_given(units_.size(), note, first_part(next));
      run_second_part(next);
    } else {
      pool_->for_each_given(units_.size(), serve, run);
    }
  }

  void wake_at(Cycle cycle) {
    const uint64_t at = cycle == kNever ? 0 : clock_.to_fs(cycle), here = context_time_fs();
    next_trigger(at > here ? sc_core::sc_time::from_value(at - here) : sc_core::SC_ZERO_TIME);
  }

  ClockRatio clock_;
  Cycle window_, most_ahead_;
  Cycle ahead_ = 0;  // in this window
  bool parts_;
  Cycle now_ = 0;
  Cycle begin_ = 0;     // of the window that runs or has run
  bool begun_ = false;  // it has run while the one before it was served
  uint64_t windows_ = 0;
  std::vector<WindowUnit*> units_;
  std::vector<size_t> awake_;               // those that run the window
  std::vector<std::exception_ptr> errors_;  // of the first part, by unit
  WindowService* service_;
  ThreadPool* pool_;
  bool alone_ = false;
  sc_core::sc_event start_;
  std::exception_ptr error_;
};

WindowEngine::WindowEngine(const char* name, const WindowEngineConfig& config, std::vector<WindowUnit*> units,
                           WindowService* service, ThreadPool* pool)
    : process_(new Process(name, config, std::move(units), service, pool)) {}
WindowEngine::~WindowEngine() = default;
void WindowEngine::run(bool alone) { process_->run(alone); }
Cycle WindowEngine::now() const { return process_->now(); }
void WindowEngine::skip_to(Cycle cycle) { process_->skip_to(cycle); }
uint64_t WindowEngine::windows() const { return process_->windows(); }

}  // namespace gpuloom::sim
