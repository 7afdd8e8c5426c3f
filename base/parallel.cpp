// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

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
// With more threads than these the caller has no indices of its own: what it gives takes its time.
constexpr unsigned kCallerShares = 4;

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
  shares_ = std::make_unique<Share[]>(threads);
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

unsigned ThreadPool::owner(size_t index, size_t n) const {
  const unsigned without = threads() <= kCallerShares ? 0 : 1, owners = threads() - without;
  return without + static_cast<unsigned>(std::min<size_t>(index * owners / n, owners - 1));
}

// Indices of one thread are neighbours.
void ThreadPool::share_out(size_t n) {
  const size_t all = threads(), without = all <= kCallerShares ? 0 : 1, owners = all - without;
  const auto first = [&](size_t k) { return (k * n + owners - 1) / owners; };  // of the k-th owner
  numbered_ = true;
  for (size_t t = 0; t < all; ++t) {
    const bool none = t < without;
    shares_[t].next.store(none ? 0 : first(t - without), std::memory_order_relaxed);
    shares_[t].ready.store(none ? 0 : first(t - without + 1), std::memory_order_relaxed);
  }
  giving_.store(false, std::memory_order_relaxed);
}

void ThreadPool::expect(size_t n) {
  numbered_ = false;
  for (unsigned t = 0; t < threads(); ++t) {
    if (shares_[t].given.size() < n) shares_[t].given.resize(n);
    shares_[t].next.store(0, std::memory_order_relaxed);
    shares_[t].ready.store(0, std::memory_order_relaxed);
  }
  giving_.store(true, std::memory_order_relaxed);
}

void ThreadPool::hand_out(size_t index, size_t n) {
  Share& share = shares_[owner(index, n)];
  const size_t place = share.ready.load(std::memory_order_relaxed);
  share.given[place] = index;
  share.ready.store(place + 1, std::memory_order_release);
}

void ThreadPool::start(size_t n, Call call, void* context) {
  call_ = call;
  context_ = context;
  error_ = nullptr;
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

// Leaves a share alone that has fewer than `least`.
bool ThreadPool::take_from(Share& share, size_t least, size_t& i) {
  size_t place = share.next.load(std::memory_order_relaxed);
  while (place + least <= share.ready.load(std::memory_order_acquire))
    if (share.next.compare_exchange_weak(place, place + 1, std::memory_order_relaxed)) {
      i = numbered_ ? place : share.given[place];
      return true;
    }
  return false;
}

// The next index, for which it may have to wait; false: none is left. While more may come, another thread's
// last one is left to it. Those who wait stay awake: giving takes a tenth of a millisecond.
bool ThreadPool::take(unsigned thread, size_t& i) {
  for (int turns = 0;; ++turns) {
    const bool giving = giving_.load(std::memory_order_acquire);
    if (take_from(shares_[thread], 1, i)) return true;
    for (unsigned k = 1, all = threads(); k < all; ++k)
      if (take_from(shares_[(thread + k) % all], giving ? 2 : 1, i)) return true;
    if (!giving) return false;
    if (turns < kSpins)
      relax();
    else
      std::this_thread::yield();
  }
}

void ThreadPool::work(unsigned thread) {
  for (size_t i = 0; take(thread, i);) {
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
