// SPDX-License-Identifier: Apache-2.0
// Memory and events that processes share (cudaIpc*).
//
// The pages of a shared allocation become an anonymous file of the host; a handle names it as /proc has it,
// so another process of the same user maps the same bytes. Each process has a simulated GPU of its own.
//
// An event that processes share has happened as soon as it was recorded, and who waits for it waits for
// nothing: without time, work has been carried out when its submission returns; in time, recording carries
// everything out. Processes have no clock in common.
#pragma once
#include <cstdint>
#include <map>

#include "sim/host/memory.h"
#include "sim/streams/stream.h"

namespace gpuloom::host {

// cudaIpcMemHandle_t and cudaIpcEventHandle_t: 64 bytes of our own meaning.
struct InterprocessHandle {
  uint64_t kind = 0;
  int32_t process = 0, file = 0;
  uint64_t file_bytes = 0;  // all of the allocation's pages
  uint64_t offset = 0;      // of the allocation in them
  uint64_t bytes = 0;
  uint64_t unused[3] = {};
};
static_assert(sizeof(InterprocessHandle) == 64);

class Interprocess {
 public:
  explicit Interprocess(Memory& memory) : memory_(memory) {}
  Interprocess(const Interprocess&) = delete;
  Interprocess& operator=(const Interprocess&) = delete;
  ~Interprocess();

  // All throw Failure. `address` is in memory of cudaMalloc.
  InterprocessHandle share(uint64_t address);
  // Where the memory of another process lies in this one. Opened twice it is at the same place, and closed
  // twice.
  uint64_t open(const InterprocessHandle& handle, bool of_pool = false);
  void close(uint64_t address);
  // Whether it is memory of another process's pool, which cudaFreeAsync takes.
  bool holds(uint64_t address) const {
    const auto at = opened_.find(address);
    return at != opened_.end() && at->second.of_pool;
  }

  // A pool as a file descriptor: only that it is one of a process is in there.
  static int export_pool();
  static void check_pool(int file);

  void add(Event& event);  // of cudaEventInterprocess, which has no time
  bool has_events() const { return has_events_; }
  static InterprocessHandle share(const Event& event);
  static void check_event(const InterprocessHandle& handle);

 private:
  struct Opened {
    uint64_t range = 0, file_bytes = 0;
    int32_t process = 0, file = 0;
    unsigned times = 0;
    bool of_pool = false;
  };
  void unmap(const std::map<uint64_t, Opened>::iterator& at);

  Memory& memory_;
  bool has_events_ = false;
  std::map<uint64_t, Opened> opened_;  // by address
};

}  // namespace gpuloom::host
