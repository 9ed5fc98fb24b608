/** The words of a command line up to the cursor → the kind of completion for the last one; pure. */
import type { Completions } from "effect/cli"

export type CompletionTarget =
  | { readonly _tag: "Words"; readonly words: ReadonlyArray<string> }
  | { readonly _tag: "Files" | "Directories" | "Conversations" | "Sessions" | "Nothing" }
  | { readonly _tag: "Models"; readonly agent: string | undefined }

export interface Completing {
  readonly wanted: CompletionTarget
  /** Text before the value in the same word, such as `--agent=`. */
  readonly before: string
  readonly typed: string
}

type Command = Completions.CommandDescriptor
type FlagOf = Completions.FlagDescriptor
const files = new Set(["config", "mcp-config", "output-schema", "attach", "record", "command", "out", "agent-module"])
const directories = new Set(["cwd", "add-dir"])
const models = new Set(["model", "fallback-model"])
const repeatable = new Set(["allowed-tools", "disallowed-tools", "attach", "add-dir", "env", "budget", "cli-arg"])
const takesValue = ({ type, optionalValue }: FlagOf) => type._tag !== "Boolean" && optionalValue !== true
const namesOf = ({ name, aliases }: FlagOf) => [`--${name}`, ...aliases.map((alias) => `-${alias}`)]
const nothing: CompletionTarget = { _tag: "Nothing" }

/** Agents for `--agents claude,codex`, after those that are already typed. */
const listed = (typed: string, names: ReadonlyArray<string>): CompletionTarget => {
  const earlier = typed.split(",").slice(0, -1)
  const head = earlier.map((name) => `${name},`).join("")
  return { _tag: "Words", words: names.filter((name) => !earlier.includes(name)).map((name) => head + name) }
}

const severalOf = (command: Command | undefined): ReadonlyArray<string> => {
  const agent = command?.flags.find(({ name }) => name === "agent")
  return agent?.type._tag === "Choice" ? agent.type.values.filter((name) => name !== "acp") : []
}

interface Place {
  readonly root: Command
  readonly command: Command
  readonly given: ReadonlyMap<string, string>
}

const wantedFor = ({ name, type }: FlagOf, typed: string, place: Place): CompletionTarget => {
  const { root, command, given: earlier } = place
  if (type._tag === "Choice") return { _tag: "Words", words: type.values }
  if (files.has(name)) return { _tag: "Files" }
  if (directories.has(name)) return { _tag: "Directories" }
  // `reins compare` takes models after the name of their agent.
  if (models.has(name) && command.name === "compare") return nothing
  if (models.has(name)) return { _tag: "Models", agent: earlier.get("agent") }
  if (name === "conversation") return { _tag: "Conversations" }
  if (name === "resume") return { _tag: "Sessions" }
  const several = severalOf(root.subcommands.find((command) => command.name === "run"))
  if (name === "agents") return listed(typed, several)
  if (name === "apply") return { _tag: "Words", words: several }
  return nothing
}

/** The command of the words, its flags, and the number of its arguments so far. */
const walk = (root: Command, words: ReadonlyArray<string>) => {
  let command = root
  let position = 0
  let isOver = false
  let pending: FlagOf | undefined
  const used = new Set<string>()
  const earlier = new Map<string, string>()
  for (const word of words) {
    if (pending !== undefined) {
      earlier.set(pending.name, word)
      pending = undefined
      continue
    }
    if (isOver || !word.startsWith("-")) {
      const next = isOver || position > 0 ? undefined : command.subcommands.find(({ name }) => name === word)
      if (next === undefined) position += 1
      else command = next
      continue
    }
    if (word === "--") {
      isOver = true
      continue
    }
    const [name = "", value] = word.split(/=(.*)/s)
    const flag = command.flags.find((one) => namesOf(one).includes(name))
    if (flag === undefined) continue
    used.add(flag.name)
    if (value !== undefined) earlier.set(flag.name, value)
    else if (takesValue(flag)) pending = flag
  }
  return { command, position, isOver, pending, used, given: earlier }
}

const argumentOf = (command: Command, position: number): CompletionTarget => {
  const argument = command.arguments[position]
  if (argument?.type._tag === "Choice") return { _tag: "Words", words: argument.type.values }
  if (argument?.name === "file") return { _tag: "Files" }
  return argument?.name === "id" ? { _tag: "Sessions" } : nothing
}

/** `words`: after the program's name; the last is being typed, and may be empty. */
export const completionTarget = (root: Command, words: ReadonlyArray<string>): Completing => {
  const typed = words.at(-1) ?? ""
  const { command, position, isOver, pending, used, given: earlier } = walk(root, words.slice(0, -1))
  const place = { root, command, given: earlier }
  if (pending !== undefined) return { wanted: wantedFor(pending, typed, place), before: "", typed }
  if (isOver || !typed.startsWith("-")) {
    const names = position === 0 && !isOver ? command.subcommands.map(({ name }) => name) : []
    const target: CompletionTarget = names.length > 0 ? { _tag: "Words", words: names } : argumentOf(command, position)
    return { wanted: target, before: "", typed }
  }
  const [name = "", value] = typed.split(/=(.*)/s)
  const flag = command.flags.find((one) => namesOf(one).includes(name))
  if (value !== undefined) {
    const target = flag !== undefined && takesValue(flag) ? wantedFor(flag, value, place) : nothing
    return { wanted: target, before: `${name}=`, typed: value }
  }
  const free = command.flags.filter((one) => !used.has(one.name) || repeatable.has(one.name))
  return { wanted: { _tag: "Words", words: [...free.map((one) => `--${one.name}`), "--help"] }, before: "", typed }
}
