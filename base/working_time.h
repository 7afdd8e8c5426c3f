// SPDX-License-Identifier: Apache-2.0
// How long the host has worked at something that goes on and stops: the spans of it, those within others
// once.
#pragma once
#include <chrono>

namespace gpuloom {

class WorkingTime {
 public:
  class Span {
   public:
    explicit Span(WorkingTime& time) : time_(time) {
      if (time_.open_++ == 0) time_.begin_ = Clock::now();
    }
    ~Span() {
      if (--time_.open_ == 0) time_.before_ += Clock::now() - time_.begin_;
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    WorkingTime& time_;
  };

  // Of the span that is open too.
  double seconds() const {
    const Clock::duration now = open_ != 0 ? Clock::now() - begin_ : Clock::duration{};
    return std::chrono::duration<double>(before_ + now).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::duration before_{};
  Clock::time_point begin_;
  unsigned open_ = 0;
};

}  // namespace gpuloom
