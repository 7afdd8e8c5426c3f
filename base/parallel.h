// SPDX-License-Identifier: Apache-2.0
// A small fixed set of threads that run one loop at a time.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace gpuloom {

// for_each_index(n, fn) calls fn(0) .. fn(n - 1), each once, spread over the pool's threads and the caller,
// and returns when all are done; fn may ask, by a second parameter, which of the threads it runs on, from 0.
// Which thread runs which index is not fixed, so the result is deterministic exactly if fn(i) writes only
// what belongs to i. If calls throw, the exception of the smallest index is rethrown, and every index still
// ran. Loops are short (one window of an SM is tens of microseconds), so waiting threads spin a little before
// they sleep. One caller at a time; fn must not use the pool itself.
//
// for_each_given(n, give, fn) does the same with indices that `give(take)` hands out on the caller's thread
// by take(i), at most n, each once: the others begin with them while it is still giving.
//
// An index has a thread of its own, the same each time, so that what belongs to it stays in that core's
// caches (an SM's state is some hundred kilobytes); a thread that has done its own takes others'.
class ThreadPool {
 public:
  // `threads` counts the caller: 1 makes no thread; 0 takes what the machine has.
  explicit ThreadPool(unsigned threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

  template <class Fn>
  void for_each_index(size_t n, Fn&& fn) {
    share_out(n);
    start(n, call_of<std::remove_reference_t<Fn>>, const_cast<void*>(static_cast<const void*>(&fn)));
    finish(nullptr);
  }

  template <class Give, class Fn>
  void for_each_given(size_t n, Give&& give, Fn&& fn) {
    expect(n);
    start(n, call_of<std::remove_reference_t<Fn>>, const_cast<void*>(static_cast<const void*>(&fn)));
    std::exception_ptr error;
    try {
      give([this, n](size_t i) { hand_out(i, n); });
    } catch (...) {
      error = std::current_exception();
    }
    giving_.store(false, std::memory_order_release);
    finish(error);
  }

 private:
  using Call = void (*)(void* context, size_t index, unsigned thread);
  template <class Fn>
  static void call_of(void* context, size_t i, [[maybe_unused]] unsigned thread) {
    if constexpr (std::is_invocable_v<Fn&, size_t, unsigned>)
      (*static_cast<Fn*>(context))(i, thread);
    else
      (*static_cast<Fn*>(context))(i);
  }
  // The indices of one thread: places [next, ready) may be taken.
  struct alignas(64) Share {
    std::atomic<size_t> next{0}, ready{0};
    std::vector<size_t> given;  // by place; where `numbered_`, places are the indices themselves
  };
  unsigned owner(size_t index, size_t n) const;
  void share_out(size_t n);               // all of them
  void expect(size_t n);                  // none yet
  void hand_out(size_t index, size_t n);  // one
  bool take_from(Share& share, size_t least, size_t& i);
  bool take(unsigned thread, size_t& i);
  void start(size_t n, Call call, void* context);
  void finish(std::exception_ptr error);  // takes part; rethrows `error`, or what calls have thrown
  void work(unsigned thread);             // takes indices until none is left
  void worker_main(unsigned thread);      // a thread's life
  void stop();                            // ends the threads
  void keep(size_t index, std::exception_ptr error);

  std::vector<std::thread> workers_;
  Call call_ = nullptr;
  void* context_ = nullptr;
  bool alone_ = false;                           // the caller does all
  bool numbered_ = true;                         // Share::given is not used
  std::unique_ptr<Share[]> shares_;              // by thread
  alignas(64) std::atomic<bool> giving_{false};  // more may come
  alignas(64) std::atomic<uint32_t> round_{0};   // a change starts a loop
  alignas(64) std::atomic<uint32_t> busy_{0};    // workers that have not finished the round
  std::atomic<bool> stop_{false};
  std::mutex error_lock_;
  size_t error_index_ = 0;
  std::exception_ptr error_;
};

}  // namespace gpuloom
