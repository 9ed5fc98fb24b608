/** The arguments with which OpenCode (1.18.33) would do more than its rules allow; pure. One of them is in no help text. */
import { yargsFlags } from "../../yargs.ts"

const flags: ReadonlySet<string> = new Set(["--auto", "--yolo", "--dangerously-skip-permissions", "--attach"])

/** The first of them, without its value. */
export const looseArgument = (args: ReadonlyArray<string>): string | undefined =>
  args.find((argument) => yargsFlags(argument).some((name) => flags.has(name)))?.split("=", 1)[0]

/** Two agents are none, and OpenCode takes the default one instead, which plan mode is not. */
export const looseBaseArgument = (args: ReadonlyArray<string>): string | undefined =>
  looseArgument(args) ?? args.find((argument) => yargsFlags(argument).includes("--agent"))?.split("=", 1)[0]
