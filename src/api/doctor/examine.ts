/** Examines one CLI on this machine without asking a model: where it is, its version, whether it is signed in. */
import { Effect } from "effect"
import type { Cli, CliFacts } from "../../cli/Cli.ts"
import { standingOf, versionIn } from "../../cli/versions.ts"
import type { AgentReport, CliStanding } from "../../contract/DoctorReport.ts"
import { present } from "../../contract/present.ts"
import { untraced } from "../../contract/untraced.ts"
import { findCommand } from "../../system/process/findCommand.ts"
import { type Answer, ask } from "../../system/process/probe.ts"

const timeout = "10 seconds"

type Env = Readonly<Record<string, string | undefined>>
type Found = Pick<AgentReport, "status" | "version" | "problem">

/** Pi (1.6.0) prints it on stderr, and nothing else there, where stdout is not a terminal. */
const onStderr = (stderr: string) =>
  /^\s*v?\d+(?:\.\d+){1,3}\S{0,60}\s*$/.test(stderr) ? versionIn(stderr) : undefined

export const judgeVersion = (
  { command, testedVersion, oldestVersion, belowOldest }: Omit<CliFacts, "supports">,
  answer: Answer
): Found => {
  const question = `\`${command} --version\``
  if (answer._tag === "Unanswered") return { status: "broken", problem: `${question} ${answer.problem}` }
  if (answer.exitCode !== 0)
    return { status: "broken", problem: `${question} failed with exit code ${answer.exitCode}` }
  const version = versionIn(answer.stdout) ?? onStderr(answer.stderr)
  if (version === undefined) return { status: "broken", problem: `${question} gave no version` }
  const status = standingOf(version, { testedVersion, oldestVersion: oldestVersion ?? testedVersion })
  return status === "older" && belowOldest !== undefined
    ? { status, version, problem: belowOldest }
    : { status, version }
}

const signInOf = Effect.fn(...untraced("Examine.signInOf"))(function* (cli: Cli, path: string, env: Env) {
  const key = cli.apiKeys.find((name) => (env[name] ?? "") !== "")
  if (key !== undefined) return { signedIn: true, credentials: key, billing: "api-key" as const }
  if (cli.signInCheck === undefined) return {}
  const { args, read, billing: billingOf } = cli.signInCheck
  const answer = yield* ask({ path, args, timeout })
  const signedIn = answer._tag === "Answered" ? read(answer) : undefined
  if (signedIn !== true || answer._tag !== "Answered") return signedIn === undefined ? {} : { signedIn }
  const billing = billingOf?.(answer)
  return { signedIn, credentials: "account", ...(billing === undefined ? {} : { billing }) }
})

export const examine = Effect.fn(...untraced("Api.examine"))(function* (
  cli: Cli,
  directories: ReadonlyArray<string>,
  env: Env
) {
  const { id, command, testedVersion, oldestVersion, install, otherInstalls, signIn } = cli
  const known = { agent: id, command, testedVersion, ...present({ oldestVersion, otherInstalls }), install, signIn }
  const path = yield* findCommand(command, directories)
  if (path === undefined) return { ...known, status: "missing", problem: "not found on PATH" } satisfies AgentReport
  const found = judgeVersion(cli, yield* ask({ path, args: ["--version"], timeout }))
  const signIns = found.status === "broken" ? {} : yield* signInOf(cli, path, env)
  return { ...known, ...found, path, ...signIns } satisfies AgentReport
})

const failed: ReadonlySet<CliStanding> = new Set(["older", "broken", "missing"])
export const hasFailed = ({ status }: Pick<AgentReport, "status">): boolean => failed.has(status)
