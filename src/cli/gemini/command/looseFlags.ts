/** The arguments with which Gemini CLI (0.61.0) would do more than its approval mode and its rules allow; pure. */
import { yargsFlags } from "../../yargs.ts"

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

const switchedOn = /^(--sandbox|-[A-Za-z]+)(=true)?$/

/** A sandbox that the user has configured is switched off: by `--no-sandbox`, and by every value but `true`. */
const isOpenSandbox = (argument: string, next: string | undefined): boolean => {
  if (!yargsFlags(argument).some((name) => name === "--sandbox" || name === "-s")) return false
  return !switchedOn.test(argument) || (!argument.includes("=") && next === "false")
}

/** The first of them, without its value. */
export const looseArgument = (args: ReadonlyArray<string>): string | undefined =>
  args
    .find(
      (argument, place) =>
        isOpenSandbox(argument, args[place + 1]) || yargsFlags(argument).some((name) => flags.has(name))
    )
    ?.split("=", 1)[0]
