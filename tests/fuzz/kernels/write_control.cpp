// SPDX-License-Identifier: Apache-2.0
// Control flow: lanes part and meet again, in branches, loops and tables of labels, or leave.
#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {

using ptx::Type;

namespace {

// Restores what held outside when a part of the control flow ends.
class Inside {
 public:
  Inside(Place& place, bool together) : place_(place), before_(place) {
    ++place.depth;
    if (together) return;
    place.block_together = place.warp_together = false;
    place.lanes.clear();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { place_ = before_; }

 private:
  Place& place_;
  const Place before_;
};

}  // namespace

// A condition in a register that nothing else writes; true for all threads or none where `together`.
std::string Writer::condition(bool together) {
  const std::string p = fresh("%pr");
  if (place_.in_function) {
    fixed("mov.pred " + p + ", " + predicate() + ";", {p});
    return p;
  }
  if (together) {
    const std::string n = fresh("%tx");
    fixed("ld.param.u32 " + n + ", [" + rng_.pick({"$_n", "$_m"}) + "];\n  setp." +
              rng_.pick({"lt", "gt", "eq", "ne"}) + ".u32 " + p + ", " + n + ", " +
              std::to_string(1 + rng_.below(4)) + ";",
          {p, n});
  } else if (rng_.chance(50)) {
    const std::string from = predicate();
    fixed(rng_.chance(30) ? "not.pred " + p + ", " + from + ";" : "mov.pred " + p + ", " + from + ";", {p});
  } else {
    const Type type = std::vector<Type>{Type::kS32, Type::kU32, Type::kF32}[rng_.below(3)];
    const bool by_thread = rng_.chance(40);
    fixed("setp." + rng_.pick({"lt", "gt", "le", "ge", "eq", "ne"}) + "." +
              (by_thread ? "u32" : std::string(ptx::info(type).name)) + " " + p + ", " +
              (by_thread ? "%tx0, " + std::to_string(rng_.below(40))
                         : source(type, false) + ", " + source(type)) +
              ";",
          {p});
  }
  return p;
}

void Writer::branch(unsigned budget) {
  const bool together = !place_.in_function && rng_.chance(20);
  group(true, [&] {
    const std::string p = condition(together);
    const std::string otherwise = label(), end = label();
    const bool two = rng_.chance(50), negated = rng_.chance(50);
    // The lanes of each side, by a vote of those that come here.
    std::string then_lanes, else_lanes;
    const bool known = place_.warp_together || !place_.lanes.empty();
    if (!together && known && rng_.chance(45)) {
      then_lanes = fresh("%ms");
      else_lanes = fresh("%ms");
      fixed("vote.sync.ballot.b32 " + then_lanes + ", " + (negated ? "" : "!") + p + ", " + lanes() + ";",
            {then_lanes});
      fixed("xor.b32 " + else_lanes + ", " + then_lanes + ", " + lanes() + ";", {else_lanes});
    }
    fixed((negated ? "@!" : "@") + p + " bra" + (together && rng_.chance(50) ? ".uni " : " ") +
          (two ? otherwise : end) + ";");
    group(true, [&] {
      const Inside inside(place_, together);
      if (!together) place_.lanes = then_lanes;
      statements(1 + rng_.below(budget));
    });
    if (two) {
      fixed("bra" + rng_.pick({"", ".uni"}) + " " + end + ";");
      fixed(otherwise + ":");
      group(true, [&] {
        const Inside inside(place_, together);
        if (!together) place_.lanes = else_lanes;
        statements(1 + rng_.below(budget));
      });
    }
    fixed(end + ":");
  });
}

// How often a loop runs goes to `count`: a constant, a parameter, or what the thread makes it.
void Writer::trip_count(const std::string& count, bool together) {
  const uint32_t dice = rng_.below(100);
  if (place_.in_function && dice >= 45) {
    fixed("and.b32 " + count + ", " + source(Type::kB32, false) + ", 3;", {count});
  } else if (dice < 45) {
    fixed("mov.u32 " + count + ", " + std::to_string(1 + rng_.below(rng_.chance(20) ? 12 : 5)) + ";",
          {count});
  } else if (dice < 70 || together) {
    fixed("ld.param.u32 " + count + ", [$_m];", {count});
  } else {
    fixed("and.b32 " + count + ", " + (rng_.chance(50) ? "%tx0" : source(Type::kB32, false)) + ", 3;" +
              (rng_.chance(50) ? "\n  add.u32 " + count + ", " + count + ", 1;" : ""),
          {count});
  }
}

void Writer::loop(unsigned budget) {
  const bool in_loop = place_.in_loop;
  group(true, [&] {
    const std::string begin = label(), end = label(), at = fresh("%tx"), count = fresh("%tx"),
                      p = fresh("%pr");
    const bool together = !place_.in_function && rng_.chance(60);
    trip_count(count, together);
    const bool down = rng_.chance(35), head = rng_.chance(40);
    fixed(down ? "mov.u32 " + at + ", " + count + ";" : "mov.u32 " + at + ", 0;", {at});
    show(at);
    // Loops whose lanes leave one after another keep account of those that are left.
    std::string left;
    const bool known = place_.warp_together || !place_.lanes.empty();
    if (!together && known && !head && rng_.chance(50)) {
      left = fresh("%ms");
      fixed("mov.b32 " + left + ", " + lanes() + ";", {left});
    }
    if (head) fixed("setp.eq.u32 " + p + ", " + count + ", 0;\n  @" + p + " bra " + end + ";", {p});
    fixed(begin + ":");
    group(true, [&] {
      const Inside inside(place_, together);
      place_.in_loop = true;
      if (!together) place_.lanes = left;
      statements(1 + rng_.below(budget));
    });
    const std::string step =
        down ? "sub.s32 " + at + ", " + at + ", 1;" : "add.s32 " + at + ", " + at + ", 1;";
    const std::string test =
        down ? "setp.gt.s32 " + p + ", " + at + ", 0;" : "setp.lt.u32 " + p + ", " + at + ", " + count + ";";
    std::string text = step + "\n  " + test;
    // A count of zero has gone once through a loop that tests at its end.
    if (!left.empty()) text += "\n  vote.sync.ballot.b32 " + left + ", " + p + ", " + left + ";";
    fixed(text + "\n  @" + p + " bra " + begin + ";", {p});
    if (head) fixed(end + ":");
  });
  place_.in_loop = in_loop;
}

void Writer::table_branch(unsigned budget) {
  group(true, [&] {
    const unsigned ways = rng_.chance(50) ? 4 : 2;
    const std::string index = fresh("%tx"), table = label(), end = label();
    const bool together = !place_.in_function && rng_.chance(20);
    if (together) {
      fixed("ld.param.u32 " + index + ", [$_n];\n  and.b32 " + index + ", " + index + ", " +
                std::to_string(ways - 1) + ";",
            {index});
    } else {
      fixed("and.b32 " + index + ", " + source(Type::kB32, false) + ", " + std::to_string(ways - 1) + ";",
            {index});
    }
    std::vector<std::string> labels;
    std::string list;
    for (unsigned k = 0; k < ways; ++k) {
      labels.push_back(label());
      list += (k > 0 ? ", " : "") + labels.back();
    }
    fixed(table + ": .branchtargets " + list + ";\n  brx.idx " + index + ", " + table + ";");
    for (unsigned k = 0; k < ways; ++k) {
      fixed(labels[k] + ":");
      group(true, [&] {
        const Inside inside(place_, together);
        statements(1 + rng_.below(std::max(1u, budget / 2)));
      });
      if (k + 1 < ways && !rng_.chance(20)) fixed("bra " + end + ";");
    }
    fixed(end + ":");
  });
}

// Some threads leave, and what they leave behind has been stored.
void Writer::early_exit() {
  line("@" + std::string(rng_.chance(50) ? "!" : "") + predicate() + " " + rng_.pick({"ret", "exit"}) + ";");
  place_.block_together = place_.warp_together = false;
  place_.lanes.clear();
}

}  // namespace gpuloom::fuzz
