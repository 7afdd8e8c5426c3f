// SPDX-License-Identifier: Apache-2.0
// Every decoded instruction takes effect with one operation. Those that have none of their own (they
// vanished) go in front of the first operation that needs them, what is left goes to the block's end. The
// program's copy is put in that order.
#include <algorithm>
#include <set>

#include "ptx/machine/dependence.h"
#include "ptx/machine/late_rows.h"
#include "ptx/passes/edit.h"

namespace gpuloom::ptx {

namespace {

class BlockOrderer {
 public:
  BlockOrderer(Graph& g, uint32_t b, const std::set<int32_t>& late)
      : g_(g), late_(late), b_(b), first_(g.flow.blocks[b].first), before_(block_dependences(g, b)) {
    placed_.assign(before_.size(), 0);
    carried_.assign(before_.size(), 0);
    for (const Node& n : g.blocks[b]) {
      if (n.carries) carried_[n.decoded - first_] = 1;
      for (const uint32_t i : n.also) carried_[i - first_] = 1;
    }
  }

  // order[k] is the old index of the instruction that comes k-th in the block; begin/count by node are
  // positions in it.
  std::vector<uint32_t> order;
  std::vector<uint32_t> begin, count;
  // An instruction that no operation of the block needs reads what arrives late: the last operation, with
  // which it takes effect, must wait for that.
  bool waits = false;

  void run() {
    const std::vector<Node>& nodes = g_.blocks[b_];
    uint32_t last_carrier = 0;
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      if (nodes[k].carries) last_carrier = k;
    }
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      begin.push_back(static_cast<uint32_t>(order.size()));
      if (nodes[k].carries) {
        if (k == last_carrier) place_free(nodes[k].decoded - first_);
        place(nodes[k].decoded - first_);
        for (const uint32_t i : nodes[k].also) place(i - first_);
        if (k == last_carrier) place_rest();
      }
      count.push_back(static_cast<uint32_t>(order.size()) - begin.back());
    }
  }

 private:
  void place(uint32_t i) {
    if (placed_[i] != 0) return;
    placed_[i] = 1;
    for (const uint32_t k : before_[i]) place(k);
    order.push_back(first_ + i);
  }
  void place_left(uint32_t i) {
    const size_t from = order.size();
    place(i);
    const Program& p = *g_.program;
    for (size_t k = from; k < order.size(); ++k)
      for (uint32_t r = p.ref_begin[order[k]]; r < p.ref_begin[order[k] + 1]; ++r)
        waits |= !p.refs[r].defines && !p.refs[r].place.constant() && late_.count(p.refs[r].place.at) != 0;
  }
  // Left-over instructions that need not wait for the block's last carrier go before it.
  void place_free(uint32_t last) {
    std::vector<uint8_t> behind(before_.size(), 0);  // depends on `last`; dependences point backward
    behind[last] = 1;
    for (uint32_t i = last + 1; i < before_.size(); ++i) {
      behind[i] =
          std::any_of(before_[i].begin(), before_[i].end(), [&](uint32_t k) { return behind[k] != 0; }) ? 1
                                                                                                        : 0;
    }
    for (uint32_t i = 0; i < before_.size(); ++i) {
      if (placed_[i] == 0 && carried_[i] == 0 && behind[i] == 0) place_left(i);
    }
  }
  void place_rest() {
    for (uint32_t i = 0; i < before_.size(); ++i)
      if (placed_[i] == 0) place_left(i);
  }

  Graph& g_;
  const std::set<int32_t>& late_;  // rows of what arrives late
  uint32_t b_, first_;
  std::vector<std::vector<uint32_t>> before_;
  std::vector<uint8_t> placed_, carried_;
};

constexpr uint8_t kAllScoreboards = 0x3f;

void encode_registers(const Graph& g, const Node& n, MachineOp& op) {
  size_t k = 0;
  for (const uint32_t v : n.uses) {
    const VirtualRegister& r = g.registers[v];
    if (r.words == 0 || r.uniform || k >= op.src.size()) continue;
    if (std::find(op.src.begin(), op.src.begin() + static_cast<ptrdiff_t>(k), r.physical) !=
        op.src.begin() + static_cast<ptrdiff_t>(k)) {
      continue;
    }
    op.src[k++] = r.physical;
  }
  unsigned words = 0;
  for (const uint32_t v : n.defs) {
    const VirtualRegister& r = g.registers[v];
    if (r.words == 0 || r.uniform) continue;
    if (words == 0) op.dst = r.physical;
    words += r.words;
  }
  op.dst_count = static_cast<uint8_t>(words);
}

MachineOp encode(const Graph& g, const Node& n) {
  MachineOp op;
  op.op = n.op;
  op.guarded = n.guarded ? 1 : 0;
  op.constant_operand = n.constant_operand ? 1 : 0;
  op.constant_offset = n.constant_offset;
  op.memory = n.memory ? 1 : 0;
  op.uniform = n.uniform ? 1 : 0;
  op.lane_bytes = n.lane_bytes;
  op.frame = n.frame ? 1 : 0;
  op.frame_offset = n.frame_offset;
  encode_registers(g, n, op);
  return op;
}

}  // namespace

MachineProgram attach_and_encode(Graph& g) {
  MachineProgram machine;
  Program& p = *g.program;
  uint32_t f = 0;
  std::set<int32_t> late = late_rows(p, p.functions[0]);
  std::vector<uint32_t> order;
  order.reserve(p.code.size());
  for (uint32_t b = 0; b < g.blocks.size(); ++b) {
    while (b >= g.flow.first_block[f + 1]) late = late_rows(p, p.functions[++f]);
    BlockOrderer orderer(g, b, late);
    orderer.run();
    uint32_t last_carrier = 0;
    for (uint32_t k = 0; k < g.blocks[b].size(); ++k)
      if (g.blocks[b][k].carries) last_carrier = k;
    const uint32_t first = g.flow.blocks[b].first;
    std::vector<uint32_t> moved(orderer.order.size());  // new position of each instruction of the block
    for (uint32_t k = 0; k < orderer.order.size(); ++k) {
      moved[orderer.order[k] - first] = first + k;
    }
    order.insert(order.end(), orderer.order.begin(), orderer.order.end());
    machine.blocks.push_back(
        {static_cast<uint32_t>(machine.ops.size()), static_cast<uint32_t>(g.blocks[b].size())});
    for (uint32_t k = 0; k < g.blocks[b].size(); ++k) {
      Node& n = g.blocks[b][k];
      MachineOp op = encode(g, n);
      const uint32_t decoded = n.decoded;
      n.decoded = moved[decoded - first];
      op.source = n.decoded;
      if (n.op == OpClass::bra && !n.ends) op.slow_path = g.model->slow_path[p.code[decoded].op_class];
      if (orderer.waits && k == last_carrier) op.wait_mask = kAllScoreboards;
      op.exec_first = first + orderer.begin[k];
      op.exec_count = static_cast<uint16_t>(orderer.count[k]);
      machine.ops.push_back(op);
    }
  }
  reorder(p, order);
  return machine;
}

}  // namespace gpuloom::ptx
