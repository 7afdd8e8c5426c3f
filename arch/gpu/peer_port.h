// SPDX-License-Identifier: Apache-2.0
// A GPU's port to the others (NVLink through a switch): what its SMs and copy engines ask of another GPU's
// memory leaves here, and what others ask of its own arrives. A packet takes its bytes of the sender's way
// out and of the receiver's way in, and the link's latency between. Lines of another GPU's memory are in that
// GPU's L2 alone.
#pragma once
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/noc/bandwidth.h"
#include "arch/noc/crossbar.h"
#include "arch/sm/event_queue.h"
#include "arch/systemc/memory_request.h"
#include "arch/types.h"

namespace gpuloom::arch {

// Who waits for an answer: an SM, for an event, or a line of a copy.
struct Asker {
  enum class Kind : uint8_t { kNobody, kSm, kCopy } kind = Kind::kNobody;
  uint16_t sm = 0;
  Event event = {};
  size_t engine = 0, slot = 0;  // of the copy's line
  uint64_t place = 0;
  uint32_t bytes = 0;
};

class PeerPort {
 public:
  // Whose memory an address is: the number of a GPU, of the one that asks for the host's memory.
  using HomeFn = std::function<unsigned(uint64_t address, unsigned asking)>;
  // Takes an answer, with the cycle at which it arrives.
  using AnswerFn = std::function<void(const Asker&, Cycle)>;
  PeerPort(const GpuConfig& config, Crossbar& crossbar, unsigned number, HomeFn home, AnswerFn answer);
  // All ports by number, this one among them.
  void connect(std::vector<PeerPort*> all);

  unsigned number() const { return number_; }
  // Whether an address is another GPU's.
  bool away(uint64_t address) const {
    return address - low_ < high_ - low_ && home_(address, number_) != number_;
  }
  // A request comes at request.time. Returns when it has left.
  Cycle ask(sim::MemoryRequest request, const Asker& asker);

  // What others ask: when the next is due, and serving those before a cycle, in order of time.
  Cycle next_cycle() const { return inbox_.empty() ? kNever : inbox_.top().at; }
  bool busy() const { return !inbox_.empty(); }
  void serve_next();
  // Requests that have not been answered.
  uint64_t waiting() const { return waiting_; }

  // Other GPUs react to what has left since restart(): the earliest cycle at which that is felt here.
  void restart() { felt_ = kNever; }
  void react_from(Cycle cycle) { felt_ = std::min(felt_, cycle + hears_); }
  Cycle felt() const { return felt_; }
  Cycle latency() const { return latency_; }  // from here to another
  // What another does is felt so long after it at least.
  Cycle hears() const { return hears_; }
  // A cycle of this GPU in those of another.
  Cycle cycle_for(const PeerPort& other, Cycle cycle) const;

 private:
  struct Packet {
    Cycle at;
    unsigned from;
    uint64_t number;
    sim::MemoryRequest request;
    Asker asker;
    bool operator>(const Packet& other) const {
      return std::tie(at, from, number) > std::tie(other.at, other.from, other.number);
    }
  };
  Cycle arrival(PeerPort& to, Cycle left, unsigned bytes);

  const GpuConfig& config_;
  Crossbar& crossbar_;
  unsigned number_;
  HomeFn home_;
  AnswerFn answer_;
  std::vector<PeerPort*> all_;
  Cycle latency_, hears_ = kNever;
  uint64_t low_, high_;  // addresses of devices
  BandwidthCalendar out_, in_;
  std::priority_queue<Packet, std::vector<Packet>, std::greater<>> inbox_;
  uint64_t sent_ = 0, waiting_ = 0;
  Cycle felt_ = kNever;
};

}  // namespace gpuloom::arch
