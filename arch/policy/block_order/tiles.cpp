// SPDX-License-Identifier: Apache-2.0
// Blocks by tiles of the grid, `width` by `height` of them, row by row of tiles and of blocks within a tile:
// what runs at a time reads fewer different rows and columns of a product's matrices. SMs get them in turn,
// by number.
#include <algorithm>

#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Tiles final : public BlockOrder {
 public:
  Tiles(Parameters& parameters, const BlockHost&)
      : width_(parameters.count("width", 1, 65536)), height_(parameters.count("height", 1, 65536)) {}
  void start(const GridShape& grid) override { x_ = grid.x, y_ = grid.y, next_ = 0; }

  uint64_t block(uint64_t n) override {
    const uint64_t plane = x_ * y_, z = n / plane;
    n %= plane;
    const uint64_t row = n / (x_ * height_),
                   rows = std::min(height_, y_ - row * height_);  // of tiles; blocks high
    n -= row * x_ * height_;
    const uint64_t column = n / (width_ * rows), columns = std::min(width_, x_ - column * width_);
    n -= column * width_ * rows;
    return z * plane + (row * height_ + n / columns) * x_ + column * width_ + n % columns;
  }

  uint32_t wave(const SmPlace* sms, uint32_t count, uint32_t per_sm, uint64_t, uint32_t* chosen) override {
    for (uint32_t tried = 0; tried < count; ++tried) {
      const uint32_t sm = (next_ + tried) % count;
      if (sms[sm].blocks >= per_sm) continue;
      next_ = sm + 1;
      chosen[0] = sms[sm].sm;
      return 1;
    }
    return 0;
  }

 private:
  const uint64_t width_, height_;
  uint64_t x_ = 1, y_ = 1;
  uint32_t next_ = 0;
};

}  // namespace

GPULOOM_POLICY(block_order, tiles, Tiles)
