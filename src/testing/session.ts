/** The session and the permission mode that the arguments of a start name: a real CLI takes and says them; pure. */
import type { SessionArguments } from "./instructions.ts"

/** Of `--name=value` or `--name value`. */
const valueAfter = (args: ReadonlyArray<string>, names: ReadonlyArray<string>): string | undefined => {
  for (const [index, arg] of args.entries()) {
    const name = names.find((candidate) => arg === candidate || arg.startsWith(`${candidate}=`))
    if (name === undefined) continue
    const value = arg === name ? args[index + 1] : arg.slice(name.length + 1)
    if (value !== undefined && value !== "" && !value.startsWith("-")) return value
  }
  return undefined
}

/** Undefined where the CLI chooses the id: for a new session, and for a fork of an old one. */
export const sessionOf = (args: ReadonlyArray<string>, rules: SessionArguments): string | undefined => {
  const isFork = args.some((arg) => rules.forked.includes(arg))
  return valueAfter(args, rules.named) ?? (isFork ? undefined : valueAfter(args, rules.resumed))
}

/** In the words of the CLI. */
export const modeOf = (args: ReadonlyArray<string>, modeArgument: string | undefined): string =>
  (modeArgument === undefined ? undefined : valueAfter(args, [modeArgument])) ?? "default"
