// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/work_queue.h"

#include <algorithm>
#include <map>
#include <random>

#include "base/error.h"
#include "tests/catch2.h"

using namespace gpuloom::arch;

namespace {
Ticket next(const WorkQueue& work, Cycle& at) { return work.next(kNever, at); }
}  // namespace

TEST_CASE("Work begins when it arrives, and behind the ends of what it comes after", "[work_queue]") {
  WorkQueue work;
  Cycle at = 0;
  const Ticket a = work.add({}, 100), b = work.add({.after = {a}}, 50);
  CHECK(work.next(100, at) == 0);
  CHECK(next(work, at) == a);
  CHECK(at == 100);
  work.begun(a, at);
  CHECK(next(work, at) == 0);
  CHECK_FALSE(work.done(a));
  work.ended(a, 700);
  CHECK(next(work, at) == b);
  CHECK(at == 700);
  CHECK_FALSE(work.idle());
  work.begun(b, at);
  work.ended(b, 900);
  CHECK(work.idle());
  CHECK(work.end_of(b) == 900);
}

TEST_CASE("Work that has ended, or none, holds nothing up", "[work_queue]") {
  WorkQueue work;
  Cycle at = 0;
  const Ticket a = work.add({}, 0);
  work.begun(a, 0);
  work.ended(a, 10);
  const Ticket b = work.add({.after = {0, a}}, 5);
  CHECK(next(work, at) == b);
  CHECK(at == 10);
}

TEST_CASE("A hardware queue hands on its work in order, another beside it", "[work_queue]") {
  WorkQueue work;
  Cycle at = 0;
  const Ticket first = work.add({}, 0);
  work.begun(first, 0);
  const Ticket waits = work.add({.after = {first}, .queue = 1}, 0);
  const Ticket behind = work.add({.queue = 1}, 0), beside = work.add({.queue = 2}, 0);
  CHECK(next(work, at) == beside);
  work.begun(beside, at);
  CHECK(next(work, at) == 0);
  work.ended(first, 40);
  CHECK(next(work, at) == waits);
  work.begun(waits, at);
  CHECK(next(work, at) == behind);  // though what is before it has not ended
  CHECK(at == 40);
}

TEST_CASE("A dependent piece begins when what it depends on lets it, or has ended", "[work_queue]") {
  WorkQueue work;
  Cycle at = 0;
  const Ticket a = work.add({}, 0), b = work.add({.dependent = {a}}, 10),
               c = work.add({.dependent = {b}}, 10);
  work.begun(a, 0);
  CHECK(work.dependents_wait());
  CHECK(next(work, at) == 0);
  work.lets_dependents(a, 40);
  CHECK(next(work, at) == b);
  CHECK(at == 40);
  work.begun(b, at);
  work.ended(a, 90);
  CHECK(next(work, at) == 0);
  work.ended(b, 95);  // which never let anybody
  CHECK(next(work, at) == c);
  CHECK(at == 95);
  CHECK_FALSE(work.dependents_wait());
}

TEST_CASE("What waits for another unit begins later, unless that had ended before it came", "[work_queue]") {
  WorkQueue work(500);
  Cycle at = 0;
  const Ticket kernel = work.add({}, 0, Unit::kCompute);
  const Ticket copy = work.add({.after = {kernel}}, 10, Unit::kToDevice);
  const Ticket call = work.add({.after = {kernel}}, 10);  // stands in the kernel's queue
  const Ticket behind = work.add({.after = {call}}, 10, Unit::kFromDevice);
  work.begun(kernel, 0);
  work.ended(kernel, 100);
  CHECK(next(work, at) == call);
  CHECK(at == 100);
  work.begun(call, at);
  work.ended(call, at);
  CHECK(next(work, at) == copy);
  CHECK(at == 600);
  work.begun(copy, at);
  CHECK(next(work, at) == behind);
  CHECK(at == 600);
  work.begun(behind, at);
  const Ticket late = work.add({.after = {kernel}}, 200, Unit::kToDevice);
  CHECK(next(work, at) == late);
  CHECK(at == 200);
}

TEST_CASE("The kernels' queue learns of a copy's end later, unless that had ended before the work came",
          "[work_queue]") {
  WorkQueue work(500, 0, 300);
  Cycle at = 0;
  const Ticket copy = work.add({}, 0, Unit::kToDevice);
  const Ticket kernel = work.add({.after = {copy}}, 10, Unit::kCompute);
  const Ticket event = work.add({.after = {copy}}, 10);  // stands in the copy's queue
  work.begun(copy, 0);
  work.ended(copy, 1000);
  CHECK(next(work, at) == event);
  CHECK(at == 1000);
  work.begun(event, at);
  work.ended(event, at);
  CHECK(next(work, at) == kernel);
  CHECK(at == 1300);
  work.begun(kernel, at);
  const Ticket late = work.add({.after = {copy}}, 1100, Unit::kCompute);
  CHECK(next(work, at) == late);
  CHECK(at == 1100);
}

TEST_CASE("A wait for another stream hands on once, to what is behind it", "[work_queue]") {
  // When what is behind the wait may begin, where the other stream's work is of one unit, the waiting
  // stream's was of another, and what is behind is of a third.
  const auto begins = [](Unit other, Unit own, Unit behind, bool call) {
    WorkQueue work(500, 0, 300);
    Cycle at = 0;
    const Ticket awaited = work.add({}, 0, other), before = work.add({}, 0, own);
    const Ticket wait = work.add_call({.after = {awaited, before}}, 10, true);
    const WorkOrder order{.after = {wait}};
    const Ticket last = call ? work.add_call(order, 20, false) : work.add(order, 20, behind);
    for (const Ticket t : {awaited, before}) work.begun(t, 0);
    work.ended(before, 5);
    work.ended(awaited, 1000);
    CHECK(next(work, at) == wait);
    CHECK(at == 1000);
    work.begun(wait, at);
    work.ended(wait, at);
    CHECK(next(work, at) == last);
    return at;
  };
  CHECK(begins(Unit::kCompute, Unit::kFromDevice, Unit::kToDevice, false) == 1500);
  CHECK(begins(Unit::kToDevice, Unit::kToDevice, Unit::kToDevice, false) == 1000);
  CHECK(begins(Unit::kCompute, Unit::kCompute, Unit::kCompute, false) == 1000);
  CHECK(begins(Unit::kFromDevice, Unit::kCompute, Unit::kCompute, false) == 1300);
  CHECK(begins(Unit::kFromDevice, Unit::kCompute, Unit::kAny, true) == 1300);
  CHECK(begins(Unit::kToDevice, Unit::kToDevice, Unit::kAny, true) == 1000);
}

TEST_CASE("What is made ready beside a kernel is made ready behind a wait for another stream",
          "[work_queue]") {
  const auto begins = [](bool halts, Cycle arrival) {
    WorkQueue work;
    Cycle at = 0;
    const Ticket before = halts ? work.add_call({}, 0, true) : work.add({}, 0, Unit::kCompute);
    work.begun(before, 0);
    WorkOrder after;
    after.after = {before};
    work.add_prepared(after, arrival, Unit::kCompute, 300);
    work.ended(before, 1000);
    next(work, at);
    return at;
  };
  CHECK(begins(false, 10) == 1000);
  CHECK(begins(false, 900) == 1200);
  CHECK(begins(true, 10) == 1300);
  CHECK(begins(true, 1000) == 1300);  // it has ended before the work has come
}

TEST_CASE("What another GPU carries out is heard of later, but by its own unit", "[work_queue]") {
  WorkQueue work(0, 0);
  Cycle at = 0;
  const Ticket first = work.add({}, 0, Unit::kPeer);
  work.heard_late(first, 300);
  const Ticket further = work.add({.after = {first}}, 0, Unit::kPeer),
               event = work.add({.after = {first}}, 0),
               kernel = work.add({.after = {first}}, 0, Unit::kCompute);
  work.begun(first, 0);
  work.ended(first, 1000);
  CHECK(next(work, at) == further);
  CHECK(at == 1000);
  work.begun(further, at);
  CHECK(next(work, at) == event);
  CHECK(at == 1300);
  work.begun(event, at);
  CHECK(next(work, at) == kernel);
  CHECK(at == 1300);
}

namespace {

// A random program on streams and events: what each piece comes after, when it arrives, how long it takes.
// It is run piece by piece; `forgets` lets the queue forget, again and again, all that no stream and no event
// names.
class RandomProgram {
 public:
  RandomProgram(uint32_t seed, bool forgets) : random_(seed), forgets_(forgets), streams_(4), events_(3) {}

  // When each piece began, by ticket.
  std::vector<Cycle> run(unsigned pieces) {
    std::vector<Cycle> begins(1, 0);
    for (unsigned k = 0; k < pieces; ++k) {
      submit();
      if (one_of(3) == 0) advance(now_ + one_of(4000), begins);
      // Both programs draw the same numbers.
      if (one_of(8) == 0 && forgets_) work_.forget_all_but(named());
      most_known_ = std::max(most_known_, work_.known());
    }
    advance(kNever, begins);
    CHECK(work_.idle());
    return begins;
  }
  size_t most_known() const { return most_known_; }

 private:
  uint32_t one_of(uint32_t count) { return random_() % count; }

  std::vector<Ticket> named() const {
    std::vector<Ticket> all = streams_;
    all.insert(all.end(), events_.begin(), events_.end());
    return all;
  }

  void submit() {
    Ticket& stream = streams_[one_of(4)];
    WorkOrder order{.after = {stream}};
    if (one_of(4) == 0) order.after.insert(order.after.begin(), events_[one_of(3)]);
    if (one_of(6) == 0) std::swap(order.after, order.dependent);
    if (one_of(2) == 0) order.queue = one_of(3);
    const Cycle arrival = now_ + one_of(2000);
    switch (one_of(4)) {
      case 0:
        stream = work_.add_call(order, arrival, one_of(2) == 0);
        break;
      case 1:
        stream = work_.add_prepared(order, arrival, Unit::kPeer, one_of(500));
        if (one_of(2) == 0) work_.heard_late(stream, one_of(300));
        break;
      default:
        stream = work_.add(order, arrival, static_cast<Unit>(one_of(5)));
    }
    if (one_of(3) == 0) events_[one_of(3)] = stream;
  }

  // Begins and ends in order of time; of those at one time, ends first.
  void advance(Cycle until, std::vector<Cycle>& begins) {
    for (;;) {
      Cycle at = 0;
      const Ticket next = work_.next(until, at);
      const bool ends = !ends_.empty() && (next == 0 || ends_.begin()->first <= at);
      if (ends && ends_.begin()->first < until) {
        work_.ended(ends_.begin()->second, ends_.begin()->first);
        ends_.erase(ends_.begin());
      } else if (next != 0 && !ends) {
        work_.begun(next, at);
        begins.resize(std::max<size_t>(begins.size(), next + 1));
        begins[next] = at;
        ends_.emplace(at + one_of(3000), next);
      } else {
        break;
      }
    }
    if (until != kNever) now_ = until;
  }

  std::minstd_rand random_;
  bool forgets_;
  WorkQueue work_{500, 900, 300};
  std::vector<Ticket> streams_, events_;  // the last of each; 0: nothing
  std::multimap<Cycle, Ticket> ends_;     // of what runs
  Cycle now_ = 0;
  size_t most_known_ = 0;
};

}  // namespace

TEST_CASE(
    "A random program begins all its pieces at the same times, whether or not what has ended is forgotten",
    "[work_queue]") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    RandomProgram all(seed, false), forgetting(seed, true);
    CHECK(all.run(500) == forgetting.run(500));
    CHECK(all.most_known() > 500);
    CHECK(forgetting.most_known() < all.most_known());
  }
}

TEST_CASE("Of what is forgotten only its end is known; to name it is an error", "[work_queue]") {
  WorkQueue work;
  Cycle at = 0;
  const Ticket gone = work.add({}, 0), kept = work.add({}, 0), runs = work.add({}, 0);
  for (const Ticket t : {gone, kept, runs}) work.begun(t, 5);
  for (const Ticket t : {gone, kept}) work.ended(t, 70);
  work.forget_all_but({kept});
  CHECK(work.done(gone));
  CHECK_THROWS_AS(work.end_of(gone), gpuloom::Error);
  CHECK_THROWS_AS(work.add({.after = {gone}}, 80), gpuloom::Error);
  CHECK(work.end_of(kept) == 70);
  CHECK_FALSE(work.done(runs));
  CHECK_FALSE(work.idle());
  const Ticket behind = work.add({.after = {kept, runs}}, 80);
  CHECK(behind > runs);
  work.ended(runs, 90);
  CHECK(next(work, at) == behind);
  CHECK(at == 90);
}
