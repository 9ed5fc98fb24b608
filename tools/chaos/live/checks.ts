/** Checks the outcome of a live session against its possible outcomes; pure. */
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { textOf } from "../../../test/kit/events.ts"
import type { Finding, Kind } from "../checks.ts"
import type { LiveAccount, TurnAccount } from "./drive.ts"
import { has, isFatal, type LivePlan, type LiveTurn } from "./plan.ts"

const finding = (kind: Kind, detail: string): ReadonlyArray<Finding> => [{ kind, detail }]

/** How a session ends that was closed or whose process is gone. */
const endings = ["aborted", "timed_out", "exited", "killed", "no_result"]

/**
 * An agent that does not heed the end of a turn within the grace is ended, and with it the turns after it: without a grace,
 * or with half a second at most while it prints hundreds of lines.
 */
const mayOutlastGrace = ({ killGraceMs }: LivePlan, { act, steps }: LiveTurn) =>
  act !== null && (killGraceMs === 0 || steps.some((step) => "times" in step))

const reasonsOf = (plan: LivePlan, turn: LiveTurn, { acted }: TurnAccount): ReadonlySet<string> => {
  const mayBeCut = plan.closesAfterMs !== null || plan.turns.some(isFatal)
  const isEndless = has(turn, "hang") || isFatal(turn)
  const before = plan.turns.slice(0, plan.turns.indexOf(turn))
  return new Set([
    ...(isEndless ? [] : [has(turn, "fail") ? "agent_failed" : "completed"]),
    ...(acted ? ["aborted", "completed"] : []),
    // An interrupt that is meant for one turn ends what is under way.
    ...(plan.isTogether && plan.turns.some(({ act }) => act !== null) ? ["aborted"] : []),
    ...(before.some((one) => mayOutlastGrace(plan, one)) ? ["aborted"] : []),
    ...(mayBeCut ? endings : []),
    // A turn that hangs, and that is not left since too few events came, ends the session and what comes after it.
    ...([...before, turn].some((one) => has(one, "hang")) ? ["timed_out"] : [])
  ])
}

/** The lines that a turn says if nothing ends it. */
const linesOf = ({ steps, decides }: LiveTurn): ReadonlyArray<string> =>
  steps.flatMap((step): ReadonlyArray<string> => {
    if ("say" in step) return [step.say]
    if ("times" in step) return Array.from({ length: step.times.count }, () => step.times.text)
    if (!("ask" in step)) return []
    return [`${step.ask.id}=${decides === "allow" ? "allow" : "deny"}`]
  })

/** Others may stand between them: what a turn before was denied, and why. */
const checkText = (index: number, turn: LiveTurn, { events }: TurnAccount, text: string): ReadonlyArray<Finding> => {
  if (textOf(events) !== text) return finding("lost or doubled events", "joined text is not the result's")
  const content = text.split(/\n+/).filter((line) => line.startsWith(`t${index}s`))
  const expected = linesOf(turn)
  const wrong = content.findIndex((line, at) => !line.startsWith(expected[at] ?? "\0"))
  if (wrong === -1 && content.length === expected.length) return []
  return finding(
    "lost or doubled events",
    `${content.length} lines, not ${expected.length}; line ${wrong}: ${content[wrong]}`
  )
}

const checkTurn = (plan: LivePlan, index: number, turn: LiveTurn, account: TurnAccount): ReadonlyArray<Finding> => {
  const { events, how } = account
  const ends = events.flatMap((event) => (event.type === "turn_done" ? [event.result] : []))
  if (how === "left") return ends.length > 1 ? finding("doubled done", `${ends.length} turn_done`) : []
  const [result] = ends
  if (result === undefined) return finding("missing done", "a turn ended without turn_done")
  if (ends.length > 1 || events.at(-1)?.type !== "turn_done") return finding("doubled done", `${ends.length} turn_done`)
  const reasons = reasonsOf(plan, turn, account)
  if (!reasons.has(result.reason)) {
    return finding("wrong reasons", `${result.reason}, not one of ${[...reasons].join(", ")}`)
  }
  if (result.durationMs < 0) return finding("wrong reasons", `it took ${result.durationMs} ms`)
  return result.reason === "completed" ? checkText(index, turn, account, result.text) : []
}

const idsOf = (events: ReadonlyArray<AgentEvent>, type: "permission_request" | "permission_decision") =>
  events.flatMap((event) => (event.type === type ? [event.requestId] : [])).toSorted()

export const liveFindings = (plan: LivePlan, { turns, events, problem }: LiveAccount): ReadonlyArray<Finding> => {
  if (problem !== undefined) return finding("missing done", `it threw: ${problem}`)
  const dones = events.filter(({ type }) => type === "done").length
  const [request, decided] = [idsOf(events, "permission_request"), idsOf(events, "permission_decision")]
  return [
    ...(dones === 0 ? finding("missing done", "the session has none") : []),
    ...(dones > 1 || (dones === 1 && events.at(-1)?.type !== "done") ? finding("doubled done", `${dones} done`) : []),
    ...(request.join() === decided.join()
      ? []
      : finding("lost or doubled events", `${request.length} requests, ${decided.length} decisions`)),
    ...plan.turns.flatMap((turn, index) => {
      const account = turns[index]
      if (account === undefined) return finding("missing done", `turn ${index} has no account`)
      return checkTurn(plan, index, turn, account).map(({ kind, detail }) => ({
        kind,
        detail: `turn ${index}: ${detail}`
      }))
    })
  ]
}
