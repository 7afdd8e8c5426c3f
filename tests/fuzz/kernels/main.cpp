// SPDX-License-Identifier: Apache-2.0
// fuzz_kernels: makes random kernels and checks each in every way.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/fuzz/kernels/check.h"
#include "tests/fuzz/kernels/compare.h"
#include "tests/fuzz/kernels/emit.h"
#include "tests/fuzz/kernels/generate.h"
#include "tests/fuzz/kernels/shrink.h"

using namespace gpuloom;
using namespace gpuloom::fuzz;

namespace {

struct Arguments {
  uint64_t seed = 1, count = 100;
  bool shrink = false, every_way = false, print = false, functional = false;
  std::string replay, compare;
  uint64_t emit = 0;  // kernels a batch
  std::string folder;
};

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

class Run {
 public:
  explicit Run(const Arguments& a) : a_(a) {}

  int all() {
    if (!a_.replay.empty()) return replay();
    if (!a_.compare.empty()) return compare_all();
    if (a_.emit != 0) {
      fmt::print("{} kernels written\n", emit(a_.folder, a_.seed, a_.count, a_.emit, forms_, checker_));
      return 0;
    }
    const auto begin = std::chrono::steady_clock::now();
    for (uint64_t seed = a_.seed; seed < a_.seed + a_.count; ++seed) one(seed);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print("{} kernels, {} without a difference, {:.1f} s, {:.1f} a second\n", a_.count, a_.count - bad_,
               took.count(), static_cast<double>(a_.count) / took.count());
    return bad_ == 0 ? 0 : 1;
  }

 private:
  // A kernel from a file, in every way.
  int replay() {
    std::ifstream file(a_.replay);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Verdict verdict = checker_.check(read_kernel(text), ways(0, true));
    fmt::print("{}\n",
               verdict.outcome == Outcome::kSame ? "no difference" : verdict.way + ": " + verdict.message);
    return verdict.outcome == Outcome::kSame ? 0 : 1;
  }

  int compare_all() {
    const uint64_t different = compare(a_.compare, a_.count, checker_);
    fmt::print("{} kernels differ from the GPU\n", different);
    return different == 0 ? 0 : 1;
  }

  void one(uint64_t seed) {
    RandomKernel kernel = generate(seed, forms_);
    if (a_.print) fmt::print("{}", render_module(kernel));
    std::vector<Way> chosen = ways(seed, a_.every_way);
    if (a_.functional) std::erase_if(chosen, [](const Way& w) { return w.mode == sim::Mode::kTimed; });
    const Verdict verdict = checker_.check(kernel, chosen);
    if (verdict.outcome == Outcome::kSame) return;
    ++bad_;
    static const char* const words[] = {"same", "DIFFERS", "refused", "FAILED"};
    fmt::print("seed {} {} ({}): {}\n", seed, words[static_cast<int>(verdict.outcome)], verdict.way,
               verdict.message);
    std::fflush(stdout);
    if (!a_.folder.empty()) write(a_.folder + "/" + kernel.name + ".ptx", render_module(kernel));
    if (a_.shrink) smaller(kernel, chosen, verdict);
  }

  void smaller(const RandomKernel& kernel, const std::vector<Way>& chosen, const Verdict& verdict) {
    const std::vector<Way> two = chosen_for(chosen, verdict);
    const RandomKernel small =
        shrink(kernel, [&](const RandomKernel& k) { return checker_.check(k, two).same_as(verdict); });
    const std::string text =
        fmt::format("{}// seed {}: {}\n// {}\n{}", launch_line(small), kernel.seed, verdict.way,
                    checker_.check(small, two).message, render_module(small));
    if (a_.folder.empty()) {
      fmt::print("{}", text);
    } else {
      write(a_.folder + "/" + kernel.name + ".small.ptx", text);
    }
  }

  // The way that shows it and the one that it is measured by.
  static std::vector<Way> chosen_for(const std::vector<Way>& chosen, const Verdict& verdict) {
    std::vector<Way> out;
    for (const Way& way : chosen)
      if (way.name == verdict.way) {
        for (const Way& measure : chosen)
          if (measure.contract() == way.contract()) {
            if (measure.name != way.name) out.push_back(measure);
            break;
          }
        out.push_back(way);
        break;
      }
    return out;
  }

  const Arguments& a_;
  Forms forms_;
  Checker checker_;
  uint64_t bad_ = 0;
};

}  // namespace

namespace {

constexpr const char* kUsage = R"(Random kernels, each run in every way that gpuloom has
  --seed N        the first seed (1)
  --count N       kernels (100)
  --out DIR       where kernels that show something go
  --shrink        make them small
  --every-way     all timed ways for each kernel, not in turn
  --functional    without the timed ways
  --print         show the kernels
  --replay FILE   check a kernel that --shrink wrote
  --compare DIR   an --emit folder with bad/SEED.bin from a GPU: the first --count words that differ
  --emit N        write batches of N kernels with their results to --out, and check nothing
)";

// False: it is not a command line.
bool read(const std::vector<std::string>& words, Arguments& a) {
  const std::map<std::string, uint64_t*> numbers = {
      {"--seed", &a.seed}, {"--count", &a.count}, {"--emit", &a.emit}};
  const std::map<std::string, std::string*> texts = {
      {"--out", &a.folder}, {"--replay", &a.replay}, {"--compare", &a.compare}};
  const std::map<std::string, bool*> flags = {{"--shrink", &a.shrink},
                                              {"--every-way", &a.every_way},
                                              {"--functional", &a.functional},
                                              {"--print", &a.print}};
  for (size_t k = 0; k < words.size(); ++k) {
    const bool value = k + 1 < words.size();
    if (const auto flag = flags.find(words[k]); flag != flags.end()) {
      *flag->second = true;
    } else if (const auto number = numbers.find(words[k]); number != numbers.end() && value) {
      *number->second = std::strtoull(words[++k].c_str(), nullptr, 10);
    } else if (const auto text = texts.find(words[k]); text != texts.end() && value) {
      *text->second = words[++k];
    } else {
      return false;
    }
  }
  return a.emit == 0 || !a.folder.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  if (!read({argv + 1, argv + argc}, a)) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  if (!a.folder.empty()) std::filesystem::create_directories(a.folder);
  return Run(a).all();
}
