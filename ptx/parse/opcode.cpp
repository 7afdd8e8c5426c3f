// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/opcode.h"

#include <algorithm>

#include "base/text.h"
#include "ptx/isa/table/space_names.h"
#include "ptx/target.h"

namespace gpuloom::ptx {
namespace {

// Where a word begins in the opcode: offsets of its dots.
std::vector<size_t> dots(std::string_view opcode) {
  std::vector<size_t> out;
  for (size_t k = opcode.find('.'); k != std::string_view::npos; k = opcode.find('.', k + 1))
    out.push_back(k);
  return out;
}

std::string_view first_word(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

// One modifier that must or may be there: a word of the mnemonic after the first, or a slot of the form.
struct Place {
  int slot = -1;          // -1: a word of the mnemonic
  std::string_view word;  // for those
  bool optional = false;
};

class ModifierMatcher {
 public:
  ModifierMatcher(const Form& form, std::string_view opcode)
      : form_(&form), opcode_(opcode), tokens_(dots(opcode)) {
    const std::string_view mnemonic = form.instruction->mnemonic;
    const std::vector<size_t> words = dots(mnemonic);
    for (size_t k = 0; k < words.size(); ++k) {
      const size_t end = k + 1 < words.size() ? words[k + 1] : mnemonic.size();
      places_.push_back({-1, mnemonic.substr(words[k], end - words[k]), false});
    }
    fixed_ = places_.size();
    for (size_t k = 0; k < form.mods.size(); ++k)
      places_.push_back({static_cast<int>(k), {}, form.mods[k].optional});
    chosen_.assign(places_.size(), 0);
  }

  bool in_order() { return in_order(0, 0); }
  bool any_order() {
    budget_ = 20000;
    return any_order(0);
  }
  void result(std::array<uint8_t, kMaxModifierSlots>& mods) const {
    for (size_t k = fixed_; k < places_.size(); ++k) mods[k - fixed_] = chosen_[k];
  }

  // The best assignment that ignores what does not fit: for messages.
  void partial(std::vector<size_t>& unmatched, std::vector<const ModifierSlot*>& missing) {
    std::fill(chosen_.begin(), chosen_.end(), uint8_t{0});
    for (size_t t = 0; t < tokens_.size();) {
      size_t used = 0;
      for (size_t p = 0; p < places_.size() && used == 0; ++p)
        if (chosen_[p] == 0) used = take(p, t);
      if (used == 0) unmatched.push_back(tokens_[t]);
      t += std::max<size_t>(used, 1);
    }
    for (size_t p = fixed_; p < places_.size(); ++p)
      if (chosen_[p] == 0 && !places_[p].optional) missing.push_back(&form_->mods[p - fixed_]);
    words_missing_ = 0;
    for (size_t p = 0; p < fixed_; ++p) words_missing_ += chosen_[p] == 0;
  }
  size_t words_missing() const { return words_missing_; }

 private:
  // How many tokens from `t` on a text makes up; 0: none.
  size_t length(std::string_view value, size_t t) const {
    const std::string_view rest = opcode_.substr(tokens_[t]);
    if (!rest.starts_with(value)) return 0;
    if (rest.size() > value.size() && rest[value.size()] != '.') return 0;
    return static_cast<size_t>(std::count(value.begin(), value.end(), '.'));
  }
  // Gives place `p` the tokens from `t` on; how many it took, 0: it does not accept them.
  size_t take(size_t p, size_t t) {
    const Place& place = places_[p];
    if (place.slot < 0) {
      const size_t used = length(place.word, t);
      if (used > 0) chosen_[p] = 1;
      return used;
    }
    const std::vector<ModifierValue>& values = form_->mods[static_cast<size_t>(place.slot)].values;
    for (size_t v = 0; v < values.size() && v < 255; ++v) {
      const size_t used = length(values[v].text, t);
      if (used == 0) continue;
      chosen_[p] = static_cast<uint8_t>(v + 1);
      return used;
    }
    return 0;
  }
  bool in_order(size_t t, size_t p) {
    for (; p < places_.size(); ++p) {
      if (t < tokens_.size()) {
        if (const size_t used = take(p, t); used > 0) {
          if (in_order(t + used, p + 1)) return true;
          chosen_[p] = 0;
        }
      }
      if (!places_[p].optional) return false;
    }
    return t == tokens_.size();
  }
  Type type_of(size_t p) const {
    if (places_[p].slot < 0 || chosen_[p] == 0) return Type::kNone;
    return form_->mods[static_cast<size_t>(places_[p].slot)].values[chosen_[p] - 1u].type;
  }
  // Whatever order the other modifiers have: `cvt.rn.s8.f16` must not pass for `cvt.rn.f16.s8`.
  bool in_order_of_types(size_t p) const {
    for (size_t later = p + 1; later < places_.size(); ++later)
      if (type_of(later) != Type::kNone) return false;
    return true;
  }
  bool any_order(size_t t) {
    if (t == tokens_.size()) {
      for (size_t p = 0; p < places_.size(); ++p)
        if (chosen_[p] == 0 && !places_[p].optional) return false;
      return true;
    }
    for (size_t p = 0; p < places_.size(); ++p) {
      if (chosen_[p] != 0 || budget_ == 0) continue;
      --budget_;
      const size_t used = take(p, t);
      // The words of a mnemonic stand first and in order, `.sync` excepted: `vote.ballot.sync.b32`.
      if (used == 0 && p < fixed_ && places_[p].word != ".sync") return false;
      if (used == 0) continue;
      if (type_of(p) == Type::kNone || in_order_of_types(p)) {
        if (any_order(t + used)) return true;
      }
      chosen_[p] = 0;
    }
    return false;
  }

  const Form* form_;
  std::string_view opcode_;
  std::vector<size_t> tokens_;
  std::vector<Place> places_;
  size_t fixed_ = 0;
  std::vector<uint8_t> chosen_;
  unsigned budget_ = 0;
  size_t words_missing_ = 0;
};

std::string target_list(const std::vector<std::string>& needs) { return either(needs); }

// The capability of the earliest of these targets.
std::string first_capability(const std::vector<std::string>& needs) {
  for (const TargetInfo& target : all_targets())
    if (std::find(needs.begin(), needs.end(), target.name) != needs.end()) return capability_of(target.name);
  return {};
}

}  // namespace

bool match_modifiers(const Form& form, std::string_view opcode, bool any_order,
                     std::array<uint8_t, kMaxModifierSlots>& mods) {
  ModifierMatcher matcher(form, opcode);
  if (any_order ? !matcher.any_order() : !matcher.in_order()) return false;
  matcher.result(mods);
  return true;
}

const Opcode& OpcodeTable::find(std::string_view text) {
  std::unique_ptr<Opcode>& entry = memo_[text];
  if (entry == nullptr) entry = resolve(text);
  return *entry;
}

std::unique_ptr<Opcode> OpcodeTable::resolve(std::string_view text) const {
  auto opcode = std::make_unique<Opcode>();
  const std::vector<const Form*>& forms = context_->isa.forms_of(first_word(text));
  if (std::count(text.begin(), text.end(), '.') > 40) return opcode;
  for (const bool any_order : {false, true}) {
    for (const Form* form : forms) {
      Candidate candidate;
      candidate.form = form;
      if (!match_modifiers(*form, text, any_order, candidate.mods)) continue;
      complete(candidate);
      opcode->candidates.push_back(std::move(candidate));
    }
    if (!opcode->candidates.empty()) break;
  }
  // What the target has comes first; within that the order of declaration counts.
  std::stable_partition(opcode->candidates.begin(), opcode->candidates.end(),
                        [](const Candidate& c) { return c.illegal.empty(); });
  return opcode;
}

void OpcodeTable::complete(Candidate& candidate) const {
  const Form& form = *candidate.form;
  Instruction in;
  in.form = &form;
  if (!context_->target.empty() && !covers(context_->target, "sm_20")) flush_subnormals(candidate);
  std::copy(candidate.mods.begin(), candidate.mods.end(), in.mods);
  const FormUse use(form, in, nullptr);
  for (size_t k = 0; k < form.operands.size(); ++k) {
    const OperandSlot& slot = form.operands[k];
    OperandNeed need{&slot, slot.type};
    if (slot.type_slot >= 0) {
      const auto s = static_cast<size_t>(static_cast<uint8_t>(slot.type_slot));
      need.type = candidate.mods[s] == 0 ? Type::kNone : form.mods[s].values[candidate.mods[s] - 1u].type;
    }
    candidate.needs.push_back(need);
    const bool second_half = k > 0 && form.operands[k - 1].shape == OperandShape::kPair;
    if (second_half) continue;
    ++candidate.groups;
    if (!slot.optional) ++candidate.mandatory;
  }
  candidate.vector = use.vec();
  for (size_t k = 0; k < form.mods.size() && candidate.vector == 1; ++k)
    candidate.vector = use.vec(form.mods[k].set);
  find_spaces(candidate);
  const std::string_view mnemonic = form.instruction->mnemonic;
  candidate.reads_special = mnemonic == "mov" || mnemonic == "cvt";
  candidate.takes_symbol = mnemonic == "mov" || mnemonic == "cvta" || mnemonic == "mapa";
  candidate.takes_sink = form.kind == InstrKind::kAtomic || form.kind == InstrKind::kMbarrier ||
                         mnemonic.starts_with("atom") || mnemonic.starts_with("mbarrier") ||
                         mnemonic.starts_with("elect");
  candidate.selects = form.instruction->family == "video";
  check_legality(candidate);
}

// Before sm_20 every instruction on f32 flushes subnormals, without saying so (PTX ISA 9.7.3).
void OpcodeTable::flush_subnormals(Candidate& candidate) {
  const Form& form = *candidate.form;
  for (size_t k = 0; k < form.mods.size(); ++k) {
    const std::vector<ModifierValue>& values = form.mods[k].values;
    if (!form.mods[k].optional || candidate.mods[k] != 0 || values.size() != 1 || values[0].text != ".ftz")
      continue;
    candidate.mods[k] = 1;
    Instruction in;
    in.form = &form;
    std::copy(candidate.mods.begin(), candidate.mods.end(), in.mods);
    // Of a conversion of other types it has no meaning.
    if (form.check != nullptr && !form.check(FormUse(form, in, nullptr)).empty()) candidate.mods[k] = 0;
  }
}

// The state spaces that the modifiers name, in the order of the addresses. What a copy has beyond them is its
// mbarrier; mbarriers are in shared memory even without a state space (PTX ISA 9.7.13.16.3).
void OpcodeTable::find_spaces(Candidate& candidate) {
  const Form& form = *candidate.form;
  std::vector<Space> named;
  for (size_t k = 0; k < form.mods.size(); ++k) {
    if (candidate.mods[k] == 0) continue;
    const Space space = space_named(form.mods[k].values[candidate.mods[k] - 1u].text);
    if (space != Space::kGeneric) named.push_back(space);
  }
  const bool mbarrier = form.instruction->mnemonic.starts_with("mbarrier");
  const Space beyond =
      mbarrier || (!named.empty() && form.kind == InstrKind::kAsyncCopy) ? Space::kShared : Space::kGeneric;
  size_t address = 0;
  for (OperandNeed& need : candidate.needs) {
    if (need.slot->shape != OperandShape::kAddress && need.slot->shape != OperandShape::kTensor) continue;
    need.space = address < named.size() ? named[address] : beyond;
    ++address;
  }
}

void OpcodeTable::check_legality(Candidate& candidate) const {
  const Form& form = *candidate.form;
  std::string needed_version = form.since;
  std::string_view culprit = form.instruction->mnemonic;
  for (size_t k = 0; k < form.mods.size(); ++k) {
    if (candidate.mods[k] == 0) continue;
    const ModifierValue& value = form.mods[k].values[candidate.mods[k] - 1u];
    if (!value.since.empty() && ptx_version(value.since) > ptx_version(needed_version)) {
      needed_version = value.since;
      culprit = value.text;
    }
  }
  if (context_->version != 0 && ptx_version(needed_version) > context_->version) {
    candidate.illegal_code = Problem::kVersion;
    candidate.illegal =
        ticked(culprit) + " needs PTX ISA " + needed_version + " or later; the module says .version " +
        std::to_string(context_->module.version_major) + "." + std::to_string(context_->module.version_minor);
    return;
  }
  if (context_->target.empty()) return;
  const auto lacks = [&](std::string_view what, const std::vector<std::string>& needs) {
    if (covers_any(context_->target, needs) || !candidate.illegal.empty()) return;
    candidate.illegal_code = Problem::kTarget;
    candidate.illegal = ticked(what) + " needs " + target_list(needs) +
                        (needs[0].ends_with('a') ? "" : " or what includes it") + ", compute capability " +
                        first_capability(needs) + " is the first with it" + "; the module says .target " +
                        context_->target;
  };
  lacks(form.instruction->mnemonic, form.needs);
  // There f64 is mapped to f32 (.target map_f64_to_f32), or is not there at all.
  if (!covers(context_->target, "sm_13") &&
      std::any_of(candidate.needs.begin(), candidate.needs.end(),
                  [](const OperandNeed& need) { return need.type == Type::kF64; }))
    lacks("f64", {"sm_13"});
  for (size_t k = 0; k < form.mods.size(); ++k) {
    if (candidate.mods[k] == 0) continue;
    const ModifierValue& value = form.mods[k].values[candidate.mods[k] - 1u];
    lacks(value.text, value.needs);
  }
}

void OpcodeTable::explain(const Token& opcode) {
  const std::string_view word = first_word(opcode.text);
  const std::vector<const Form*>& forms = context_->isa.forms_of(word);
  if (forms.empty()) {
    Diagnostic& d = context_->report.error(Problem::kInstruction, opcode.position, word.size(),
                                           "unknown instruction " + ticked(word));
    if (!context_->report.wants_hints()) return;
    std::vector<std::string> known;
    for (const InstructionInfo& info : context_->isa.instructions())
      known.emplace_back(first_word(info.mnemonic));
    d.hint = did_you_mean(word, known);
    return;
  }
  // The form that comes nearest: the fewest words that do not fit and slots that stay empty.
  const Form* nearest = forms.front();
  std::vector<size_t> unmatched;
  std::vector<const ModifierSlot*> missing;
  size_t least = SIZE_MAX;
  for (const Form* form : forms) {
    std::vector<size_t> u;
    std::vector<const ModifierSlot*> m;
    ModifierMatcher matcher(*form, opcode.text);
    matcher.partial(u, m);
    const size_t cost = 4 * matcher.words_missing() + 2 * u.size() + m.size();
    if (cost >= least) continue;
    least = cost;
    nearest = form;
    unmatched = std::move(u);
    missing = std::move(m);
  }
  const std::string name = ticked(nearest->instruction->mnemonic);
  if (unmatched.empty()) {
    std::string message = name + " lacks ";
    std::vector<std::string> choices;
    if (missing.empty()) {
      message = "the modifiers of " + name + " do not go together";
    } else {
      for (const ModifierValue& value : missing[0]->values)
        if (choices.size() < 12) choices.push_back(value.text);
      message += choices.size() == 1 ? ticked(choices[0]) : "a modifier: " + either(choices);
    }
    Diagnostic& d = context_->report.error(Problem::kModifier, opcode, std::move(message));
    d.hint = "the nearest form is `" + nearest->syntax + "`";
    return;
  }
  const size_t at = unmatched[0];
  std::string_view modifier = opcode.text.substr(at);
  modifier = modifier.substr(0, modifier.find('.', 1));
  Position position = opcode.position;
  position.column += static_cast<uint32_t>(at);
  std::vector<std::string> known;
  for (const Form* form : forms)
    for (const ModifierSlot& slot : form->mods)
      for (const ModifierValue& value : slot.values) known.push_back(value.text);
  const bool elsewhere = std::find(known.begin(), known.end(), modifier) != known.end();
  Diagnostic& d =
      context_->report.error(Problem::kModifier, position, modifier.size(),
                             elsewhere ? ticked(modifier) + " does not go with the other modifiers of " + name
                                       : name + " has no modifier " + ticked(modifier));
  if (!elsewhere && context_->report.wants_hints()) d.hint = did_you_mean(modifier, known);
  if (d.hint.empty()) d.hint = "the nearest form is `" + nearest->syntax + "`";
}

}  // namespace gpuloom::ptx
