// SPDX-License-Identifier: Apache-2.0
// What a whole warp does with matrices: mma of every shape and type that the table has for the target,
// ldmatrix, stmatrix, movmatrix.
#include <array>
#include <map>

#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {

using ptx::Type;

namespace {

// Registers of a fragment: elements of m x n matrices over 32 lanes, packed into registers of their size.
unsigned fragment(unsigned elements, Type type) {
  const unsigned bits = ptx::bits(type);
  return std::max(1u, elements * bits / 32 / (bits == 64 ? 64 : 32));
}

struct Shape {
  unsigned m = 0, n = 0, k = 0;
};

Shape shape_of(const std::string& word) {  // ".m16n8k16"
  Shape s;
  std::array<unsigned*, 3> into = {&s.m, &s.n, &s.k};
  size_t part = 0;
  for (size_t at = 1; at < word.size(); ++at) {
    if (word[at] == 'm') part = 0;
    if (word[at] == 'n') part = 1;
    if (word[at] == 'k') part = 2;
    if (std::isdigit(static_cast<unsigned char>(word[at])) != 0)
      *into[part] = *into[part] * 10 + static_cast<unsigned>(word[at] - '0');
  }
  return s;
}

}  // namespace

void Writer::matrix() {
  if (!place_.warp_together || place_.in_function) return;
  const uint32_t dice = rng_.below(100);
  if (dice < 50) return multiply();
  if (dice < 60) return tile_product();
  if (dice < 70) {
    std::vector<std::string> defined;
    const std::string d = destination(Type::kB32, defined);
    line("movmatrix.sync.aligned.m8n8.trans.b16 " + d + ", " + reg(Type::kU32) + ";", defined);
    for (const std::string& name : defined) show(name);
    return;
  }
  matrix_in_shared();
}

void Writer::multiply() {
  std::vector<const ptx::Form*> forms;
  for (const ptx::Form* form : ptx::isa_table().forms_of("mma"))
    if (form->not_modelled.empty() && form->instruction->mnemonic == "mma" && form->operands.size() == 4)
      forms.push_back(form);
  const Use use = forms_.use_of(*rng_.pick(forms), rng_);
  Shape shape;
  std::array<Type, 4> types{};  // d, a, b, c
  for (size_t k = 0; k < use.words.size(); ++k) {
    const std::string& set = use.form->mods[k].set;
    if (set == ".shape") shape = shape_of(use.words[k]);
    if (set == ".dtype") types[0] = ptx::type_named(use.words[k].substr(1));
    if (set == ".atype") types[1] = ptx::type_named(use.words[k].substr(1));
    if (set == ".btype") types[2] = ptx::type_named(use.words[k].substr(1));
    if (set == ".ctype") types[3] = ptx::type_named(use.words[k].substr(1));
  }
  if (types[0] != types[3]) return;  // the accumulator keeps its type
  const unsigned quads =
      shape.k == 4 && shape.m == 8 && types[1] == Type::kF16 ? 4 : 1;  // m8n8k4: four at once
  const std::array<unsigned, 4> elements = {quads * shape.m * shape.n, quads * shape.m * shape.k,
                                            quads * shape.k * shape.n, quads * shape.m * shape.n};
  together([&] {
    std::string text = use.opcode, before;
    std::vector<std::string> defined;
    std::map<std::string, std::string> hidden;  // ptxas goes wrong with constant fragments
    for (unsigned part = 0; part < 4; ++part) {
      const Type type = types[part];
      const Type held = ptx::bits(type) == 64 ? Type::kF64 : type == Type::kF32 ? Type::kF32 : Type::kB32;
      std::string letters;
      text += part == 0 ? " {" : ", {";
      for (unsigned k = 0; k < fragment(elements[part], type); ++k) {
        std::string name;
        if (part == 0) {
          name = fresh(held == Type::kF64 ? "%fd" : held == Type::kF32 ? "%f" : "%r");
          defined.push_back(name);
        } else {
          name = k == 0 ? reg(held == Type::kB32 ? Type::kTf32 : held) : reg_of({letters});
          letters = class_of(name);
        }
        if (name.empty()) return;
        if (part != 0) {
          const auto [known, first] = hidden.try_emplace(name);
          if (first) known->second = hidden_constant(name, before);
          name = known->second;
        }
        text += (k > 0 ? ", " : "") + name;
      }
      text += "}";
    }
    text += ";";
    if (!forms_.takes(text)) return;
    line(text, defined, Role::kPlain, before);
    for (const std::string& name : defined) show(name);
  });
}

// Each warp writes rows of its own, by stmatrix or as words, and reads them by ldmatrix or as words.
void Writer::matrix_in_shared() {
  if (tiles_ >= 6) return;
  ++tiles_;
  const auto threads = static_cast<uint32_t>(kernel_.block.x * kernel_.block.y);
  together([&] {
    const std::string room = shared_room(16 * threads), mine = fresh("%tx"), words = fresh("%tx");
    fixed("mad.lo.s32 " + mine + ", %tx0, 16, " + room + ";", {mine});
    fixed("shr.u32 " + words + ", %tx0, 5;\n  shl.b32 " + words + ", " + words + ", 9;\n  add.s32 " + words +
              ", " + words + ", " + room + ";",
          {words});
    const auto list = [&](unsigned count, std::vector<std::string>* defined) {
      std::string text = "{";
      for (unsigned k = 0; k < count; ++k) {
        const std::string name = defined != nullptr ? fresh("%r") : reg_of({"%r"});
        if (defined != nullptr) defined->push_back(name);
        text += (k > 0 ? ", " : "") + name;
      }
      return text + "}";
    };
    fixed("st.shared.v4.b32 [" + mine + "], " + list(4, nullptr) + ";\n  bar.warp.sync 0xffffffff;");
    const unsigned count = rng_.number({1, 2, 4});
    const std::string x = ".x" + std::to_string(count), trans = rng_.chance(50) ? ".trans" : "";
    if (rng_.chance(50)) {
      fixed("stmatrix.sync.aligned.m8n8" + x + trans + ".shared.b16 [" + mine + "], " + list(count, nullptr) +
            ";\n  bar.warp.sync 0xffffffff;");
      std::vector<std::string> defined;
      fixed("ld.shared.v4.b32 " + list(4, &defined) + ", [" + mine + "];", defined);
      for (const std::string& d : defined) show(d);
    } else {
      std::vector<std::string> defined;
      const std::string from = rng_.chance(50) ? mine : words;
      fixed("ldmatrix.sync.aligned.m8n8" + x + trans + rng_.pick({".shared", ".shared::cta"}) + ".b16 " +
                list(count, &defined) + ", [" + from + "];",
            defined);
      for (const std::string& d : defined) show(d);
    }
    if (place_.in_loop) fixed("bar.warp.sync 0xffffffff;");
  });
}

}  // namespace gpuloom::fuzz
