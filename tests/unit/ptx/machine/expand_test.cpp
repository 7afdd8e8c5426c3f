// SPDX-License-Identifier: Apache-2.0
// What stands around one PTX instruction. Cases and expectations: single instructions through ptxas 13.0,
// sm_90.
#include <vector>

#include "ptx/machine/lower.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::ptx {
namespace {

Lowered lowered(const std::string& body) {
  return lowered_text(
      test_kernel(".shared .align 128 .b8 s[4096]; .shared .align 8 .b64 bar; mov.u32 %r20, %tid.x;\n" +
                  body),
      Loops::kUnrolled);
}

const std::string kLoad =
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 4096, [bar];\n";
const std::string kStore = "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 4096;\n";

TEST_CASE("A bulk load stands in a loop that elects a lane, a bulk store of what all lanes share does not") {
  const auto load = lowered(kLoad), store = lowered(kStore);
  CHECK(load.count(OpClass::elect) == 1);
  CHECK(load.count(OpClass::plop3) == 3);
  CHECK(load.count(OpClass::bra) == 1);
  CHECK(store.count(OpClass::elect) + store.count(OpClass::plop3) + store.count(OpClass::bra) == 0);
  CHECK(load.count(OpClass::ublkcp) == 1);
  CHECK(store.count(OpClass::ublkcp) == 1);
}

TEST_CASE("A prefetch has no loop around it") {
  CHECK(lowered("cp.async.bulk.prefetch.L2.global [%rd1], 4096;").count(OpClass::plop3) == 0);
}

TEST_CASE("Each register in which lanes of a bulk copy differ comes with a move to the uniform file") {
  const std::string address = "mul.wide.u32 %rd2, %r20, 128; add.s64 %rd3, %rd1, %rd2;\n";
  const auto load = lowered(
      address + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd3], 128, [bar];");
  CHECK(load.count(OpClass::mov) == lowered(address + kLoad).count(OpClass::mov) + 2);
  const auto store = lowered(address + "cp.async.bulk.global.shared::cta.bulk_group [%rd3], [s], 128;");
  CHECK(store.count(OpClass::plop3) == 5);
  CHECK(store.count(OpClass::bra) == 1);
}

TEST_CASE("The lane that elect.sync has chosen needs no loop") {
  const auto l = lowered("elect.sync _|%p1, -1; @!%p1 bra L; bar.warp.sync 1;\n" + kLoad + "L:");
  CHECK(l.count(OpClass::elect) == 1);
  CHECK(l.count(OpClass::plop3) == 0);
}

TEST_CASE(
    "A loop that waits for a phase has no convergence barrier, a parity that is not a constant is shifted") {
  const auto waits = [](const std::string& parity) {
    return lowered("L: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], " + parity +
                   "; @!%p1 bra L; st.global.u32 [%rd1], %r20;");
  };
  CHECK(waits("0").count(OpClass::bssy) == 0);
  CHECK(waits("0").count(OpClass::shift) == 0);
  CHECK(waits("%r1").count(OpClass::bssy) == 0);
  CHECK(waits("%r1").count(OpClass::shift) == 1);
  CHECK(waits("%r20").count(OpClass::bssy) == 1);
}

TEST_CASE("The fence behind the initialisation of mbarriers is none of the machine's") {
  CHECK(lowered("fence.mbarrier_init.release.cluster;").count(OpClass::membar) == 0);
}

TEST_CASE("A fence between proxies stands behind a fence, but for global memory alone") {
  for (const auto& [space, fences] :
       {std::pair{"", 1u}, {".shared::cta", 1u}, {".shared::cluster", 1u}, {".global", 0u}}) {
    const auto l = lowered(std::string("fence.proxy.async") + space + ";");
    CHECK(l.count(OpClass::fence_async) == 1);
    CHECK(l.count(OpClass::membar) == fences);
  }
  const auto l =
      lowered("st.shared.u32 [s], %r20; fence.proxy.async.shared::cta; fence.proxy.async.shared::cta;");
  std::vector<OpClass> order;
  for (const MachineOp& op : l.machine.ops)
    if (op.op == OpClass::sts || op.op == OpClass::membar || op.op == OpClass::fence_async)
      order.push_back(op.op);
  CHECK(order == std::vector<OpClass>{OpClass::sts, OpClass::membar, OpClass::fence_async, OpClass::membar,
                                      OpClass::fence_async});
}

TEST_CASE("One lane adds up what all lanes add to one word") {
  const auto counted = lowered("red.global.add.u32 [%rd1], 1;");
  CHECK(counted.count(OpClass::vote) == 1);
  CHECK(counted.count(OpClass::popc) == 1);
  CHECK(counted.count(OpClass::red) == 1);
  const auto summed = lowered("red.global.add.u32 [%rd1], %r20;");
  CHECK(summed.count(OpClass::redux) == 1);
  const auto unused = lowered("atom.shared.add.u32 %r2, [s], %r20;");
  CHECK(unused.count(OpClass::redux) == 1);
  CHECK(unused.count(OpClass::atoms) == 1);
  const auto old = lowered("atom.global.add.u32 %r2, [%rd1], %r1; st.global.u32 [%rd1+4], %r2;");
  CHECK(old.count(OpClass::shfl) == 1);
  CHECK(old.count(OpClass::popc) == 2);
}

TEST_CASE("Lanes go one by one to words of their own, to floats and where they exchange") {
  const std::string own = "mul.wide.u32 %rd2, %r20, 4; add.s64 %rd3, %rd1, %rd2;\n";
  for (const std::string& text :
       {own + "red.global.add.u32 [%rd3], 1;", std::string("red.global.add.f32 [%rd1], 0f3F800000;"),
        std::string("atom.global.exch.b32 %r2, [%rd1], %r20; st.global.u32 [%rd1+4], %r2;"),
        std::string("red.global.add.u64 [%rd1], %rd1;")}) {
    INFO(text);
    CHECK(lowered(text).count(OpClass::vote) == 0);
  }
}

}  // namespace
}  // namespace gpuloom::ptx
