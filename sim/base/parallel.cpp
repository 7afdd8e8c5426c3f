// SPDX-License-Identifier: Apache-2.0
#include "sim/base/parallel.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gpuloom {
namespace {

// How long a waiting thread stays awake: longer than the serial part between two windows (a tenth of a
// millisecond), since being woken takes as long. After the first turns it lets others run in between: where
// threads are more than cores, they need this one.
constexpr int kSpins = 512;
constexpr int kTurns = 16;  // between two looks at the clock
constexpr auto kAwake = std::chrono::microseconds(500);

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Waits until `value` is no longer `old`.
template <class T>
void wait_changed(const std::atomic<T>& value, T old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax();
  }
  const auto end = std::chrono::steady_clock::now() + kAwake;
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < kTurns; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      relax();
    }
    std::this_thread::yield();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  workers_.reserve(threads - 1);
  try {
    for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this, i] { worker_main(i); });
  } catch (...) {  // no more threads to be had: those that run must end before their pool does
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  stop_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::start(size_t n, Call call, void* context) {
  call_ = call;
  context_ = context;
  error_ = nullptr;
  next_.store(0, std::memory_order_relaxed);
  alone_ = workers_.empty() || n < 2;
  if (alone_) return;
  busy_.store(static_cast<uint32_t>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);  // publishes all of the above
  round_.notify_all();
}

void ThreadPool::finish(std::exception_ptr error) {
  work(0);
  if (!alone_) {
    for (uint32_t busy = busy_.load(std::memory_order_acquire); busy != 0;
         busy = busy_.load(std::memory_order_acquire)) {
      wait_changed(busy_, busy);
    }
  }
  if (!error) error = std::exchange(error_, nullptr);
  if (error) std::rethrow_exception(error);
}

// The next index, for which it may have to wait; false: none is left. Those who wait stay awake: giving takes
// a tenth of a millisecond.
bool ThreadPool::take(size_t& i) {
  const size_t place = next_.fetch_add(1, std::memory_order_relaxed);
  for (int turns = 0; place >= ready_.load(std::memory_order_acquire); ++turns) {
    if (!giving_.load(std::memory_order_acquire) && place >= ready_.load(std::memory_order_acquire))
      return false;
    if (turns < kSpins)
      relax();
    else
      std::this_thread::yield();
  }
  i = given_.empty() ? place : given_[place];
  return true;
}

void ThreadPool::work(unsigned thread) {
  for (size_t i = 0; take(i);) {
    try {
      call_(context_, i, thread);
    } catch (...) {
      keep(i, std::current_exception());
    }
  }
}

void ThreadPool::keep(size_t index, std::exception_ptr error) {
  const std::lock_guard<std::mutex> lock(error_lock_);
  if (!error_ || index < error_index_) {
    error_ = std::move(error);
    error_index_ = index;
  }
}

void ThreadPool::worker_main(unsigned thread) {
  uint32_t seen = 0;
  while (true) {
    wait_changed(round_, seen);
    seen = round_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    work(thread);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace gpuloom
