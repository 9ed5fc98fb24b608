/** Checks the outcome of a run against its possible outcomes; pure. */
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { Account, RunAccount } from "./account.ts"
import { endingMs, slackMs } from "./bounds.ts"
import { expectationOf } from "./expectation.ts"
import type { ReadOutput } from "./readOutput.ts"
import type { RunPlan, Scenario } from "./scenario.ts"

export const kinds = [
  "survivors", "missing done", "doubled done", "wrong reasons", "lost or doubled events", "changed files",
  "leaked descriptors", "leaked handles", "hangs", "noise"
] as const // biome-ignore format: one list
export type Kind = (typeof kinds)[number]

export interface Finding {
  readonly kind: Kind
  readonly detail: string
}

const finding = (kind: Kind, detail: string): ReadonlyArray<Finding> => [{ kind, detail }]

/** A consumer that reads to the end sees one `done`, last; one that leaves before sees at most that. */
const checkDone = (run: RunPlan, account: RunAccount): ReadonlyArray<Finding> => {
  const { how, problem, dones, isDoneLast, result } = account
  if (how === "threw") return finding("missing done", `it threw: ${problem}`)
  if (dones > 1 || (dones === 1 && !isDoneLast)) return finding("doubled done", `${dones} done, last: ${isDoneLast}`)
  const mayMiss = how === "left" || how === "stopped"
  if (!mayMiss && result === undefined) return finding("missing done", `it ${how} without one`)
  return how === "ended" && run.consumer?.takes === "all" && dones === 0
    ? finding("missing done", "the stream ended")
    : []
}

const outcomes = { completed: "completed", aborted: "aborted", timed_out: "timed_out" } as const
const isOther = (reason: string): reason is keyof typeof outcomes => reason in outcomes

/** The fields of the result agree, and it is a possible one. */
const checkReason = (allowed: ReadonlySet<string>, account: RunAccount): ReadonlyArray<Finding> => {
  const { result, how, lastErrorCode } = account
  if (result === undefined) return []
  const { reason, outcome, aborted } = result
  if (!allowed.has(reason)) return finding("wrong reasons", `${reason}, not one of ${[...allowed].join(", ")}`)
  if (outcome !== (isOther(reason) ? outcomes[reason] : "failed"))
    return finding("wrong reasons", `${outcome}: ${reason}`)
  if (aborted !== (reason === "aborted")) return finding("wrong reasons", `aborted is ${aborted}: ${reason}`)
  if (how === "ended" && reason !== "completed" && lastErrorCode === undefined) {
    return finding("wrong reasons", `no error event: ${reason}`)
  }
  return []
}

const countsOf = ({ events }: ReadOutput) => {
  const counts: Record<string, number> = {}
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

const sorted = (counts: Readonly<Record<string, number>>) => JSON.stringify(Object.entries(counts).sort())

const checkEvents = (run: RunPlan, account: RunAccount, whole: ReadOutput | undefined): ReadonlyArray<Finding> => {
  const { how, counts, joinedText, result } = account
  if (result === undefined) return []
  if (how === "ended" && joinedText !== result.text)
    return finding("lost or doubled events", "joined text is not the result's")
  if (whole === undefined) return []
  if (result.text !== whole.text) {
    return finding("lost or doubled events", `${result.text.length} characters of text, not ${whole.text.length}`)
  }
  if (how !== "ended" || run.consumer?.takes !== "all") return []
  const { done: _, error: __, ...others } = counts
  const { error: ___, ...expected } = countsOf(whole)
  if (sorted(others) === sorted(expected)) return []
  return finding("lost or doubled events", `${sorted(others)}, not ${sorted(expected)}`)
}

const checkTime = (
  { killGraceMs }: Scenario,
  { endedAfterMs = 0 }: RunAccount,
  slow: number
): ReadonlyArray<Finding> =>
  endedAfterMs <= slow * (killGraceMs + endingMs + slackMs)
    ? []
    : finding("hangs", `it ended ${Math.round(endedAfterMs)} ms after it was told to`)

export const findingsOf = (
  scenario: Scenario,
  params: ReadonlyArray<AgentExecuteParams>,
  account: Account,
  slow: number
): ReadonlyArray<Finding> =>
  scenario.runs.flatMap((run, index) => {
    const [input, request] = [account.runs[index], params[index]]
    if (input === undefined || request === undefined) return finding("missing done", `run ${index} has no account`)
    const { reasons, whole } = expectationOf(scenario, run, request)
    return [
      ...checkDone(run, input),
      ...checkReason(reasons, input),
      ...checkEvents(run, input, whole),
      ...checkTime(scenario, input, slow)
    ].map(({ kind, detail }) => ({ kind, detail: `run ${index}: ${detail}` }))
  })
