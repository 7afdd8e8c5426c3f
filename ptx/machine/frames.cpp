// SPDX-License-Identifier: Apache-2.0
// Stack frames: room for spilled values, and a function of the calling convention stores what it must leave
// as it is at its begin and loads it before it returns (SASS of recursion: IADD3 R1, STL; LDL, VIADD R1,
// RET).
#include <algorithm>
#include <set>

#include "ptx/machine/calls.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

constexpr uint8_t kStackPointer = 1;
constexpr uint8_t kWord = 4;

class FrameMaker {
 public:
  FrameMaker(Graph& g, uint32_t f) : g_(g), f_(f) {}

  void run() {
    if (g_.conventional[f_] != 0 && f_ != 0) find_saved();
    uint32_t& bytes = g_.program->functions[f_].saved_bytes;
    first_ = static_cast<uint16_t>(bytes);  // behind spilled values
    bytes += static_cast<uint32_t>(saved_.size() * kWord);
    if (bytes == 0) return;
    stack_ = add(kStackPointer);
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
      if (!g_.blocks[b].empty() && returns(g_.blocks[b].back())) restore(g_.blocks[b]);
    }
    save(g_.blocks[g_.flow.first_block[f_]]);
  }

 private:
  void find_saved() {
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
      for (const Node& n : g_.blocks[b]) {
        for (const uint32_t v : n.defs) {
          const VirtualRegister& r = g_.registers[v];
          if (r.words == 0 || r.uniform || r.physical == kNoRegister) continue;
          for (unsigned k = 0; k < r.words; ++k) {
            const unsigned at = r.physical + k;
            const bool back = at == kReturnAddress || at == kReturnAddress + 1;
            if (is_kept(at) || (back && r.fixed != kNoRegister)) saved_.insert(static_cast<uint8_t>(at));
          }
        }
      }
    }
  }

  uint32_t add(uint8_t physical) {
    VirtualRegister r{1, false, physical};
    r.fixed = physical;
    g_.registers.push_back(r);
    return static_cast<uint32_t>(g_.registers.size() - 1);
  }

  Node access(OpClass op, uint32_t decoded, uint16_t offset) const {
    Node n = frame_access(op, decoded, offset, kWord);
    n.uses = {stack_};
    return n;
  }

  Node move_stack(uint32_t decoded) const {
    Node n;
    n.op = OpClass::iadd;
    n.decoded = decoded;
    n.uses = n.defs = {stack_};
    return n;
  }

  void save(std::vector<Node>& nodes) {
    const uint32_t decoded = g_.flow.blocks[g_.flow.first_block[f_]].first;
    std::vector<Node> out{move_stack(decoded)};
    uint16_t offset = first_;
    for (const uint8_t r : saved_) {
      out.push_back(access(OpClass::stl, decoded, offset));
      out.back().uses.push_back(add(r));
      offset = static_cast<uint16_t>(offset + kWord);
    }
    nodes.insert(nodes.begin(), out.begin(), out.end());
  }

  void restore(std::vector<Node>& nodes) {
    Node back = nodes.back();
    nodes.pop_back();
    uint16_t offset = first_;
    for (const uint8_t r : saved_) {
      const auto it = std::find_if(back.uses.begin(), back.uses.end(),
                                   [&](uint32_t v) { return g_.registers[v].physical == r; });
      const uint32_t v = it != back.uses.end() ? *it : add(r);
      if (it == back.uses.end()) back.uses.push_back(v);
      nodes.push_back(access(OpClass::ldl, back.decoded, offset));
      nodes.back().defs = {v};
      offset = static_cast<uint16_t>(offset + kWord);
    }
    nodes.push_back(move_stack(back.decoded));
    nodes.push_back(std::move(back));
  }

  Graph& g_;
  uint32_t f_;
  uint32_t stack_ = kNoVirtual;
  uint16_t first_ = 0;
  std::set<uint8_t> saved_;
};

}  // namespace

Node frame_access(OpClass op, uint32_t decoded, uint16_t offset, uint8_t bytes) {
  Node n;
  n.op = op;
  n.decoded = decoded;
  n.frame = true;
  n.frame_offset = offset;
  n.lane_bytes = bytes;
  n.space = Space::kLocal;
  return n;
}

void add_frames(Graph& g) {
  for (uint32_t f = 0; f < g.program->functions.size(); ++f) FrameMaker(g, f).run();
}

}  // namespace gpuloom::ptx
