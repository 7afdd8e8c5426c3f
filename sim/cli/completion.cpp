// SPDX-License-Identifier: Apache-2.0
// Scripts for shells: commands, options, and the values of options that have a list of them.
#include <fmt/core.h>

#include "base/text.h"
#include "sim/cli/help_commands.h"

namespace gpuloom::cli {
namespace {

// Values that the program itself lists.
constexpr const char* kConfigs = "$(gpuloom config list 2>/dev/null | sed 's/ .*//;s|.*/||')";

std::string words_after(const CommandInfo& c) {
  std::vector<std::string> words = c.children;
  for (const OptionInfo& o : c.options) words.insert(words.end(), o.names.begin(), o.names.end());
  return join(words, " ");
}

std::string bash(const std::vector<CommandInfo>& commands) {
  std::string values, words;
  for (const CommandInfo& c : commands) {
    words += fmt::format("    '{}') words='{}' ;;\n", c.path, words_after(c));
    for (const OptionInfo& o : c.options)
      if (!o.choices.empty() && !o.names.empty())
        for (const std::string& name : o.names)
          values += fmt::format("    '{} {}') values='{}' ;;\n", c.path, name, join(o.choices, " "));
  }
  return fmt::format(R"(# Completion of gpuloom for bash; made by `gpuloom completion bash`.
_gpuloom() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} cmd='' word words='' values='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${{COMP_WORDS[i]}}
    case " $(_gpuloom_commands) " in *" ${{cmd:+$cmd/}}$word "*) cmd=${{cmd:+$cmd/}}$word ;; esac
  done
  cmd=${{cmd//\// }}
  case "$prev" in -c|--config|--gpu) COMPREPLY=($(compgen -W "{}" -- "$cur") $(compgen -f -- "$cur")); return ;; esac
  case "$cmd $prev" in
{}  esac
  if [[ -n $values ]]; then COMPREPLY=($(compgen -W "$values" -- "$cur")); return; fi
  case "$cmd" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
}}
_gpuloom_commands() {{ printf '%s ' {}; }}
complete -o filenames -F _gpuloom gpuloom
)",
                     kConfigs, values, words, [&] {
                       std::vector<std::string> paths;
                       for (const CommandInfo& c : commands) {
                         std::string path = c.path;
                         for (char& ch : path) ch = ch == ' ' ? '/' : ch;
                         if (!path.empty()) paths.push_back(path);
                       }
                       return join(paths, " ");
                     }());
}

// In single quotes of fish.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

std::string fish_option(const CommandInfo& c, const OptionInfo& o) {
  std::string line = "complete -c gpuloom";
  if (!c.path.empty()) {
    std::vector<std::string> seen;
    for (const std::string& word : split(c.path, ' ')) seen.push_back("__fish_seen_subcommand_from " + word);
    line += " -n " + quoted(join(seen, "; and "));
  }
  for (const std::string& name : o.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (o.takes_value) line += " -r";
  if (!o.choices.empty()) line += " -f -a " + quoted(join(o.choices, " "));
  return line + " -d " + quoted(o.description) + "\n";
}

std::string fish(const std::vector<CommandInfo>& commands) {
  std::string out = "# Completion of gpuloom for fish; made by `gpuloom completion fish`.\n";
  for (const CommandInfo& c : commands) {
    for (const CommandInfo& child : commands) {
      const size_t blank = child.path.rfind(' ');
      const std::string parent = blank == std::string::npos ? "" : child.path.substr(0, blank);
      if (child.path.empty() || parent != c.path) continue;
      out += fmt::format(
          "complete -c gpuloom -n {} -a {} -d {}\n",
          quoted(parent.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + parent),
          child.path.substr(blank == std::string::npos ? 0 : blank + 1), quoted(child.description));
    }
    for (const OptionInfo& o : c.options)
      if (!o.names.empty()) out += fish_option(c, o);
  }
  return out;
}

}  // namespace

std::string completion_script(const std::vector<CommandInfo>& commands, const std::string& shell) {
  if (shell == "fish") return fish(commands);
  return (shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "") + bash(commands);
}

}  // namespace gpuloom::cli
