/**
 * All that is wrong in a command line, at once. The parser stops at the first wrong value: without that one, the rest is
 * parsed again, by commands that do nothing.
 */
import { Effect } from "effect"
import { type CliError, CliOutput, Command } from "effect/cli"
import { printRefusal } from "../refusal.ts"
import type { Invalid } from "../usage.ts"
import { sentencesOf } from "./sentences.ts"

const silent = CliOutput.layerPresenter({ present: () => Effect.void })

/** Without the first place of a flag and its value; undefined where it has none. */
export const without = (args: ReadonlyArray<string>, { option, value }: CliError.InvalidValue) => {
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

/** `commands`: those that the line may name. */
const allErrors = Effect.fnUntraced(function* (
  first: ReadonlyArray<CliError.CliError>,
  args: ReadonlyArray<string>,
  commands: ReadonlyArray<Command.Command.Any>
) {
  const found = [...first]
  const [name, ...others] = args
  const command = commands.find((other) => other.name === name)
  let rest: ReadonlyArray<string> = others
  for (let last = first; command !== undefined && found.length < mostErrors; ) {
    const [error] = last
    const less = error?._tag === "InvalidValue" && error.kind === "flag" ? without(rest, error) : undefined
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
    found.push(...last)
  }
  return found
})

/** `args` are those of the program. */
export const printInvalid = Effect.fnUntraced(function* (
  { errors, commandPath, helpDoc }: Invalid,
  args: ReadonlyArray<string>,
  commands: ReadonlyArray<Command.Command.Any>
) {
  const command = commandPath.slice(1).join(" ")
  const all = yield* allErrors(errors, args, commands)
  yield* printRefusal(command, sentencesOf(all, { args, command, help: helpDoc }))
})
