/**
 * Commands of shells that run what stands in their arguments, though it is quoted: `printf -v 'a[$(touch x)]' y` touches x.
 * Found by trying each builtin of bash 5.2, dash, zsh 5.9, ksh93u+m, mksh and busybox ash with such arguments, beside
 * those that run, load or name commands by their job. No wildcard of a rule that allows stands for arguments of theirs.
 */

const names =
  // Subscripts and arithmetic.
  "[ [[ test printf print read readarray mapfile let declare typeset local private export readonly integer float " +
  "nameref compound enum set unset getopts wait shift exit return break continue bye logout ulimit limit global vared " +
  "strftime syserror syswrite sysseek sysopen sysread sched zformat zparseopts zregexparse zstyle zselect zsystem " +
  "zsocket ztcp getln zpty zcompile zmodload suspend " +
  // Commands, and what becomes one later.
  "- . source eval exec command builtin noglob nocorrect trap alias unalias hash rehash enable disable autoload " +
  "functions function fc r hist history jobs fg bg disown compgen complete compopt compctl compadd bind bindkey zle " +
  "emulate setopt unsetopt shopt redirect"

const evaluating: ReadonlySet<string> = new Set(names.split(" "))

/** A whole name, without quotes and without a folder in front: with one, it is a program of its own. */
export const isEvaluatingBuiltin = (name: string): boolean => evaluating.has(name)
