/** Errors of the parser → a sentence for each cause, with its problem and correction; pure. */
import type { CliError, HelpDoc } from "effect/cli"
import { suggestionFor } from "../../contract/suggestions.ts"
import { listed, oneOf } from "../format.ts"

/** Messages for missing values, with a hint where that helps. */
const missing: Readonly<Record<string, string>> = {
  resume: "an ID is missing. The last conversation: reins chat --continue; to choose: reins chat --resume",
  conversation: "a NAME is missing, such as --conversation billing",
  agent: "a NAME is missing, such as --agent codex",
  model: "a model is missing, as the CLI names it",
  timeout: "a time is missing: 10s, 10m or 1h30m",
  output: "a form is missing: text, json or events"
}

const article = (name: string) => (/^[AEIOU]/i.test(name) ? "an" : "a")

const missingValue = (flag: string, metavar: string): string =>
  missing[flag] ?? `${article(metavar)} ${metavar} is missing`

const choicesIn = (expected: string): ReadonlyArray<string> => {
  const words = expected.split(" | ").map((word) => word.replace(/^(?:Expected:? )?"?|"$/g, ""))
  return words.length > 1 && words.every((word) => /^[\w.-]+$/.test(word)) ? words : []
}

const numbers: Readonly<Record<string, string>> = {
  "max-turns": "must be a whole number from 1",
  "max-budget-usd": "must be a number more than 0",
  retries: "must be a whole number from 0",
  "max-line": "must be a whole number of bytes"
}

/** Uses the words of `expected` if it is a sentence of this program. */
const wrongValue = ({ option, value, expected }: CliError.InvalidValue): string => {
  const choices = choicesIn(expected)
  if (choices.includes("true")) return `takes no value: --${option} alone`
  if (choices.length > 0) return oneOf(value, choices)
  if (/a string representing|an integer/.test(expected)) return numbers[option] ?? "must be a number"
  return expected.replace(/^Expected:? /, "")
}

const wrongArgument = ({ option, value, expected }: CliError.InvalidValue): string => {
  const choices = choicesIn(expected)
  const is = choices.length > 0 ? `not known. ${listed(choices)}` : expected.replace(/^Expected:? /, "")
  return value.trim() === "" ? `${option}: is empty` : `${value}: ${is}`
}

/** Flags of the CLIs, and their names here. */
const flags: Readonly<Record<string, readonly [cli: string, here: string]>> = {
  yolo: ["gemini", "--permission-mode bypass"],
  "approval-mode": ["gemini", "--permission-mode"],
  "dangerously-skip-permissions": ["claude", "--permission-mode bypass"],
  "dangerously-bypass-approvals-and-sandbox": ["codex", "--permission-mode bypass"],
  "full-auto": ["codex", "--permission-mode accept-edits"],
  "ask-for-approval": ["codex", "--permission-mode"],
  sandbox: ["codex", "--permission-mode"],
  print: ["claude", "reins run, without it"],
  "output-format": ["claude", "--output text, json or events"],
  "output-last-message": ["codex", "--output text > FILE"],
  allowedTools: ["claude", "--allowed-tools"],
  disallowedTools: ["claude", "--disallowed-tools"],
  "include-directories": ["gemini", "--add-dir"],
  cd: ["codex", "--cwd"],
  dir: ["opencode", "--cwd"],
  image: ["codex", "--attach"],
  variant: ["opencode", "--effort"],
  "json-schema": ["claude", "--output-schema FILE"],
  "fork-session": ["claude", "--fork"],
  "no-session-persistence": ["claude", "--ephemeral"]
}

const foreignFlag = (option: string): string | undefined => {
  const name = option.replace(/^--/, "")
  const known = Object.hasOwn(flags, name) ? flags[name] : undefined
  return known === undefined ? undefined : `${option} is a flag of ${known[0]}. Here: ${known[1]}`
}

export interface Line {
  /** The words after `reins` on the command line. */
  readonly args: ReadonlyArray<string>
  /** The command, such as `run`; empty for the program itself. */
  readonly command: string
  readonly help: HelpDoc.HelpDoc
}

const takesPrompt: ReadonlySet<string> = new Set(["run", "demo", "chat", "compare"])
const quoted = (text: string) => JSON.stringify(text)
const named = ({ option, value }: CliError.InvalidValue) => `--${option} ${/\s/.test(value) ? quoted(value) : value}`
const flagsOf = ({ help }: Line) => [...help.flags, ...(help.globalFlags ?? [])]

/** For a single letter, the first flag that begins with it. */
const nearFlag = (option: string, line: Line): string | undefined => {
  const name = option.replace(/^-+/, "")
  const known = flagsOf(line).map((flag) => flag.name)
  return name.length === 1 ? known.find((other) => other.startsWith(name)) : suggestionFor(name, known)
}

const unknownFlag = (option: string, line: Line): string => {
  const foreign = foreignFlag(option)
  if (foreign !== undefined) return foreign
  const near = nearFlag(option, line)
  return near === undefined ? `${option} is not known` : `${option} is not known. Did you mean --${near}?`
}

const unknownCommand = ({ subcommand, parent = [], suggestions }: CliError.UnknownSubcommand): string => {
  if (/\s/.test(subcommand))
    return `${quoted(subcommand)} is not a command. As a prompt: reins run ${quoted(subcommand)}`
  const [near] = suggestions
  const behind = parent.length > 1 ? ` of ${parent.slice(1).join(" ")}` : ""
  return `${subcommand} is not a command${behind}${near === undefined ? "" : `. Did you mean ${near}?`}`
}

const tooMuch = (words: ReadonlyArray<string>, { args, command }: Line): string => {
  const culprit = words.map(quoted).join(", ")
  if (command === "doctor") return `takes no name. One agent: --agent ${words[0]}`
  if (!takesPrompt.has(command)) return `${culprit} is too much`
  const at = args.indexOf(words[0] ?? "")
  const all = args.slice(Math.max(1, at - 1), at + words.length)
  const isWhole = all.length === words.length + 1 && all.every((word) => !word.startsWith("-"))
  const cure = isWhole ? `: reins ${command} ${quoted(all.join(" "))}` : ""
  return `${culprit} is too much: put the prompt in quotes${cure}`
}

const missingArgument = (argument: string, { command }: Line): string => {
  if (argument !== "prompt") return `${argument.toUpperCase()} is missing`
  return `the prompt is missing: reins ${command} "…"${command === "run" ? ", or - to read it from stdin" : ""}`
}

/** A value that begins with `-` and was parsed as a flag. */
const swallowed = (option: string, { args }: Line): string | undefined => {
  const next = args[args.indexOf(`--${option}`) + 1]
  return next?.startsWith("-") === true && args.includes(`--${option}`) ? next : undefined
}

const isVerbatim = (option: string) => option === "cli-arg" || option.endsWith("system-prompt")

const invalid = (error: CliError.InvalidValue, line: Line): string => {
  if (error.kind === "argument") return wrongArgument(error)
  if (error.value !== "") return `${named(error)}: ${wrongValue(error)}`
  const flag = `--${error.option}`
  if (line.args.some((word, at) => word === "" && line.args[at - 1] === flag) || line.args.includes(`${flag}=`)) {
    return `${flag}: is empty`
  }
  const next = swallowed(error.option, line)
  if (next !== undefined && isVerbatim(error.option))
    return `${flag}: its value begins with -, so write ${flag}=${next}`
  const metavar = flagsOf(line).find(({ name }) => name === error.option)?.type ?? "value"
  return `${flag}: ${missingValue(error.option, metavar)}`
}

const sentenceOf = (error: CliError.CliError, line: Line): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return unknownFlag(error.option, line)
    case "UnknownSubcommand":
      return unknownCommand(error)
    case "UnexpectedArgument":
      return tooMuch(error.arguments, line)
    case "MissingArgument":
      return missingArgument(error.argument, line)
    case "MissingOption":
      return `--${error.option} is missing`
    case "InvalidValue":
      return invalid(error, line)
    default:
      return error.message
  }
}

/** Unknown flags that are in fact values of other flags. */
const values = (errors: ReadonlyArray<CliError.CliError>, line: Line): ReadonlySet<string> =>
  new Set(
    errors.flatMap((error) => {
      if (error._tag !== "InvalidValue" || error.value !== "" || !isVerbatim(error.option)) return []
      return (swallowed(error.option, line) ?? "").split("=", 1)
    })
  )

export const sentencesOf = (errors: ReadonlyArray<CliError.CliError>, line: Line): ReadonlyArray<string> => {
  const taken = values(errors, line)
  const causes = errors.filter((error) => error._tag !== "UnrecognizedOption" || !taken.has(error.option))
  return [...new Set(causes.map((error) => sentenceOf(error, line)))]
}
