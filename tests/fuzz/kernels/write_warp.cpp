// SPDX-License-Identifier: Apache-2.0
// Exchanges between the lanes of a warp, by all of them or by those that come here; atomics whose result does
// not depend on the order.
#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {

using ptx::Type;

void Writer::exchange() {
  const bool whole = place_.warp_together;
  if (!whole && place_.lanes.empty()) return;
  std::vector<std::string> defined;
  const uint32_t dice = rng_.below(100);
  const auto finish = [&](const std::string& text) {
    if (!forms_.takes(text)) return;
    line(text, defined);
    for (const std::string& name : defined) show(name);
  };
  if (dice < 10) return guarded_exchange();
  if (dice < 40) return shuffle();
  if (dice < 60) {
    const std::string mode = rng_.pick({"all", "any", "uni", "ballot"});
    const std::string p = (rng_.chance(30) ? "!" : "") + predicate();
    if (mode == "ballot")
      return finish("vote.sync.ballot.b32 " + destination(Type::kB32, defined) + ", " + p + ", " + lanes() +
                    ";");
    return finish("vote.sync." + mode + ".pred " + destination(Type::kPred, defined) + ", " + p + ", " +
                  lanes() + ";");
  }
  if (dice < 80) {
    const std::string op = rng_.pick(
        {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"});
    return finish("redux.sync." + op + " " + destination(Type::kB32, defined) + ", " + source(Type::kB32) +
                  ", " + lanes() + ";");
  }
  if (dice < 85) {
    defined.clear();
    const std::string p = destination(Type::kPred, defined), d = destination(Type::kB32, defined);
    return finish("elect.sync " + d + "|" + p + ", " + lanes() + ";");
  }
  const bool wide = rng_.chance(30);
  const std::string type = wide ? ".b64 " : ".b32 ";
  const std::string key = source(wide ? Type::kB64 : Type::kB32, false), d = destination(Type::kB32, defined);
  if (rng_.chance(50)) return finish("match.any.sync" + type + d + ", " + key + ", " + lanes() + ";");
  const std::string pair = rng_.chance(50) ? "|" + destination(Type::kPred, defined) : "";
  finish("match.all.sync" + type + d + pair + ", " + key + ", " + lanes() + ";");
}

// Reading a lane that is not there gives nothing that PTX defines: with a part of the warp, the lane is the
// first.
void Writer::shuffle() {
  std::vector<std::string> defined;
  const Type type = rng_.chance(70) ? Type::kB32 : Type::kF32;
  const std::string from = source(type, type == Type::kB32 && rng_.chance(20));
  std::string d = destination(type, defined);
  const std::string first_defined = defined.empty() ? "" : defined[0];
  if (rng_.chance(35)) d += "|" + destination(Type::kPred, defined);
  std::string text;
  if (place_.warp_together) {
    const std::string mode = rng_.pick({"up", "down", "bfly", "idx"});
    const bool all = rng_.chance(60);
    const std::string c = mode == "up" ? (all ? "0" : rng_.pick({"0x1800", "0x1000", "0x1c00"}))
                                       : (all ? "31" : rng_.pick({"0x181f", "0x101f", "0x1c1f"}));
    text = "shfl.sync." + mode + ".b32 " + d + ", " + from + ", " +
           (mode == "idx" && rng_.chance(40) ? source(Type::kU32, false)
                                             : std::to_string(rng_.below(rng_.chance(50) ? 32 : 6))) +
           ", " + c + ", 0xffffffff;";
  } else {
    const std::string lane = fresh("%tx");
    text = "brev.b32 " + lane + ", " + lanes() + ";\n  bfind.shiftamt.u32 " + lane + ", " + lane +
           ";\n  shfl.sync.idx.b32 " + d + ", " + from + ", " + lane + ", 31, " + lanes() + ";";
    defined.push_back(lane);
  }
  if (!forms_.takes(text)) return;
  line(text, defined);
  for (const std::string& name : defined)
    if (class_of(name) != "%tx") show(name);
}

// Under a guard, by the lanes that a vote found. redux is not among them (README, "Known").
void Writer::guarded_exchange() {
  const std::string d = reg_of({"%r"}), from = reg_of({"%r"});
  together([&] {
    const std::string p = fresh("%pr"), who = fresh("%ms");
    fixed("mov.pred " + p + ", " + predicate() + ";\n  vote.sync.ballot.b32 " + who + ", " + p + ", " +
              lanes() + ";",
          {p, who});
    if (rng_.chance(50)) return fixed("@" + p + " match.any.sync.b32 " + d + ", " + from + ", " + who + ";");
    const std::string lane = fresh("%tx");
    fixed("brev.b32 " + lane + ", " + who + ";\n  bfind.shiftamt.u32 " + lane + ", " + lane + ";\n  @" + p +
              " shfl.sync.idx.b32 " + d + ", " + from + ", " + lane + ", 31, " + who + ";",
          {lane});
  });
}

// On the thread's own words the old value is what the thread wrote last; on shared ones only the end counts.
void Writer::atomic() {
  std::vector<const Region*> own;
  for (const Region& r : regions_)
    if (r.writable && !r.local && (r.space == ".global" || r.space == ".shared" || r.space.empty()))
      own.push_back(&r);
  if (own.empty() || rng_.chance(50)) return shared_atomic();
  const Region region = *rng_.pick(own);
  const bool reduce = rng_.chance(25);
  const Use use = memory_use(reduce ? "red" : "atom", {{".space", region.space}});
  if (use.form == nullptr) return;
  Type type = Type::kNone;
  unsigned vec = 1;
  for (const std::string& word : use.words) {
    if (const Type named = word.empty() ? Type::kNone : ptx::type_named(word.substr(1)); named != Type::kNone)
      type = named;
    if (word.size() == 3 && word[1] == 'v') vec = static_cast<unsigned>(word[2] - '0');
  }
  const unsigned bytes = ptx::bytes(type) * vec;
  if (type == Type::kNone || bytes > region.bytes) return;
  if (vec > 1 && region.space != ".global") return;  // vectors of atomics are of global memory
  together([&] {
    std::vector<std::string> defined;
    const std::string when = guard(12);
    const auto several = [&](bool to) {
      std::string text;
      for (unsigned k = 0; k < vec; ++k) {
        if (!to) {
          text += (k > 0 ? ", " : "") + source(type, false);
          continue;
        }
        defined.push_back(fresh(classes(type)[0]));
        text += (k > 0 ? ", " : "") + defined.back();
      }
      return vec > 1 ? "{" + text + "}" : text;
    };
    std::string old;
    if (!reduce) old = (vec > 1 ? several(true) : destination(type, defined)) + ", ";
    if (!when.empty() && !defined.empty()) return;
    std::string rest = ", " + several(false);
    if (use.has(".cas")) rest += ", " + source(type, false);
    if (!forms_.takes(use.opcode + " " + old + "[" + region.base + "]" + rest + ";")) return;
    const std::string at = address(region, bytes);
    line(when + use.opcode + " " + old + at + rest + ";", defined);
    for (const std::string& name : defined) show(name);
  });
}

void Writer::shared_atomic() {
  if (place_.in_function || next_word_ + 2 > kSharedWords) return;
  const uint32_t word = next_word_;
  const std::string at = "[%pt3+" + std::to_string(word * 8) + "]";
  const uint32_t dice = rng_.below(100);
  const bool result = rng_.chance(40);
  const std::string begin =
      (result ? "atom" : "red") +
      rng_.pick({"", ".relaxed.gpu", ".relaxed.sys", result ? ".acq_rel.gpu" : ".release.gpu"}) +
      rng_.pick({".global", ".global", ""});
  const std::string to =
      result ? " " + fresh(dice < 60 ? "%r" : "%f") + ", " : " ";  // its order is nobody's to say: never read
  const std::string when = guard(20);
  std::string text;
  if (dice < 45) {
    text = begin +
           rng_.pick({".add.u32", ".add.s32", ".min.u32", ".max.u32", ".min.s32", ".max.s32", ".and.b32",
                      ".or.b32", ".xor.b32"}) +
           to + at + ", " + source(Type::kB32) + ";";
  } else if (dice < 60) {
    text =
        begin + rng_.pick({".inc.u32", ".dec.u32"}) + to + at + ", " + std::to_string(rng_.below(60)) + ";";
  } else if (!place_.in_loop) {  // small whole numbers: their sum is exact in any order
    const std::string small = fresh("%tx"), value = fresh("%f");
    text = "and.b32 " + small + ", " + source(Type::kB32, false) + ", 15;\n  cvt.rn.f32.u32 " + value + ", " +
           small + ";\n  " + when + begin + ".add.f32" + to + at + ", " + value + ";";
    next_word_ += 1;
    line(text);
    return;
  } else {
    return;
  }
  if (!forms_.takes(text)) return;
  next_word_ += 1;
  line(when + text);
}

}  // namespace gpuloom::fuzz
