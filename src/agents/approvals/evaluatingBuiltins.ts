/**
 * Shell builtins that evaluate even quoted arguments: `printf -v 'a[$(touch x)]' y` runs `touch x`. Found by trying each
 * builtin of bash 5.2, dash, zsh 5.9, ksh93u+m, mksh and busybox ash with such arguments, in addition to those whose task
 * is to run, load or name commands. A wildcard of an allowing rule never matches their arguments.
 */

const names =
  // Subscripts and arithmetic.
  "[ [[ test printf print read readarray mapfile let declare typeset local private export readonly integer float " +
  "nameref compound enum set unset getopts wait shift exit return break continue bye logout ulimit limit global vared " +
  "strftime syserror syswrite sysseek sysopen sysread sched zformat zparseopts zregexparse zstyle zselect zsystem " +
  "zsocket ztcp getln zpty zcompile zmodload suspend " +
  // Commands that are run now or later.
  "- . source eval exec command builtin noglob nocorrect trap alias unalias hash rehash enable disable autoload " +
  "functions function fc r hist history jobs fg bg disown compgen complete compopt compctl compadd bind bindkey zle " +
  "emulate setopt unsetopt shopt redirect"

const evaluating: ReadonlySet<string> = new Set(names.split(" "))

/** `name` is without quotes. With a directory in front it is a program, not a builtin. */
export const isEvaluatingBuiltin = (name: string): boolean => evaluating.has(name)
