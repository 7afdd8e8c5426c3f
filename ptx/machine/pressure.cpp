// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/pressure.h"

#include <algorithm>

namespace gpuloom::ptx {

namespace {

void add_once(std::vector<uint32_t>& list, uint32_t v) {
  if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
}

}  // namespace

Pressure::Pressure(const Graph& graph, const std::vector<Node>& nodes, const RowSet& live_in,
                   const RowSet& live_out) {
  operands_.resize(nodes.size());
  for (size_t k = 0; k < nodes.size(); ++k) {
    for (const uint32_t v : nodes[k].uses) add_once(operands_[k].uses, number(v, graph, live_in, live_out));
    for (const uint32_t v : nodes[k].defs) add_once(operands_[k].defs, number(v, graph, live_in, live_out));
    for (const uint32_t v : operands_[k].uses) ++values_[v].uses;
  }
  live_in.for_each([&](uint32_t v) {
    if (number_of_.count(v) == 0 && !graph.registers[v].uniform) through_ += graph.registers[v].words;
  });
  restart();
}

uint32_t Pressure::number(uint32_t v, const Graph& graph, const RowSet& live_in, const RowSet& live_out) {
  const auto [it, is_new] = number_of_.try_emplace(v, static_cast<uint32_t>(values_.size()));
  if (is_new) {
    const VirtualRegister& r = graph.registers[v];
    values_.push_back({r.uniform ? 0u : r.words, 0, live_in.has(v), live_out.has(v)});
  }
  return it->second;
}

void Pressure::restart() {
  left_.clear();
  live_.clear();
  now_ = through_;
  for (const Value& v : values_) {
    left_.push_back(v.uses);
    live_.push_back(v.live_in ? 1 : 0);
    if (v.live_in) now_ += v.words;
  }
}

int Pressure::change(uint32_t node) const {
  int change = 0;
  for (const uint32_t v : operands_[node].defs) {
    if (live_[v] == 0) change += static_cast<int>(values_[v].words);
  }
  for (const uint32_t v : operands_[node].uses) {
    if (left_[v] == 1 && !values_[v].live_out && live_[v] != 0) change -= static_cast<int>(values_[v].words);
  }
  return change;
}

void Pressure::issue(uint32_t node) {
  for (const uint32_t v : operands_[node].uses) {
    if (--left_[v] != 0 || values_[v].live_out || live_[v] == 0) continue;
    live_[v] = 0;
    now_ -= values_[v].words;
  }
  for (const uint32_t v : operands_[node].defs) {
    if (live_[v] != 0 || (left_[v] == 0 && !values_[v].live_out)) continue;
    live_[v] = 1;
    now_ += values_[v].words;
  }
}

}  // namespace gpuloom::ptx
