// SPDX-License-Identifier: Apache-2.0
#include "base/working_time.h"

#include <thread>

#include "tests/catch2.h"

using gpuloom::WorkingTime;

namespace {
void sleep(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }
}  // namespace

TEST_CASE("Working time is that of its spans, one within another once, and not what is between them",
          "[base]") {
  WorkingTime time;
  sleep(30);
  CHECK(time.seconds() == 0);
  {
    const WorkingTime::Span outer(time);
    const WorkingTime::Span inner(time);
    sleep(10);
    CHECK(time.seconds() >= 0.01);
  }
  const double after = time.seconds();
  CHECK(after >= 0.01);
  sleep(30);
  CHECK(time.seconds() == after);
}
