// SPDX-License-Identifier: Apache-2.0
// Pages that are made from the commands, and tables on narrow terminals.
#include <cstdlib>

#include "sim/memory/files.h"
#include "sim/report/table.h"
#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;
using tests::Outcome;

TEST_CASE("bash completes commands, options and their values", "[help_pages]") {
  const tests::ProgramFolder folder;
  const auto completed = [&](const std::string& words, int at) {
    folder.write("c.sh", "source <('" + tests::program() + "' completion bash)\nCOMP_WORDS=(" + words +
                             ")\nCOMP_CWORD=" + std::to_string(at) +
                             "\n_gpuloom\necho \"${COMPREPLY[@]}\" > said.txt\n");
    REQUIRE(std::system(("cd '" + folder.file(".") + "' && PATH=\"$(dirname '" + tests::program() +
                         "'):$PATH\" bash c.sh")
                            .c_str()) == 0);
    return sim::read_file(folder.file("said.txt"));
  };
  CHECK_THAT(completed("gpuloom co", 1), ContainsSubstring("compare") && ContainsSubstring("config"));
  CHECK_THAT(completed("gpuloom run --max-s", 2), ContainsSubstring("--max-seconds"));
  CHECK(completed("gpuloom run --set f", 3) == "full\n");
  CHECK_THAT(completed("gpuloom run -c h20", 3), ContainsSubstring("h200"));
  CHECK_THAT(completed("gpuloom config sh", 2), ContainsSubstring("show"));
  CHECK_THAT(completed("gpuloom config show --o", 3), ContainsSubstring("--origin"));
}

TEST_CASE("fish and zsh have scripts too, and the manual names every command", "[help_pages]") {
  const tests::ProgramFolder folder;
  CHECK_THAT(folder.run("completion fish").out, ContainsSubstring("-l max-seconds"));
  CHECK_THAT(folder.run("completion zsh").out, ContainsSubstring("bashcompinit"));
  CHECK(folder.run("completion csh").code == 2);
  const std::string page = folder.run("man").out;
  for (const char* command : {"run", "analyze", "config show", "sweep collect", "completion"})
    CHECK_THAT(page, ContainsSubstring(std::string(".SS gpuloom ") + command + "\n"));
  CHECK_THAT(page, ContainsSubstring("\\fB\\-\\-max\\-seconds\\fR \\fIVALUE\\fR"));
  CHECK_THAT(page, ContainsSubstring("\\fB\\-\\-functional\\fR\n"));  // a flag takes none
}

TEST_CASE("A table fits the terminal by shortening text, never numbers", "[help_pages]") {
  TextTable t({"Path", ">Count"});
  t.row({"/a/very/long/path/to/some/kernel.cu:123", "1,234,567"});
  CHECK(t.str("", 0).find("/to/some/") != std::string::npos);
  const std::string narrow = t.str("  ", 34);
  for (size_t begin = 0; begin < narrow.size(); begin = narrow.find('\n', begin) + 1)
    CHECK(narrow.find('\n', begin) - begin <= 34);
  CHECK_THAT(narrow,
             ContainsSubstring("..") && ContainsSubstring("1,234,567") && ContainsSubstring("cu:123"));
}

TEST_CASE("Colours are for terminals, or where they are demanded", "[help_pages]") {
  const tests::ProgramFolder folder;
  const char* run = "run add.ptx --functional --arg 'u32[1]' --arg 1";
  CHECK(folder.run(run).out.find("\033[") == std::string::npos);
  setenv("CLICOLOR_FORCE", "1", 1);
  const Outcome coloured = folder.run(run);
  unsetenv("CLICOLOR_FORCE");
  CHECK_THAT(coloured.out, ContainsSubstring("\033[1m    Section: Launch Statistics\033[0m"));
}
