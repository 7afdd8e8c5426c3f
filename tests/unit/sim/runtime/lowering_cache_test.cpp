// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/lowering_cache.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "sim/memory/scratch_folder.h"
#include "sim/runtime/device.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

using namespace gpuloom;
using namespace gpuloom::sim;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  std::string path() const { return path_.string(); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    if (fs::exists(path_))
      for (const auto& entry : fs::directory_iterator(path_)) all.push_back(entry.path());
    return all;
  }

 private:
  const ScratchFolder scratch_;
  const fs::path path_ = scratch_.file("cache");  // made with its first file
};

const char* const kText = R"(.version 8.0
.target sm_90
.address_size 64
.global .u32 seen[64];
.visible .entry k(.param .u64 p)
{
.reg .b64 %rd<6>; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .pred %p1;
ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
mov.u32 %r2, 0;
TURN: cvt.rn.f32.u32 %f1, %r1; mul.f32 %f1, %f1, 0f3F000000; cvt.rzi.u32.f32 %r3, %f1;
set.gt.u32.f32 %r4, %f1, 0f41000000; xor.b32 %r3, %r3, %r4; mad.lo.u32 %r1, %r1, 3, %r3;
add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra TURN;
mov.u64 %rd3, seen; add.u64 %rd3, %rd3, %rd2; st.global.u32 [%rd3], %r1; st.global.u32 [%rd1], %r1;
ret;
}
)";

struct Run {
  std::vector<uint32_t> values;
  uint64_t cycles = 0;
  std::string listing;
};

// `moved`: the module's variable has another address.
Run run(const std::string& cache, bool moved = false) {
  Run result;
  DeviceOptions options;
  options.config = "tiny";
  options.lowering_cache = cache;
  Device device(options);
  if (moved) device.memory().allocate(1 << 20, "before");
  LoadedModule& module = device.load_text(kText, "k.ptx");
  const uint64_t data = device.memory().allocate(256, "data");
  LaunchRequest r;
  r.kernel = &module.kernel("k");
  r.grid = {1, 1, 1};
  r.block = {64, 1, 1};
  r.params.resize(8);
  std::memcpy(r.params.data(), &data, 8);
  const LaunchOutcome outcome = device.launch(r);
  result.cycles = outcome.timed->cycles;
  result.listing = ptx::describe(*outcome.machine);
  result.values.resize(64);
  device.memory().read(data, result.values.data(), 256);
  std::vector<uint32_t> seen(64);
  device.memory().read(module.symbol("seen").address, seen.data(), 256);
  CHECK(seen == result.values);
  return result;
}

void check_equal(const Run& a, const Run& b) {
  CHECK(a.values == b.values);
  CHECK(a.cycles == b.cycles);
  CHECK(a.listing == b.listing);
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

}  // namespace

TEST_CASE("A run that finds its kernel lowered does and takes what one does that lowers it") {
  const Folder folder;
  const Run without = run("");
  CHECK(folder.files().empty());
  check_equal(run(folder.path()), without);
  REQUIRE(folder.files().size() == 1);
  check_equal(run(folder.path()), without);
  CHECK(folder.files().size() == 1);
}

TEST_CASE("A lowered kernel is not taken where variables have other addresses") {
  const Folder folder;
  run(folder.path());
  run(folder.path(), true);  // checks that it writes where the variable is
  CHECK(folder.files().size() == 2);
}

TEST_CASE("A file of lowered kernels that is spoilt is written anew") {
  const Folder folder;
  const Run without = run(folder.path());
  REQUIRE(folder.files().size() == 1);
  const fs::path file = folder.files()[0];
  const std::string whole = contents(file);
  std::string spoilt = whole;
  spoilt[spoilt.size() / 2] ^= 1;
  for (const std::string& text : {spoilt, whole.substr(0, 100), std::string()}) {
    std::ofstream(file, std::ios::binary) << text;
    check_equal(run(folder.path()), without);
    CHECK(contents(file).size() == whole.size());
    CHECK(contents(file) != spoilt);
  }
}

TEST_CASE("Lowered kernels are looked up by configuration, text and options, and not made twice") {
  using ptx::Loops;
  const Folder folder;
  const std::string text =
      ptx::test_kernel("add.f32 %f1, %f1, %f2; mul.f32 %f1, %f1, %f3; st.global.f32 [%rd1], %f1;");
  const ptx::Lowered plain = ptx::lowered_text(text, Loops::kAsWritten);
  const ptx::Program& program = *plain.source.program;
  ptx::MachineModel slow = ptx::plain_model();
  for (auto& row : slow.latency) row.latency = static_cast<uint16_t>(row.latency + 9);
  const auto listing = [&](const char* configuration, const char* sha, const ptx::MachineModel& model,
                           const ptx::LoweringOptions& options = {}) {
    return ptx::describe(LoweringCache(folder.path(), configuration).lower(program, sha, model, options));
  };
  const std::string fast = listing("a", "1", ptx::plain_model());
  CHECK(fast == ptx::describe(plain.machine));
  CHECK(listing("a", "1", slow) == fast);  // it is what the file has: a configuration has one model
  CHECK(listing("b", "1", slow) != fast);
  CHECK(listing("a", "2", slow) != fast);
  ptx::LoweringOptions none;
  none.lowering = ptx::Lowering::kNone;
  CHECK(listing("a", "1", ptx::plain_model(), none) != fast);
  CHECK(folder.files().size() == 4);
  ptx::LoweringOptions without;
  without.control.set("schedule", false);
  listing("a", "1", slow, without);
  CHECK(folder.files().size() == 4);  // passes that are left out are for comparisons
}

TEST_CASE("A lowered kernel is not read by another build of gpuloom, nor kept by a build without a name") {
  const Folder folder;
  const ptx::Lowered plain = ptx::lowered_text(
      ptx::test_kernel("add.f32 %f1, %f1, %f2; mul.f32 %f1, %f1, %f3; st.global.f32 [%rd1], %f1;"),
      ptx::Loops::kAsWritten);
  const ptx::Program& program = *plain.source.program;
  // A build that lowers otherwise: whoever read its file would get its times.
  ptx::MachineModel other = ptx::plain_model();
  for (auto& row : other.latency) row.latency = static_cast<uint16_t>(row.latency + 9);
  const auto listing = [&](const char* build, const ptx::MachineModel& model) {
    return ptx::describe(LoweringCache(folder.path(), "a", build).lower(program, "1", model, {}));
  };
  const std::string theirs = listing("theirs", other), own = ptx::describe(plain.machine);
  CHECK(theirs != own);
  CHECK(listing("ours", ptx::plain_model()) == own);
  CHECK(folder.files().size() == 2);
  CHECK(listing("theirs", ptx::plain_model()) == theirs);
  CHECK(listing("", ptx::plain_model()) == own);
  CHECK(folder.files().size() == 2);
}

TEST_CASE("A folder that cannot be made keeps nothing and stops nothing") {
  check_equal(run("/proc/nowhere"), run(""));
}
