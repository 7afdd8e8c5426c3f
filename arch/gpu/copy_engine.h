// SPDX-License-Identifier: Apache-2.0
// The engines that copy between host and device and within the device, and that fill memory. A copy is lines
// that go to L2 one after another at the link's pace, beside what the SMs send, and end when memory has
// answered the last.
#pragma once
#include <deque>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/noc/crossbar.h"
#include "arch/simulation.h"
#include "arch/types.h"

namespace gpuloom::arch {

class CopyEngines {
 public:
  CopyEngines(const GpuConfig& config, Crossbar& crossbar);
  // The engine of its way takes the copy as soon as it has done those before.
  void submit(Ticket ticket, CopyWork work, Cycle at);
  // Sends the lines that are due before `cycle`, of all engines in order of time.
  void send_until(Cycle cycle);
  Cycle next_cycle() const;
  bool busy() const;
  struct Ended {
    Ticket ticket;
    Cycle begin, end;
    std::function<void(Cycle, Cycle)> tell;
  };
  std::vector<Ended> take_ended();

 private:
  struct Copy {
    Ticket ticket = 0;
    CopyWork work;
    Cycle at = 0;
  };
  struct Engine {
    std::deque<Copy> copies;  // the first is under way
    bool running = false;
    Cycle begin = 0, end = 0, free = 0;
    uint64_t sent = 0;           // bytes
    double next = 0;             // when the next line goes
    double bytes_per_cycle = 0;  // of the link
    std::vector<Cycle> answers;  // of the latest lines, a ring: so many are on their way at most
    uint64_t lines = 0;
  };
  void begin(Engine& engine);
  void send_line(Engine& engine);
  Cycle transport(uint64_t address, uint32_t bytes, bool write, Cycle at);
  double rate(const CopyWork& work) const;
  Cycle latency(const CopyWork& work) const;
  Cycle lead(const CopyWork& work) const;  // of it, what comes before the first line

  const GpuConfig& config_;
  Crossbar& crossbar_;
  std::vector<Engine> engines_;
  std::vector<Ended> ended_;
};

}  // namespace gpuloom::arch
