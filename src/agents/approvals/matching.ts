/**
 * Whether the match of a rule fits a permission request; pure. Where the effect of a request is uncertain, an allowing match
 * does not fit, and a denying one does.
 */
import { resolve } from "node:path"
import { Glob } from "effect"
import type { Match } from "../../contract/Rule.ts"
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import { commandsIn } from "./commandsIn.ts"
import { type SimpleCommand, simpleCommand } from "./simpleCommand.ts"

// Shell builtins that evaluate even quoted arguments: `printf -v 'a[$(touch x)]' y` runs `touch x`. Found by trying
// each builtin of bash 5.2, dash, zsh 5.9, ksh93u+m, mksh and busybox ash with such arguments, in addition to those
// whose task is to run, load or name commands. A wildcard of an allowing rule never matches their arguments.

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

/** For `allow` the match must cover everything in the request; for `deny` one part is enough. */
export type Mode = "allow" | "deny"

/** In a pattern `*` matches any number of characters. Matches the text from a position to its end, without backtracking. */
const fitsWildcard = (pattern: string, text: string, from = 0): boolean => {
  const [head = "", ...parts] = pattern.split("*")
  const tail = parts.pop()
  if (tail === undefined) return text.length - from === head.length && text.startsWith(head, from)
  if (!text.startsWith(head, from)) return false
  let at = from + head.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - tail.length >= at && text.endsWith(tail)
}

/** Special characters of a glob: `..` after them cannot be resolved. */
const special = /[*?[\]{},\\]/

/** Makes a glob absolute and resolves its `..` and `.`, which no path contains. */
const absoluteGlob = (glob: string, workingDirectory: string): string => {
  const isAbsolute = glob.startsWith("/")
  const segments = isAbsolute ? [] : resolve(workingDirectory).split("/").filter(Boolean).map(Glob.escape)
  const full = glob.endsWith("/") ? `${glob}**` : glob
  for (const segment of full.split("/")) {
    if (segment === "" || segment === ".") continue
    const last = segments.at(-1)
    const isLiteral = last === undefined || !special.test(last.replace(/\\[\\*?[\]{}]/g, ""))
    if (segment === ".." && isLiteral) segments.pop()
    else segments.push(segment)
  }
  return `/${segments.join("/")}`
}

const fitsPaths = (
  globs: ReadonlyArray<string>,
  paths: ReadonlyArray<string>,
  mode: Mode,
  workingDirectory: string
): boolean => {
  const compiled = globs.map((glob) => Glob.make(absoluteGlob(glob, workingDirectory), { dot: true }))
  const fitsOne = (path: string) => compiled.some((glob) => Glob.match(glob, resolve(workingDirectory, path)))
  if (mode === "deny") return paths.some(fitsOne)
  return paths.length > 0 && paths.every((path) => !path.includes("\0") && fitsOne(path))
}

/** On a copy: an expression with `g` or `y` keeps its last position. */
const fitsExpression = (expression: RegExp, text: string): boolean => new RegExp(expression).test(text)

/** A wildcard matches no arguments that the shell itself evaluates, nor a word that can expand to such a builtin. */
const allowsWildcard = ({ name, assignments, word }: SimpleCommand, head: string): boolean =>
  name === undefined ? head.startsWith(assignments + word) : !isEvaluatingBuiltin(name)

const fitsAllowed = (patterns: ReadonlyArray<string>, text: string): boolean => {
  const command = simpleCommand(text)
  if (command === undefined) return false
  return patterns.some((pattern) => {
    const [head = "", ...rest] = pattern.split("*")
    if (rest.length > 0 && !allowsWildcard(command, head)) return false
    // A wildcard matches no variables in front of a command: `LD_PRELOAD=…` would change what it does.
    return head.startsWith(command.assignments) && fitsWildcard(pattern, command.text)
  })
}

const fitsDenied = (patterns: ReadonlyArray<string>, text: string): boolean => {
  if (patterns.length === 0) return false
  const whole = text.trim()
  const commands = commandsIn(text)
  return patterns.some(
    (pattern) =>
      fitsWildcard(pattern, whole) ||
      commands.some((command) => command.starts.some((start) => fitsWildcard(pattern, command.text, start)))
  )
}

const fitsCommands = (commands: ReadonlyArray<string | RegExp>, text: string, mode: Mode): boolean => {
  if (commands.some((command) => typeof command !== "string" && fitsExpression(command, text))) return true
  const patterns = commands.filter((command) => typeof command === "string")
  return mode === "allow" ? fitsAllowed(patterns, text) : fitsDenied(patterns, text)
}

/** An allowing rule fits escalated requests only if it says so; a denying one fits all unless it says otherwise. */
const fitsEscalation = ({ escalated }: Match, request: PermissionRequestEvent, mode: Mode): boolean =>
  escalated === undefined ? mode === "deny" || !request.escalated : escalated === request.escalated

/** Where it is uncertain what would be run, every rule that denies commands fits. */
const fitsCommand = (commands: ReadonlyArray<string | RegExp>, request: PermissionRequestEvent, mode: Mode) => {
  const { kind, command, doubt, isCommandUncertain = false } = request
  if (command === undefined) return kind === "command" && mode === "deny"
  // In a tool that is not a shell, `command` may mean anything.
  if (mode === "allow" && kind !== "command") return false
  return isCommandUncertain || doubt !== undefined ? mode === "deny" : fitsCommands(commands, command, mode)
}

export const fits = (match: Match, request: PermissionRequestEvent, mode: Mode, workingDirectory: string): boolean => {
  const { tools, kinds, paths, commands, directories } = match
  if (mode === "allow" && request.doubt !== undefined) return false
  if (!fitsEscalation(match, request, mode)) return false
  if (tools !== undefined && !tools.some((tool) => fitsWildcard(tool, request.toolName))) return false
  if (kinds !== undefined && !kinds.includes(request.kind)) return false
  if (paths !== undefined && !fitsPaths(paths, request.paths ?? [], mode, workingDirectory)) return false
  const directory = request.directory === undefined ? [] : [request.directory]
  if (directories !== undefined && !fitsPaths(directories, directory, mode, workingDirectory)) return false
  return commands === undefined || fitsCommand(commands, request, mode)
}
