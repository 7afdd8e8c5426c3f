// SPDX-License-Identifier: Apache-2.0
// Shared memory of a block between barriers; cp.async and bulk copies into it.
#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {

using ptx::Type;

// Room in shared memory, static or dynamic: a 32-bit register with its address.
std::string Writer::shared_room(uint32_t bytes) {
  const std::string at = fresh("%tx");
  if (rng_.chance(25) && kernel_.dynamic_shared + bytes <= 16384) {
    if (kernel_.dynamic_shared == 0) {
      Statement s;
      s.text = ".extern .shared .align 16 .b8 dyn$[];";
      s.role = Role::kInitial;
      s.defines = {"dyn$"};
      kernel_.module.push_back(s);
    }
    fixed("mov.u32 " + at + ", dyn$;" +
              (kernel_.dynamic_shared > 0
                   ? "\n  add.u32 " + at + ", " + at + ", " + std::to_string(kernel_.dynamic_shared) + ";"
                   : ""),
          {at});
    kernel_.dynamic_shared += (bytes + 127) / 128 * 128;
    return at;
  }
  const std::string name = "tile" + std::to_string(labels_++);
  Statement s;
  s.text = ".shared .align 128 .b8 " + name + "[" + std::to_string(bytes) + "];";
  s.role = Role::kInitial;
  s.defines = {name};
  kernel_.variables.push_back(s);
  fixed("mov.u32 " + at + ", " + name + ";", {at});
  return at;
}

void Writer::barrier() {
  const auto threads = static_cast<uint32_t>(kernel_.block.x * kernel_.block.y);
  const std::string number = std::to_string(rng_.chance(70) ? 0 : 1 + rng_.below(15));
  const uint32_t dice = rng_.below(100);
  if (dice < 50) return fixed("bar.sync " + number + ";");
  if (dice < 65)
    return fixed("barrier" + rng_.pick({".sync ", ".cta.sync ", ".sync.aligned ", ".cta.sync.aligned "}) +
                 number + ";");
  if (threads % 32 == 0 && dice < 75)
    return fixed("bar.sync " + number + ", " + std::to_string(threads) + ";");
  std::vector<std::string> defined;
  if (dice < 85) {
    const std::string d = fresh("%r");
    fixed("bar.red.popc.u32 " + d + ", " + number + ", " + (rng_.chance(40) ? "!" : "") + predicate() + ";",
          {d});
    return show(d);
  }
  const std::string p = fresh("%p");
  fixed(
      "barrier.cta.red." + rng_.pick({"and", "or"}) + ".pred " + p + ", " + number + ", " + predicate() + ";",
      {p});
  show(p);
}

// Every thread writes its element, and reads another's behind a barrier.
void Writer::shared_exchange() {
  if (!place_.block_together || place_.in_function || tiles_ >= 6) return;
  ++tiles_;
  if (kernel_.directives.find("cluster") != std::string::npos && rng_.chance(60)) return cluster_exchange();
  const auto threads = static_cast<uint32_t>(kernel_.block.x * kernel_.block.y);
  const Type type =
      std::vector<Type>{Type::kB32, Type::kB64, Type::kF32, Type::kB16, Type::kF64, Type::kB8}[rng_.below(6)];
  const unsigned bytes = ptx::bytes(type), vec = bytes <= 4 && bytes > 1 && rng_.chance(30) ? 2 : 1;
  const Type held = bytes == 1 ? Type::kB32 : type;
  const std::string name = "." + std::string(ptx::info(type).name), v = vec == 2 ? ".v2" : "";
  together([&] {
    const uint32_t step = bytes * vec;
    const std::string room = shared_room(step * threads + 16);
    const std::string mine = fresh("%tx"), other = fresh("%tx");
    fixed("mad.lo.s32 " + mine + ", %tx0, " + std::to_string(step) + ", " + room + ";", {mine});
    std::string list;
    std::vector<std::string> from = peers(held, vec);
    if (from.empty()) return;
    for (unsigned k = 0; k < vec; ++k) {
      if (bytes < 4) from[k] = stored_whole(type, from[k]);
      if (from[k].empty()) return;
      list += (k > 0 ? ", " : "") + from[k];
    }
    fixed("st.shared" + v + name + " [" + mine + "], " + (vec == 2 ? "{" + list + "}" : list) + ";");
    barrier();
    const uint32_t by = 1 + rng_.below(threads);
    const bool power = (threads & (threads - 1)) == 0;
    fixed(power && rng_.chance(60)
              ? "xor.b32 " + other + ", %tx0, " + std::to_string(by & (threads - 1)) + ";"
              : "add.u32 " + other + ", %tx0, " + std::to_string(by) + ";\n  rem.u32 " + other + ", " +
                    other + ", " + std::to_string(threads) + ";",
          {other});
    fixed("mad.lo.s32 " + other + ", " + other + ", " + std::to_string(step) + ", " + room + ";");
    std::vector<std::string> defined;
    list.clear();
    for (unsigned k = 0; k < vec; ++k) {
      defined.push_back(fresh(bytes == 1 ? "%r" : classes(type)[0]));
      list += (k > 0 ? ", " : "") + defined.back();
    }
    fixed("ld.shared" + v + name + " " + (vec == 2 ? "{" + list + "}" : list) + ", [" + other + "];",
          defined);
    for (const std::string& d : defined) show(d);
    // Those who come round again, and rooms that are used anew, must not overtake the readers.
    if (place_.in_loop || rng_.chance(30)) fixed("bar.sync 0;");
  });
}

// Every thread writes a word of its own in global memory, at once or at the memory partition, and reads
// another's behind a barrier.
void Writer::global_exchange() {
  if (!place_.block_together || place_.in_function || tiles_ >= 6) return;
  const std::string value = source(Type::kB32, false);
  if (value.empty()) return;
  ++tiles_;
  const auto threads = static_cast<uint32_t>(kernel_.block.x * kernel_.block.y);
  together([&] {
    const std::string at = "+" + std::to_string(4 * rng_.below(32)) + "]";
    const std::string old = fresh("%r"), other = fresh("%tx"), far = fresh("%pt"), d = fresh("%r");
    fixed("mov.b32 " + old + ", 0;", {old});
    fixed(rng_.pick({"st.global.b32 ", "st.volatile.global.b32 ", "st.relaxed.gpu.global.b32 ",
                     "red.global.add.u32 ", "red.relaxed.sys.global.xor.b32 "}) +
          "[%pt2" + at + ", " + value + ";");
    if (rng_.chance(40)) fixed("atom.global.add.u32 " + old + ", [%pt2" + at + ", 3;");
    fixed("bar.sync 0;");
    fixed("add.u32 " + other + ", %tx0, " + std::to_string(1 + rng_.below(threads)) + ";\n  rem.u32 " +
              other + ", " + other + ", " + std::to_string(threads) + ";\n  sub.s32 " + other + ", " + other +
              ", %tx0;\n  mul.wide.s32 " + far + ", " + other + ", 256;\n  add.s64 " + far + ", %pt2, " +
              far + ";",
          {other, far});
    fixed("ld.global.b32 " + d + ", [" + far + at + ";", {d});
    show(d);
    show(old);
    fixed("bar.sync 0;");
  });
}

// cp.async of the thread's own input, with sources shorter than the copy, in groups; read behind a wait.
void Writer::async_copy() {
  if (place_.in_function || tiles_ >= 6 || place_.in_loop || place_.depth > 1) return;
  if (!place_.block_together) return;
  ++tiles_;
  const uint32_t dice = rng_.below(100);
  if (dice < 25) return bulk_copy();
  if (dice < 45) return meet_at_mbarrier();
  if (dice < 60) return bulk_store();
  const auto threads = static_cast<uint32_t>(kernel_.block.x * kernel_.block.y);
  together([&] {
    const unsigned copies = 1 + rng_.below(4);
    const std::string room = shared_room(16 * copies * threads), mine = fresh("%tx");
    fixed("mad.lo.s32 " + mine + ", %tx0, " + std::to_string(16 * copies) + ", " + room + ";", {mine});
    for (unsigned k = 0; k < copies; ++k) {
      const uint32_t size = rng_.number({4, 8, 16, 16});
      std::string text = "cp.async." + std::string(size == 16 && rng_.chance(50) ? "cg" : "ca") + ".shared" +
                         rng_.pick({"", "::cta"}) + ".global" + (rng_.chance(20) ? ".L2::128B" : "") + " [" +
                         mine + "+" + std::to_string(16 * k) + "], [%pt1+" +
                         std::to_string(16 * rng_.below(60)) + "], " + std::to_string(size);
      const std::string short_size = fresh("%tx");
      if (rng_.chance(40)) {
        fixed("and.b32 " + short_size + ", " + source(Type::kB32, false) + ", " + std::to_string(size - 1) +
                  ";",
              {short_size});
        text += ", " + (rng_.chance(50) ? short_size : std::to_string(rng_.below(size + 1)));
      }
      // What a copy leaves alone has a value.
      fixed("st.shared.v4.b32 [" + mine + "+" + std::to_string(16 * k) + "], {%tx0, %tx1, 3, " +
            reg_of({"%r"}) + "};");
      fixed(guard(25) + text + ";");
      if (rng_.chance(60)) fixed("cp.async.commit_group;");
    }
    fixed("cp.async.commit_group;");
    fixed(rng_.chance(50) ? "cp.async.wait_group 0;" : "cp.async.wait_all;");
    barrier();
    const std::string other = fresh("%tx");
    fixed("add.u32 " + other + ", %tx0, " + std::to_string(rng_.below(threads)) + ";\n  rem.u32 " + other +
              ", " + other + ", " + std::to_string(threads) + ";\n  mad.lo.s32 " + other + ", " + other +
              ", " + std::to_string(16 * copies) + ", " + room + ";",
          {other});
    for (unsigned k = 0; k < copies; ++k) {
      const std::string d = fresh("%rd"), e = fresh("%rd");
      fixed("ld.shared.v2.b64 {" + d + ", " + e + "}, [" + other + "+" + std::to_string(16 * k) + "];",
            {d, e});
      show(d);
      show(e);
    }
  });
}

// One thread copies a run of the input in bulk; an mbarrier tells all.
void Writer::bulk_copy() {
  together([&] {
    const uint32_t bytes = 16 * (1 + rng_.below(32));
    const std::string room = shared_room(bytes), bar = shared_room(16), p = fresh("%pr"), done = fresh("%pr"),
                      wait = label();
    fixed("setp.eq.u32 " + p + ", %tx0, 0;", {p});
    fixed("@" + p + " mbarrier.init.shared" + rng_.pick({"", "::cta"}) + ".b64 [" + bar + "], 1;");
    fixed("fence.proxy.async;\n  bar.sync 0;");
    const std::string ignored = fresh("%pt");
    fixed("@" + p + " mbarrier.arrive.expect_tx.shared::cta.b64 " + ignored + ", [" + bar + "], " +
              std::to_string(bytes) + ";",
          {ignored});
    fixed("@" + p + " cp.async.bulk.shared::" + rng_.pick({"cluster", "cta"}) +
          ".global.mbarrier::complete_tx::bytes [" + room + "], [%pt0+" +
          std::to_string(16 * rng_.below(256)) + "], " + std::to_string(bytes) + ", [" + bar + "];");
    fixed(wait + ":\n  mbarrier." + rng_.pick({"try_wait", "test_wait"}) + ".parity.shared::cta.b64 " + done +
              ", [" + bar + "], 0;\n  @!" + done + " bra " + wait + ";",
          {done});
    const std::string other = fresh("%tx"), d = fresh("%r");
    fixed("and.b32 " + other + ", %tx0, 3;\n  mad.lo.s32 " + other + ", " + other + ", 4, " + room + ";",
          {other});
    fixed("ld.shared.b32 " + d + ", [" + other + "];", {d});
    show(d);
  });
}

// Every thread arrives at an mbarrier behind its store, waits for the phase, and reads another's value.
void Writer::meet_at_mbarrier() {
  const auto threads = static_cast<uint32_t>(kernel_.block.x * kernel_.block.y);
  together([&] {
    const std::string room = shared_room(4 * threads), bar = shared_room(16), p = fresh("%pr"),
                      done = fresh("%pr"), wait = label();
    const std::string mine = fresh("%tx"), other = fresh("%tx"), state = fresh("%pt"), d = fresh("%r");
    fixed("setp.eq.u32 " + p + ", %tx0, 0;\n  @" + p + " mbarrier.init.shared::cta.b64 [" + bar + "], " +
              std::to_string(threads) + ";\n  bar.sync 0;",
          {p});
    fixed("mad.lo.s32 " + mine + ", %tx0, 4, " + room + ";\n  st.shared.b32 [" + mine + "], " +
              source(Type::kB32) + ";",
          {mine});
    fixed("mbarrier.arrive" + rng_.pick({"", ".release.cta"}) + ".shared::cta.b64 " + state + ", [" + bar +
              "];",
          {state});
    fixed(wait + ":\n  mbarrier." + rng_.pick({"try_wait", "test_wait"}) + ".shared::cta.b64 " + done +
              ", [" + bar + "], " + state + ";\n  @!" + done + " bra " + wait + ";",
          {done});
    fixed("xor.b32 " + other + ", %tx0, 1;\n  min.u32 " + other + ", " + other + ", " +
              std::to_string(threads - 1) + ";\n  mad.lo.s32 " + other + ", " + other + ", 4, " + room +
              ";\n  ld.shared.b32 " + d + ", [" + other + "];",
          {other, d});
    show(d);
  });
}

// One thread of the block stores a run of shared memory into its own words in bulk, and reads them: those
// that registers go to at the end, which no atomic or strong access has touched (README, known).
void Writer::bulk_store() {
  together([&] {
    const auto threads = static_cast<uint32_t>(kernel_.block.x * kernel_.block.y);
    const uint32_t bytes = 16 * (1 + rng_.below(std::min(8u, threads / 4)));
    const std::string room = shared_room(4 * threads), p = fresh("%pr"), mine = fresh("%tx"), d = fresh("%r");
    fixed("mad.lo.s32 " + mine + ", %tx0, 4, " + room + ";\n  st.shared.b32 [" + mine + "], " +
              source(Type::kB32) + ";",
          {mine});
    fixed("fence.proxy.async;\n  bar.sync 0;");
    fixed("setp.eq.u32 " + p + ", %tx0, " + std::to_string(rng_.below(threads)) + ";", {p});
    // Upon the thread's own words, which accesses that take effect late may have touched, or beside them.
    const uint32_t at = rng_.chance(50) ? 0 : 128;
    fixed("@" + p + " cp.async.bulk.global.shared::cta.bulk_group [%pt2+" + std::to_string(at) + "], [" +
          room + "], " + std::to_string(bytes) + ";\n  @" + p + " cp.async.bulk.commit_group;\n  @" + p +
          " cp.async.bulk.wait_group 0;\n  fence.proxy.async;");
    fixed("ld.global.b32 " + d + ", [%pt2+" + std::to_string(at + 4 * rng_.below(bytes / 4)) + "];", {d});
    show(d);
  });
}

}  // namespace gpuloom::fuzz
