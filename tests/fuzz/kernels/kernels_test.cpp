// SPDX-License-Identifier: Apache-2.0
// Random kernels: a fixed run, those that once differed, and what the tools promise.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/catch2.h"
#include "tests/fuzz/kernels/check.h"
#include "tests/fuzz/kernels/compare.h"
#include "tests/fuzz/kernels/generate.h"
#include "tests/fuzz/kernels/shrink.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::fuzz;

TEST_CASE("Random kernels leave the same memory in every way of running them", "[fuzz][timed]") {
  Forms forms;
  Checker checker;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Verdict verdict = checker.check(generate(seed, forms), ways(seed, false));
    INFO("fuzz_kernels --seed " << seed << " --count 1 --shrink: " << verdict.way << ": " << verdict.message);
    CHECK(verdict.outcome == Outcome::kSame);
  }
}

TEST_CASE("Kernels that once differed between two ways of running them do not any more", "[fuzz][timed]") {
  Checker checker;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests::in_tree("/tests/fuzz/kernels/found")))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  CHECK(!files.empty());
  for (const auto& path : files) {
    std::ifstream file(path);
    const RandomKernel kernel = read_kernel({std::istreambuf_iterator<char>(file), {}});
    const Verdict verdict = checker.check(kernel, ways(0, true));
    INFO(path.filename().string() << ": " << verdict.way << ": " << verdict.message);
    CHECK(verdict.outcome == Outcome::kSame);
  }
}

TEST_CASE("Kernels leave what they left on an H200", "[fuzz][timed]") {
  // Those that once did not, and others.
  Checker checker;
  const auto all = measured_kernels(tests::in_tree("/tests/fuzz/kernels/device/h200.ptx"));
  CHECK(all.size() >= 400);
  const std::vector<Way> every = ways(0, false);
  for (size_t k = 0; k < all.size(); ++k)
    for (const size_t way : {size_t{0}, size_t{2}}) {  // without time, and in time as a machine program
      if (way != 0 && k % 4 != 0) continue;
      INFO(all[k].kernel.name << ", " << every[way].name);
      CHECK(hash_of(checker.run(all[k].kernel, every[way])) == all[k].hash);
    }
}

TEST_CASE("A seed is a kernel: made twice, it is the same text", "[fuzz]") {
  Forms one, two;
  for (uint64_t seed = 100; seed < 130; ++seed) {
    generate(seed + 1, two);  // what was made before has no influence
    CHECK(render_module(generate(seed, one)) == render_module(generate(seed, two)));
  }
  CHECK(render_module(generate(1, one)) != render_module(generate(2, one)));
}

TEST_CASE(
    "The checker sees a kernel whose result depends on the way it is run, and the shrinker keeps only that",
    "[fuzz][timed]") {
  Forms forms;
  Checker checker;
  RandomKernel kernel = generate(7, forms);
  Statement clock;  // time passes in timed mode alone
  clock.text = "mov.u32 %r0, %clock;\n  st.global.u32 [%pt2+4], %r0;";
  kernel.body.insert(kernel.body.end() - 1, clock);
  const std::vector<Way> two = {ways(0, false)[0], ways(0, false)[2]};
  const Verdict verdict = checker.check(kernel, two);
  REQUIRE(verdict.outcome == Outcome::kDiffers);
  const RandomKernel small =
      shrink(kernel, [&](const RandomKernel& k) { return checker.check(k, two).same_as(verdict); });
  const std::string text = render_module(small);
  CHECK(names(text, "%clock"));
  CHECK(std::count(text.begin(), text.end(), '\n') < 30);
}
