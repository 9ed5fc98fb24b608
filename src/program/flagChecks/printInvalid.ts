/**
 * Prints all problems of a command line at once. The parser stops at the first wrong value, and at unknown flags: without
 * these, the rest is parsed again, by commands that do nothing.
 */
import { Effect } from "effect"
import { type CliError, CliOutput, Command } from "effect/cli"
import { untraced } from "../../contract/untraced.ts"
import { printRefusal } from "../exit.ts"
import { sentencesOf } from "./sentences.ts"

const silent = CliOutput.layerPresenter({ present: () => Effect.void })

/** Removes the first occurrence of a flag and its value; undefined if it does not occur. */
const without = (args: ReadonlyArray<string>, { option, value }: CliError.InvalidValue) => {
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const names = option === "agent" ? ["--agent", "-a"] : [`--${option}`]
  const at = args.findIndex(
    (word, index) =>
      index < end && names.some((name) => word === `${name}=${value}` || (word === name && args[index + 1] === value))
  )
  if (at === -1) return undefined
  return [...args.slice(0, at), ...args.slice(args[at]?.includes("=") === true ? at + 1 : at + 2)]
}

const mostErrors = 20

/** Removes unknown flags, but not the words after them, which may be their values. */
const withoutUnknown = (args: ReadonlyArray<string>, errors: ReadonlyArray<CliError.CliError>) => {
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const unknown = errors.flatMap((error) => (error._tag === "UnrecognizedOption" ? [error.option] : []))
  const isUnknown = (word: string) => unknown.some((option) => word === option || word.startsWith(`${option}=`))
  const rest = args.filter((word, index) => index >= end || !isUnknown(word))
  return rest.length < args.length ? rest : undefined
}

const isWrongFlag = (error: CliError.CliError): error is CliError.InvalidValue =>
  error._tag === "InvalidValue" && error.kind === "flag"

/** The command of the words, and the words after it. */
const commandOf = (root: Command.Command.Any, args: ReadonlyArray<string>) => {
  let [command, at] = [root, 0]
  for (;;) {
    const next = command.subcommands.flatMap(({ commands }) => commands).find(({ name }) => name === args[at])
    if (next === undefined) return { command, rest: args.slice(at) }
    command = next
    at += 1
  }
}

const allErrors = Effect.fn(...untraced("PrintInvalid.allErrors"))(function* (
  first: ReadonlyArray<CliError.CliError>,
  args: ReadonlyArray<string>,
  root: Command.Command.Any
) {
  const found = [...first]
  const { command, rest: behind } = commandOf(root, args)
  let rest = behind
  for (let last = first; command !== root && found.length < mostErrors; ) {
    const wrong = last.find(isWrongFlag)
    const less = wrong === undefined ? withoutUnknown(rest, last) : without(rest, wrong)
    if (less === undefined) break
    rest = less
    const idle = Command.withHandler(
      command as Command.Command<string, unknown, unknown, never, never>,
      () => Effect.void
    )
    const parsed = yield* Effect.flip(Command.runWith(idle, { version: "" })(rest)).pipe(
      Effect.provide(silent),
      Effect.option
    )
    last = parsed._tag === "Some" && parsed.value._tag === "ShowHelp" ? parsed.value.errors : []
    const isKnown = (error: CliError.CliError) => found.some((other) => other.message === error.message)
    // After an unknown flag, an unexpected word may be its value.
    const hasUnknown = found.some(({ _tag }) => _tag === "UnrecognizedOption")
    found.push(...last.filter((error) => (hasUnknown ? isWrongFlag(error) : true) && !isKnown(error)))
  }
  return found
})

/** `args`: of the program. */
export const printInvalid = Effect.fn(...untraced("Program.printInvalid"))(function* (
  { errors, commandPath, helpDoc }: CliOutput.Presenter.InvalidInvocation,
  args: ReadonlyArray<string>,
  root: Command.Command.Any
) {
  const command = commandPath.slice(1).join(" ")
  const all = yield* allErrors(errors, args, root)
  yield* printRefusal(command, sentencesOf(all, { args, command, help: helpDoc }))
})
