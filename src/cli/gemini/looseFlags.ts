/** The arguments with which Gemini CLI (0.61.0) would do more than its approval mode and its rules allow; pure. */
import { yargsFlags } from "../yargs.ts"

const flags: ReadonlySet<string> = new Set([
  "--yolo",
  "-y",
  "--approval-mode",
  "--policy",
  "--admin-policy",
  "--allowed-tools",
  "--allowed-mcp-server-names",
  "--skip-trust"
])

/** A sandbox that the user has configured is switched off. */
const isOpenSandbox = (argument: string) => /^-+(no-?(s|S)andbox$|(sandbox|s)=(false|0|no)$)/.test(argument)

/** The first of them, without its value. */
export const looseArgument = (args: ReadonlyArray<string>): string | undefined =>
  args
    .find((argument) => isOpenSandbox(argument) || yargsFlags(argument).some((name) => flags.has(name)))
    ?.split("=", 1)[0]
