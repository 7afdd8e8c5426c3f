// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/interrupt.h"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>

#include "base/error.h"

namespace gpuloom::cli {
namespace {

// Of the process, because signals are.
std::atomic<int> g_signal{0};
std::atomic<std::int64_t> g_first_ms{0};

// `timeout` signals its child and then the whole group, so one request can arrive twice within milliseconds.
constexpr std::int64_t kSameRequestMs = 300;

std::int64_t now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC,
                &t);  // may be called in a signal handler, unlike std::chrono's clocks by promise
  return static_cast<std::int64_t>(t.tv_sec) * 1000 + t.tv_nsec / 1000000;
}

void remember(int signal) {
  if (g_signal != 0) {
    if (now_ms() - g_first_ms < kSameRequestMs) return;
    std::signal(signal, SIG_DFL);  // the second one is not asked
    std::raise(signal);
    return;
  }
  g_first_ms = now_ms();
  g_signal = signal;
  constexpr char kWords[] = "\ngpuloom: stopping; press Ctrl-C again to quit at once\n";
  if (write(STDERR_FILENO, kWords, sizeof kWords - 1) < 0) return;  // nobody reads: nothing to say
}

}  // namespace

Interrupt::Interrupt(double max_seconds) : max_seconds_(max_seconds) {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interrupt::asked() {
  if (signal_ == 0) signal_ = g_signal;
  if (max_seconds_ > 0 && std::chrono::duration<double>(Clock::now() - begin_).count() > max_seconds_)
    late_ = true;
  return signal_ != 0 || late_;
}

std::string Interrupt::words() const {
  if (signal_ != 0) return signal_ == SIGINT ? "interrupted (Ctrl-C)" : "interrupted (SIGTERM)";
  return late_ ? fmt::format("stopped after {:g} s (--max-seconds)", max_seconds_) : "";
}

int Interrupt::exit_code() const {
  return signal_ != 0 ? 128 + signal_ : late_ ? static_cast<int>(ErrorKind::kProgram) : 0;
}

}  // namespace gpuloom::cli
