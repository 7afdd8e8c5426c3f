// SPDX-License-Identifier: Apache-2.0
// What asynchronous copies ask of the load/store unit: its way to L2, its turns at shared memory.
#pragma once
#include <cstdint>

#include "arch/sm/eviction.h"
#include "arch/systemc/memory_request.h"
#include "arch/types.h"

namespace gpuloom::arch {

class CopyTraffic {
 public:
  virtual ~CopyTraffic() = default;
  // A load of a bulk copy, and its end: each line that it asks for comes back as AsyncUnit::bulk_line.
  virtual uint32_t begin_bulk_load(uint16_t warp, uint8_t grid, uint32_t bulk) = 0;
  virtual void end_bulk_load(uint32_t load) = 0;
  virtual void request_bulk_line(uint32_t load, uint64_t line, uint8_t sectors, Cycle at) = 0;
  // Writes a line, or adds it up; returns when its last byte has left the SM.
  virtual Cycle write_line(sim::RequestOp op, uint64_t line, uint8_t sectors, uint16_t bytes, unsigned grid,
                           Cycle at) = 0;
  // L2 is to have a line; nothing comes back. Returns as write_line does.
  virtual Cycle prefetch_line(uint64_t line, uint8_t sectors, const L2Hint& hint, Cycle at) = 0;
  // When the next write can be given, and whether as many as may be are on their way.
  virtual Cycle next_write(Cycle now) const = 0;
  virtual bool bulk_writes_full() const = 0;
  // Writes of copies take their turn at the data stage, and so many cycles more; returns when the last is in.
  virtual Cycle write_shared(unsigned passes, unsigned more, Cycle now) = 0;
};

}  // namespace gpuloom::arch
