// Completion by bash.
#include <fmt/core.h>

#include "tool/command/usage.hpp"
#include "tool/manual/completion.hpp"

namespace xylem::tool {

namespace {

// In: `options`, those of them that take a value (`valued`), `program` and `arguments`. The words
// behind the program are its own to complete; bash-completion's function does that, if it is there.
// Where no word is offered, bash offers files.
constexpr const char* kComplete = R"(
  [[ " $valued " != *" $before "* ]] || return
  for ((at++; at < COMP_CWORD; at++)); do
    if [[ ${COMP_WORDS[at]} == -- ]]; then ((at++)); break; fi
    [[ ${COMP_WORDS[at]} == -* ]] || break
    [[ " $valued " != *" ${COMP_WORDS[at]} "* ]] || ((at++))
  done
  if [[ $program && ($at -lt $COMP_CWORD || $word != -*) ]]; then
    if declare -F _command_offset >/dev/null; then
      _command_offset "$at"
    elif [[ $at -eq $COMP_CWORD ]]; then
      COMPREPLY=($(compgen -c -- "$word"))
    fi
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ $arguments ]]; then
    COMPREPLY=($(compgen -W "$arguments" -- "$word"))
  fi
}
complete -o bashdefault -o default -F _xylem xylem
)";

std::string options_of(const CLI::App& command, bool valued_only) {
  std::string words;
  for (const CLI::Option* option : shown_options(command)) {
    if (valued_only && !takes_value(*option)) continue;
    for (const std::string& spelling : spellings(*option))
      words += (words.empty() ? "" : " ") + spelling;
  }
  return words;
}

std::string case_of(const std::string& name, const CLI::App& command,
                    const std::string& arguments) {
  return fmt::format("    '{}') options='{}' valued='{}' program='{}' arguments='{}' ;;\n", name,
                     options_of(command, false), options_of(command, true),
                     takes_program(command) ? "yes" : "", arguments);
}

// The options whose value is one of some words.
std::string value_cases(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : shown_options(command)) {
    const std::string words = value_words(*option);
    if (words.empty()) continue;
    for (const std::string& spelling : spellings(*option))
      out += fmt::format("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                         command.get_name(), spelling, words);
  }
  return out;
}

}  // namespace

std::string bash_completion(const CommandLine& line) {
  std::string out =
      R"(# Completion of xylem(1) by bash.                              -*- shell-script -*-
# shellcheck disable=SC2207 # none of the words has a blank
_xylem() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' options valued program arguments at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    [[ ${COMP_WORDS[at]} == -* ]] || { command=${COMP_WORDS[at]}; break; }
  done
  case $command in
)";
  out += case_of("", line.app, subcommand_names(line));
  for (const Command& command : line.commands)
    out += case_of(command.app->get_name(), *command.app, argument_words(*command.app, line));
  out += "    *) return ;;\n  esac\n  case \"$command $before\" in\n";
  for (const Command& command : line.commands) out += value_cases(*command.app);
  return out + "  esac" + kComplete;
}

}  // namespace xylem::tool
