// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/pressure.h"

#include <algorithm>
#include <unordered_map>

namespace gpuloom::ptx {

namespace {

void add_once(std::vector<uint32_t>& list, uint32_t v) {
  if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
}

}  // namespace

Pressure::Pressure(const Graph& graph, const std::vector<Node>& nodes, const RowSet& live_in,
                   const RowSet& live_out) {
  operands_.resize(nodes.size());
  // A loop's variable is two values in the loop's block, the old one and the new one, and none in between.
  std::unordered_map<uint32_t, uint32_t> current;  // by virtual register
  const auto need = [&](uint32_t v) {
    const VirtualRegister& r = graph.registers[v];
    if (r.uniform) return Need{};
    return Need{r.words, r.words == 0 ? 1 : 0};
  };
  const auto add_value = [&](uint32_t v, bool from_outside) {
    values_.push_back({need(v), 0, 0, from_outside, false});
    return current[v] = static_cast<uint32_t>(values_.size() - 1);
  };
  for (size_t k = 0; k < nodes.size(); ++k) {
    for (const uint32_t v : nodes[k].uses) {
      const auto it = current.find(v);
      add_once(operands_[k].uses, it != current.end() ? it->second : add_value(v, live_in.has(v)));
    }
    for (const uint32_t value : operands_[k].uses) ++values_[value].uses;
    for (const uint32_t v : nodes[k].defs) {
      const bool keeps = nodes[k].guarded && !nodes[k].fresh;
      const auto it = current.find(v);
      add_once(operands_[k].defs,
               keeps && it != current.end() ? it->second : add_value(v, keeps && live_in.has(v)));
    }
    for (const uint32_t value : operands_[k].defs) ++values_[value].defs;
  }
  for (const auto& [v, value] : current) values_[value].live_out = live_out.has(v);
  live_in.for_each([&](uint32_t v) {
    if (current.count(v) == 0) add(through_, need(v), 1);
  });
  find_touching();
  restart();
}

void Pressure::find_touching() {
  touch_begin_.assign(values_.size() + 1, 0);
  for (const Operands& o : operands_) {
    Need sum;
    for (const auto* list : {&o.uses, &o.defs}) {
      for (const uint32_t v : *list) {
        ++touch_begin_[v + 1];
        add(sum, values_[v].need, 1);
      }
    }
    most_change_ = std::max(most_change_, static_cast<uint32_t>(sum.registers));
    touches_predicates_.push_back(sum.predicates != 0 ? 1 : 0);
  }
  for (size_t v = 1; v < touch_begin_.size(); ++v) touch_begin_[v] += touch_begin_[v - 1];
  touching_.resize(touch_begin_.back());
  std::vector<uint32_t> next(touch_begin_.begin(), touch_begin_.end() - 1);
  for (uint32_t k = 0; k < operands_.size(); ++k) {
    for (const auto* list : {&operands_[k].uses, &operands_[k].defs}) {
      for (const uint32_t v : *list) touching_[next[v]++] = k;
    }
  }
}

// At the border of the block where the values with `live` do, with so many operations of each still to come.
void Pressure::stand_at(bool Value::*live, uint32_t Value::*left) {
  left_.clear();
  live_.clear();
  altered_.clear();
  now_ = through_;
  for (const Value& v : values_) {
    left_.push_back(v.*left);
    live_.push_back(v.*live ? 1 : 0);
    if (v.*live) add(now_, v.need, 1);
  }
}

void Pressure::restart() { stand_at(&Value::live_in, &Value::uses); }

Need Pressure::change(uint32_t node) const {
  Need change;
  for (const uint32_t v : operands_[node].defs) {
    if (live_[v] == 0) add(change, values_[v].need, 1);
  }
  for (const uint32_t v : operands_[node].uses) {
    if (left_[v] == 1 && !values_[v].live_out && live_[v] != 0) add(change, values_[v].need, -1);
  }
  return change;
}

void Pressure::issue(uint32_t node) {
  altered_.clear();
  for (const uint32_t v : operands_[node].uses) {
    if (--left_[v] == 1) altered_.push_back(v);
    if (left_[v] != 0 || values_[v].live_out || live_[v] == 0) continue;
    live_[v] = 0;
    altered_.push_back(v);
    add(now_, values_[v].need, -1);
  }
  for (const uint32_t v : operands_[node].defs) {
    if (live_[v] != 0 || (left_[v] == 0 && !values_[v].live_out)) continue;
    live_[v] = 1;
    altered_.push_back(v);
    add(now_, values_[v].need, 1);
  }
}

void Pressure::restart_at_end() { stand_at(&Value::live_out, &Value::defs); }

Need Pressure::change_above(uint32_t node) const {
  const Operands& o = operands_[node];
  Need change;
  for (const uint32_t v : o.defs) {
    const bool again = std::find(o.uses.begin(), o.uses.end(), v) != o.uses.end();
    if (live_[v] != 0 && left_[v] == 1 && !values_[v].live_in && !again) add(change, values_[v].need, -1);
  }
  for (const uint32_t v : o.uses) {
    if (live_[v] == 0) add(change, values_[v].need, 1);
  }
  return change;
}

void Pressure::place_above(uint32_t node) {
  add(now_, change_above(node), 1);
  altered_.clear();
  for (const uint32_t v : operands_[node].defs) {
    if (--left_[v] <= 1) altered_.push_back(v);
    if (left_[v] == 0 && !values_[v].live_in) live_[v] = 0;
  }
  for (const uint32_t v : operands_[node].uses) {
    if (live_[v] == 0) altered_.push_back(v);
    live_[v] = 1;
  }
}

}  // namespace gpuloom::ptx
