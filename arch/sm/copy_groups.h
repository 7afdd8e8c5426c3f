// SPDX-License-Identifier: Apache-2.0
// What a sub-core asks of the asynchronous unit about a warp's copies.
#pragma once
#include <cstdint>
#include <optional>

namespace gpuloom::arch {

class CopyGroups {
 public:
  virtual ~CopyGroups() = default;
  // Whether as many of the warp's groups are done as its latest wait asks for.
  virtual bool wait_done(unsigned warp) const = 0;
  // The last cp.async group that it waits for; nothing where it waits for none.
  virtual std::optional<uint32_t> awaited_group(unsigned warp) const = 0;
  // Nothing that the warp has begun is on its way.
  virtual bool none_on_way(unsigned warp) const = 0;
  // Of its loop over lanes around a bulk copy: there are lanes left.
  virtual bool next_turn(unsigned warp) const = 0;
  // A warp acquires a tensor map: the next copy fetches its own anew.
  virtual void forget_maps() = 0;
};

}  // namespace gpuloom::arch
