// SPDX-License-Identifier: Apache-2.0
// What more than one warp's registers hold: products of tiles as nvcuda::wmma writes them, and words that the
// blocks of a cluster leave for each other.
#include <map>

#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {

using ptx::Type;

namespace {

struct Tiles {
  const char *type, *sum;  // of the factors, of the sums
  unsigned factor_registers, sum_registers, sum_bytes;
};

constexpr unsigned kTileBytes = 1024;  // of sums, at most

}  // namespace

// A fragment of sums that registers already hold; `before` gets lines that hide constants.
std::string Writer::sums_fragment(unsigned count, const std::string& letters, std::string& before) {
  std::map<std::string, std::string> hidden;
  std::string text = "{";
  for (unsigned k = 0; k < count; ++k) {
    const std::string name = reg_of({letters});
    const auto [known, first] = hidden.try_emplace(name);
    if (first) known->second = hidden_constant(name, before);
    text += (k > 0 ? ", " : "") + known->second;
  }
  return text + "}";
}

std::string Writer::new_fragment(unsigned count, const std::string& letters,
                                 std::vector<std::string>& defined) {
  std::string text = "{";
  for (unsigned k = 0; k < count; ++k) {
    defined.push_back(fresh(letters));
    text += (k > 0 ? ", " : "") + defined.back();
  }
  return text + "}";
}

// Two tiles of the input are multiplied; the product goes to shared memory, where lanes read what others had.
void Writer::tile_product() {
  static const std::vector<Tiles> kinds = {{".f16", ".f32", 8, 8, 4},
                                           {".f16", ".f16", 8, 4, 2},
                                           {".bf16", ".f32", 4, 8, 4},
                                           {".s8", ".s32", 2, 8, 4},
                                           {".u8", ".s32", 2, 8, 4}};
  if (tiles_ >= 6) return;
  ++tiles_;
  const Tiles& kind = rng_.pick(kinds);
  const bool halves = kind.factor_registers == 8;
  // Not m8n32k16, whose sums stand in other registers on an H200 than here (README, "Known").
  const bool tall = halves && rng_.below(2) == 1;
  const std::string shape = tall ? ".m32n8k16" : ".m16n16k16";
  const std::string letters = std::string(kind.sum) == ".f32" ? "%f" : "%r";
  together([&] {
    std::vector<std::string> d;
    const std::string rows = rng_.pick({".row", ".col"}), cols = rng_.pick({".row", ".col"});
    const auto load = [&](const std::string& which) {
      std::vector<std::string> factors;
      const std::string list = new_fragment(kind.factor_registers, "%r", factors);
      fixed("wmma.load." + which + shape + ".global" + kind.type + " " + list + ", [%pt0+" +
                std::to_string(rng_.below(200) * 32) + "], 32;",
            factors);
      return list;
    };
    const std::string left = load("a.sync.aligned" + rows), right = load("b.sync.aligned" + cols);
    std::string before;
    const std::string c = sums_fragment(kind.sum_registers, letters, before);
    const std::string product = new_fragment(kind.sum_registers, letters, d);
    const std::string types =
        halves ? std::string(kind.sum) + kind.sum : std::string(kind.sum) + kind.type + kind.type + kind.sum;
    line("wmma.mma.sync.aligned" + rows + cols + shape + types + " " + product + ", " + left + ", " + right +
             ", " + c + ";",
         d, Role::kFixed, before);
    share_tile(shape + ".shared" + kind.sum, tall ? 8 : 16, kind.sum_bytes, product);
    for (const std::string& name : d) show(name);
  });
}

// The warp stores a product by rows and reads it: another lane's part.
void Writer::share_tile(const std::string& store, unsigned columns, unsigned bytes,
                        const std::string& product) {
  const auto threads = static_cast<uint32_t>(kernel_.block.x * kernel_.block.y);
  const std::string room = shared_room(kTileBytes * ((threads + 31) / 32)), mine = fresh("%tx"),
                    lane = fresh("%tx");
  fixed("shr.u32 " + mine + ", %tx0, 5;\n  mad.lo.s32 " + mine + ", " + mine + ", " +
            std::to_string(kTileBytes) + ", " + room + ";",
        {mine});
  fixed("wmma.store.d.sync.aligned.row" + store + " [" + mine + "], " + product + ", " +
        std::to_string(columns) + ";\n  bar.warp.sync 0xffffffff;");
  fixed("add.u32 " + lane + ", %tx0, " + std::to_string(rng_.below(32)) + ";\n  and.b32 " + lane + ", " +
            lane + ", 31;\n  mad.lo.s32 " + lane + ", " + lane + ", " + std::to_string(bytes * 8) + ", " +
            mine + ";",
        {lane});
  std::vector<std::string> read;
  const std::string four = new_fragment(4, "%r", read);
  fixed("ld.shared.v4.b32 " + four + ", [" + lane + "];\n  bar.warp.sync 0xffffffff;", read);
  for (const std::string& name : read) show(name);
}

// Each block of a pair writes a word a thread and reads the other's, by its address in the other's memory.
void Writer::cluster_exchange() {
  const auto threads = static_cast<uint32_t>(kernel_.block.x * kernel_.block.y);
  together([&] {
    const std::string room = shared_room(4 * threads), mine = fresh("%tx"), rank = fresh("%tx"),
                      far = fresh("%tx"), d = fresh("%r");
    fixed("mad.lo.s32 " + mine + ", %tx0, 4, " + room + ";\n  st.shared.b32 [" + mine + "], " +
              source(Type::kB32) + ";",
          {mine});
    const std::string meet = rng_.chance(50)
                                 ? "barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;"
                                 : "barrier.cluster.arrive.release;\n  barrier.cluster.wait.acquire;";
    fixed(meet);
    fixed("mov.u32 " + rank + ", %cluster_ctarank;\n  xor.b32 " + rank + ", " + rank +
              ", 1;\n  mapa.shared::cluster.u32 " + far + ", " + mine + ", " + rank +
              ";\n  ld.shared::cluster.b32 " + d + ", [" + far + "];",
          {rank, far, d});
    if (rng_.chance(40)) fixed("red.shared::cluster.add.u32 [" + far + "], 3;");
    fixed(meet);
    if (rng_.chance(60)) {
      const std::string e = fresh("%r");
      fixed("ld.shared.b32 " + e + ", [" + mine + "];", {e});
      show(e);
    }
    show(d);
  });
}

}  // namespace gpuloom::fuzz
