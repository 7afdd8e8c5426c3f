// SPDX-License-Identifier: Apache-2.0
// The engines that copy between host and device and within the device, and that fill memory. A copy is lines
// that go to L2 one after another at the link's pace, beside what the SMs send, and end when memory has
// answered the last.
#pragma once
#include <compare>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "arch/gpu/peer_port.h"
#include "arch/gpu_config.h"
#include "arch/noc/crossbar.h"
#include "arch/simulation.h"
#include "arch/types.h"

namespace gpuloom::arch {

class CopyEngines {
 public:
  CopyEngines(const GpuConfig& config, Crossbar& crossbar);
  // Copies to and from other GPUs go through it.
  void connect(PeerPort* port) { port_ = port; }
  // What another GPU has read or written for a copy has come back at `at`.
  void answered_by_peer(const Asker& line, Cycle at);
  // The engine of its way takes the copy as soon as it has done those before.
  bool needs_sms(const CopyWork& work) const;
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
  struct Line {
    Cycle at = 0;
    uint64_t place = 0;  // of its first byte in the copy
    uint32_t bytes = 0;
    size_t slot = 0;  // of Engine::answers
    auto operator<=>(const Line&) const = default;
  };
  struct Engine {
    std::deque<Copy> copies;  // the first is under way
    bool running = false;
    Cycle begin = 0, end = 0, free = 0;
    uint64_t sent = 0;           // bytes
    double next = 0;             // when the next line goes
    double link = 0;             // when the link is free for what comes from the device
    double bytes_per_cycle = 0;  // of the link
    // Of the latest lines, a ring: so many are on their way at most. kNever: it is not written yet.
    std::vector<Cycle> answers;
    uint64_t lines = 0;
    // Of a copy within the device or between GPUs, lines that have been read: they go out as their answers
    // come.
    std::priority_queue<Line, std::vector<Line>, std::greater<>> read;
    // Of a copy between GPUs: parts of lines that are on the other one, of all and by slot.
    uint64_t away = 0;
    std::vector<uint8_t> parts;
  };
  void begin(Engine& engine);
  static double due(const Engine& engine);
  void send(Engine& engine);
  void send_line(Engine& engine, double due);
  void read_of_peer(Engine& engine, uint64_t address, const Line& line);
  void write_of_peer(Engine& engine, uint64_t address, uint32_t bytes, const Line& line);
  Asker asker(const Engine& engine, const Line& line) const;
  bool over(const Engine& engine) const;
  void write_line(Engine& engine);
  void over_link(Engine& engine, const Line& line, double took, Cycle rest);
  void answered(Engine& engine, const Line& line);
  void end(Engine& engine);
  static sim::MemoryRequest request(uint64_t address, uint32_t bytes, bool write, Cycle at);
  // Of a copy: where it is in memory, and how far into the copy.
  struct Part {
    uint64_t address, place;
    uint32_t bytes;
  };
  std::optional<uint32_t> side(const CopyWork& work, uint64_t place) const;
  Cycle transport(const CopyWork& work, const Part& part, bool write, Cycle at);
  double rate(const CopyWork& work) const;
  size_t window(const CopyWork& work) const;
  bool is_inline(const CopyWork& work) const;
  bool is_with_command(const CopyWork& work) const;
  Cycle latency(const CopyWork& work) const;
  Cycle lead(const CopyWork& work) const;  // of it, what comes before the first line

  const GpuConfig& config_;
  Crossbar& crossbar_;
  PeerPort* port_ = nullptr;  // of several GPUs
  std::vector<Engine> engines_;
  std::vector<Ended> ended_;
};

}  // namespace gpuloom::arch
