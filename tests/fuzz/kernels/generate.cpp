// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/kernels/generate.h"

#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {
namespace {

void choose_shape(Random& rng, RandomKernel& kernel) {
  const uint32_t threads = rng.number({32, 32, 64, 64, 96, 128, 40, 7, 33});
  kernel.block = {threads, 1, 1};
  if (threads % 4 == 0 && rng.chance(20)) kernel.block = {threads / 4, 4, 1};
  kernel.grid = {1 + rng.below(std::min(3u, kMaxThreads / threads)), 1, 1};
  if (rng.chance(30)) kernel.directives = "\n.maxntid " + std::to_string(threads);
  if (rng.chance(10) && kernel.block.y == 1) kernel.directives = "\n.reqntid " + std::to_string(threads);
  if (rng.chance(8)) {  // pairs of blocks
    kernel.grid = {2, 1, 1};
    kernel.directives += "\n.explicitcluster\n.reqnctapercluster 2, 1, 1";
  }
}

}  // namespace

RandomKernel generate(uint64_t seed, Forms& forms) {
  Random rng(seed);
  RandomKernel kernel;
  kernel.seed = seed;
  kernel.name = "k" + std::to_string(seed);
  choose_shape(rng, kernel);
  const auto habit = static_cast<Habit>(rng.below(5));
  Writer writer(rng, forms, habit, kernel);
  writer.place().warp_together = kernel.block.x * kernel.block.y % 32 == 0;
  writer.frame_begin();
  const uint32_t dice =
      rng.below(100);  // short ones say at once what is wrong, long ones have more to go wrong
  const unsigned length = dice < 35 ? 1 + rng.below(5) : dice < 65 ? 4 + rng.below(12) : 8 + rng.below(30);
  writer.statements(length);
  if (rng.chance(20)) {
    writer.early_exit();
    writer.statements(1 + rng.below(6));
  }
  writer.frame_end();
  return kernel;
}

}  // namespace gpuloom::fuzz
