// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/post_dominators.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

namespace gpuloom::ptx {

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

// Blocks among `open` from which `end` can be reached within `open`.
std::vector<uint32_t> reaching(const Flow& flow, uint32_t end, uint32_t first,
                               const std::vector<uint8_t>& open) {
  std::vector<uint32_t> found{end};
  std::vector<uint8_t> seen(open.size(), 0);
  seen[end - first] = 1;
  for (size_t k = 0; k < found.size(); ++k) {
    for (const uint32_t before : flow.predecessors[found[k]]) {
      if (open[before - first] == 0 || seen[before - first] != 0) continue;
      seen[before - first] = 1;
      found.push_back(before);
    }
  }
  return found;
}

}  // namespace

std::vector<uint32_t> post_dominators(const Flow& flow, uint32_t first, uint32_t end) {
  const uint32_t count = end - first;
  std::vector<uint32_t> result(count, UINT32_MAX);
  std::vector<uint8_t> open(count, 1);
  for (uint32_t exit = end; exit-- > first;) {
    if (open[exit - first] == 0 || !flow.successors[exit].empty()) continue;
    const std::vector<uint32_t> members = reaching(flow, exit, first, open);
    std::vector<uint32_t> local(count, UINT32_MAX);
    for (uint32_t k = 0; k < members.size(); ++k) local[members[k] - first] = k;
    Graph reversed(members.size());
    for (const uint32_t b : members) {
      for (const uint32_t s : flow.successors[b]) {
        if (local[s - first] != UINT32_MAX) boost::add_edge(local[s - first], local[b - first], reversed);
      }
    }
    using Vertex = boost::graph_traits<Graph>::vertex_descriptor;
    std::vector<Vertex> dominator(members.size(), boost::graph_traits<Graph>::null_vertex());
    boost::lengauer_tarjan_dominator_tree(
        reversed, Vertex{0},
        boost::make_iterator_property_map(dominator.begin(), get(boost::vertex_index, reversed)));
    for (size_t k = 0; k < members.size(); ++k) {
      if (dominator[k] != boost::graph_traits<Graph>::null_vertex())
        result[members[k] - first] = members[dominator[k]];
      open[members[k] - first] = 0;
    }
  }
  return result;
}

std::vector<uint32_t> all_post_dominators(const Flow& flow) {
  std::vector<uint32_t> out;
  for (size_t f = 0; f + 1 < flow.first_block.size(); ++f) {
    const auto part = post_dominators(flow, flow.first_block[f], flow.first_block[f + 1]);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

}  // namespace gpuloom::ptx
