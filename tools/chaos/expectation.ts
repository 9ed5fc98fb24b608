/**
 * The possible outcomes of a drawn run; pure. The table of reasons errs on the side of the run: an abort may come too late,
 * a program that is killed may have said its last word before.
 */

import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { Ending } from "../../src/agents/engine/judge.ts"
import type { AgentExecuteParams, Timeouts } from "../../src/contract/AgentExecuteParams.ts"
import type { ProcessExit } from "../../src/contract/AgentRunResult.ts"
import type { RunReason } from "../../src/contract/FailureReason.ts"
import { runReason } from "../../src/contract/FailureReason.ts"
import { type ReadOutput, readOutput } from "./readOutput.ts"
import { recordingOf, underSession } from "./recordings.ts"
import type { Broken, Program, RunPlan, Scenario } from "./scenario.ts"
import { actionsOf, stdoutOf } from "./script.ts"

export interface Expectation {
  readonly reasons: ReadonlySet<RunReason>
  /** The output that must have been read, where nothing can come in between. */
  readonly whole: ReadOutput | undefined
  readonly timeouts: Timeouts
}

const reasonOf = ({ failure }: Ending): RunReason => (failure === undefined ? "completed" : runReason[failure._tag])

const brokenReasons: Readonly<Record<Exclude<Broken, "option">, RunReason>> = {
  command: "not_installed",
  "not executable": "spawn_failed",
  directory: "invalid_params",
  argument: "invalid_params",
  "long argument": "command_line_too_long",
  record: "invalid_params"
}

/** If every option is supported, an unknown one is requested. */
const reasonOfBroken = (cli: CliId, what: Broken): RunReason => {
  if (what !== "option") return brokenReasons[what]
  return clis[cli].supports.has("maxBudgetUsd") ? "invalid_params" : "unsupported_option"
}

const exitOf = ({ end }: Program): ProcessExit | undefined => {
  if (end.is === "exits") return { code: end.code }
  return end.is === "dies" ? { signal: end.signal } : undefined
}

const isResting = ({ budget, isEnded }: ReadOutput) => budget === "linger" && !isEnded

/** How the program goes when the user signals it; undefined when it does not. */
const exitBy = ({ signals }: Program, signal: string): ProcessExit | undefined => {
  if (signal === "SIGKILL" || signals.are === "obeyed") return { signal }
  return signals.are === "slow" ? { code: signals.code } : undefined
}

/** At every line, so that it may end between any two of them. */
const beginnings = (cli: CliId, params: AgentExecuteParams, stdout: string): ReadonlyArray<ReadOutput> => {
  const lines = stdout.split("\n")
  return lines.map((_, count) =>
    readOutput(
      clis[cli],
      params,
      lines
        .slice(0, count)
        .map((line) => `${line}\n`)
        .join(""),
      true
    )
  )
}

const killedReasons = (exit: ProcessExit | undefined, parts: ReadonlyArray<ReadOutput>): ReadonlyArray<RunReason> => {
  if (exit === undefined) return []
  const reasons = parts.map((part) => reasonOf(part.leaving(exit)))
  // It may also end within a line: then no success is believed.
  return "code" in exit && exit.code === 0 ? [...reasons, "no_result"] : reasons
}

const isStopped = ({ fault }: RunPlan) => fault?.is === "signal" && fault.signal === "SIGSTOP"

/** Where the program leaves in time nothing else is to end its lingering. */
const mayOutstay = (run: RunPlan) => {
  const { end } = run.program
  return end.is === "stays" || end.is === "stops" || (end.is === "exits" && end.afterMs > 0) || isStopped(run)
}

/** Nothing can come any more, since no other process holds its stdout. */
const isMuted = ({ program: { closesStdout, tools } }: RunPlan) =>
  closesStdout && !tools.some(({ holds }) => holds.includes("stdout"))

/** By what the program does alone. */
const ownReasons = (run: RunPlan, output: ReadOutput, parts: ReadonlyArray<ReadOutput>): ReadonlyArray<RunReason> => {
  const exit = exitOf(run.program)
  // A silence after a result confirms it, and on a loaded machine there is one between any two lines.
  const confirmed = mayOutstay(run) ? parts.filter(isResting).map((part) => reasonOf(part.staying())) : []
  const early = isMuted(run) ? [...confirmed, reasonOf(output.stdoutClosed())] : confirmed
  if (exit !== undefined) return [...early, reasonOf(output.leaving(exit))]
  if (output.budget === "linger") return [...early, reasonOf(output.staying())]
  if (output.budget === "settle" && !isMuted(run)) return [...early, reasonOf(output.settled())]
  return isMuted(run) ? early : [...early, "timed_out"]
}

/** By what is done to all runs of the agent, at whatever moment. */
const sharedReasons = ({ close, fate, limits }: Scenario): ReadonlyArray<RunReason> => [
  ...(close !== null || fate?.how === "closes on SIGTERM" ? (["aborted"] as const) : []),
  ...(limits?.maxWaitMs === undefined ? [] : (["limit_reached"] as const))
]

/** By what is done to this one. */
const faultReasons = ({ fault, program }: RunPlan, parts: ReadonlyArray<ReadOutput>): ReadonlyArray<RunReason> => {
  if (fault?.is === "abort" || fault?.is === "leave") return ["aborted"]
  if (fault?.is === "total") return ["timed_out"]
  if (fault?.is !== "signal") return []
  if (fault.signal !== "SIGSTOP") return killedReasons(exitBy(program, fault.signal), parts)
  return ["timed_out", ...parts.filter(({ budget }) => budget === "settle").map((part) => reasonOf(part.settled()))]
}

const never = "5 minutes"

/** Only where the program is to fall silent one of them is short, so that no other runs out on a loaded machine. */
const timeoutsOf = (run: RunPlan, output: ReadOutput): Timeouts => {
  const { fault, program, budgetMs } = run
  const silence = isStopped(run) ? budgetMs + 500 : never
  return {
    startup: silence,
    idle: silence,
    tool: silence,
    settle: silence,
    ...(exitOf(program) === undefined && !isMuted(run) ? { [output.budget]: budgetMs } : {}),
    linger: mayOutstay(run) ? budgetMs : never,
    ...(fault?.is === "total" ? { total: fault.ms } : {})
  }
}

export const expectationOf = (scenario: Scenario, run: RunPlan, params: AgentExecuteParams): Expectation => {
  const { cli } = scenario
  const { program, fault } = run
  const actions = actionsOf(program, underSession(recordingOf(cli, program.recording), params.sessionId))
  const exit = exitOf(program)
  const output = readOutput(clis[cli], params, stdoutOf(actions), exit !== undefined || isMuted(run))
  const timeouts = timeoutsOf(run, output)
  const shared = sharedReasons(scenario)
  if (fault?.is === "aborted before") return { reasons: new Set(["aborted"]), whole: undefined, timeouts }
  if (fault?.is === "broken") {
    return { reasons: new Set([reasonOfBroken(cli, fault.what), ...shared]), whole: undefined, timeouts }
  }
  const mayEndBefore = mayOutstay(run) || fault?.is === "signal"
  const parts = mayEndBefore ? beginnings(cli, params, stdoutOf(actions.filter((action) => action.do !== "flood"))) : []
  const isLeftAlone = fault === null && shared.length === 0 && !(mayOutstay(run) && parts.some(isResting))
  const isWhole = (exit !== undefined || output.isEnded) && !program.tools.some(({ is }) => is === "chats")
  return {
    reasons: new Set([...ownReasons(run, output, parts), ...faultReasons(run, parts), ...shared]),
    whole: isLeftAlone && isWhole ? output : undefined,
    timeouts
  }
}
