/**
 * Whether what a rule is about fits a permission request; pure. Where it is not sure what would be done, a match that
 * allows does not fit, and one that denies does.
 */
import { resolve } from "node:path"
import { Glob } from "effect"
import type { Match } from "../contract/Rule.ts"
import type { PermissionRequestEvent } from "../contract/SessionEvent.ts"
import { commandsIn } from "./commandsIn.ts"
import { isEvaluatingBuiltin } from "./evaluatingBuiltins.ts"
import { type SimpleCommand, simpleCommand } from "./simpleCommand.ts"
import { fitsWildcard } from "./wildcard.ts"

/** For `allow` all must be covered; for `deny` one thing that is meant is enough. */
export type Mode = "allow" | "deny"

/** Has a meaning of its own in a glob, so that `..` after it cannot be resolved. */
const wild = /[*?[\]{},\\]/

/** A glob for absolute paths; `..` and `.` of the glob itself are resolved, for no path has any. */
const absoluteGlob = (glob: string, workingDirectory: string): string => {
  const isAbsolute = glob.startsWith("/")
  const segments = isAbsolute ? [] : resolve(workingDirectory).split("/").filter(Boolean).map(Glob.escape)
  const given = glob.endsWith("/") ? `${glob}**` : glob
  for (const segment of given.split("/")) {
    if (segment === "" || segment === ".") continue
    const last = segments.at(-1)
    const isLiteral = last === undefined || !wild.test(last.replace(/\\[\\*?[\]{}]/g, ""))
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

/** On a copy: an expression with `g` or `y` remembers where it was. */
const fitsExpression = (expression: RegExp, text: string): boolean => new RegExp(expression).test(text)

/** No wildcard stands for arguments that the shell itself evaluates, nor for a word that can become the name of such. */
const isPlain = ({ name, settings, word }: SimpleCommand, head: string): boolean =>
  name === undefined ? head.startsWith(settings + word) : !isEvaluatingBuiltin(name)

const fitsAllowed = (patterns: ReadonlyArray<string>, text: string): boolean => {
  const command = simpleCommand(text)
  if (command === undefined) return false
  return patterns.some((pattern) => {
    const [head = "", ...wild] = pattern.split("*")
    if (wild.length > 0 && !isPlain(command, head)) return false
    // No wildcard stands for variables in front of a command: `LD_PRELOAD=…` makes another command of it.
    return head.startsWith(command.settings) && fitsWildcard(pattern, command.text)
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

/** A rule that allows has to say that it means what is escalated; all others fit both unless they say so. */
const fitsEscalation = ({ escalated }: Match, request: PermissionRequestEvent, mode: Mode): boolean =>
  escalated === undefined ? mode === "deny" || !request.escalated : escalated === request.escalated

const fitsDirectory = (globs: ReadonlyArray<string>, directory: string | undefined, mode: Mode, base: string) =>
  directory !== undefined && fitsPaths(globs, [directory], mode, base)

/** Where it is not known for certain what would be run, every rule that denies commands means it. */
const fitsCommand = (commands: ReadonlyArray<string | RegExp>, request: PermissionRequestEvent, mode: Mode) => {
  const { kind, command, doubt, isCommandUncertain = false } = request
  if (command === undefined) return kind === "command" && mode === "deny"
  // A tool that is no shell may call something else its command, and do with it what it likes.
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
  if (directories !== undefined && !fitsDirectory(directories, request.directory, mode, workingDirectory)) return false
  return commands === undefined || fitsCommand(commands, request, mode)
}
