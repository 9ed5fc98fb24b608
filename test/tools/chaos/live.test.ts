/** Live sessions of a campaign: what is drawn, and that each kind of lie about one is found. */
import { assert, describe, it } from "vitest"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentRunResult } from "../../../src/contract/AgentRunResult.ts"
import { liveFindings } from "../../../tools/chaos/live/checks.ts"
import { drawLive, isLive } from "../../../tools/chaos/live/draw.ts"
import type { LiveAccount, TurnAccount } from "../../../tools/chaos/live/drive.ts"
import type { LivePlan, LiveTurn } from "../../../tools/chaos/live/plan.ts"

const steps = Array.from({ length: 400 }, (_, index) => index + 1)

describe("what is drawn", () => {
  it("is the same for the same seed and step, and plain data", () => {
    for (const step of steps.slice(0, 50)) {
      const plan = drawLive(7, step)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(plan)), drawLive(7, step))
    }
  })

  it("is a session now and then, with every kind of turn, act, answer and change of the host's time", () => {
    const plans = steps.filter((step) => isLive(3, step)).map((step) => drawLive(3, step))
    assert.isAbove(plans.length, 60)
    const turns = plans.flatMap((plan) => plan.turns)
    const names = new Set(turns.flatMap((turn) => turn.steps.flatMap((step) => Object.keys(step))))
    for (const name of ["say", "ask", "hang", "fail", "exit", "signal", "silent"]) assert.include([...names], name)
    assert.deepStrictEqual([...new Set(turns.map(({ act }) => act?.is ?? "none"))].sort(), [
      "interrupt",
      "leave",
      "none"
    ])
    const changes = plans.flatMap(({ fate }) => fate?.disturbances.map(({ is }) => is) ?? [])
    assert.deepStrictEqual([...new Set(changes)].sort(), ["date set", "host stopped", "loop blocked"])
  })
})

const plan: LivePlan = {
  is: "live",
  cli: "claude",
  door: "promise",
  killGraceMs: 100,
  turns: [
    { steps: [{ say: "t0s0" }, { ask: { id: "t0s1" } }, { await: 1 }, { tell: true }], act: null, decides: "allow" }
  ],
  isTogether: false,
  closesAfterMs: null,
  fate: null
}

const text = "t0s0\nt0s1=allow\n"
const result: AgentRunResult = {
  outcome: "completed",
  reason: "completed",
  text,
  sessionId: undefined,
  durationMs: 1,
  usage: undefined,
  aborted: false
}
const content: AgentEvent = { type: "text", text }
const over = (changes: Partial<AgentRunResult> = {}): AgentEvent => ({
  type: "turn_done",
  result: { ...result, ...changes }
})
const decision: AgentEvent = { type: "permission_decision", requestId: "1", decision: "allow", by: "caller" }
const request: AgentEvent = {
  type: "permission_request",
  requestId: "1",
  toolName: "Bash",
  toolId: "t",
  kind: "command",
  input: {},
  title: "run",
  escalated: false,
  scopes: []
}
const done: AgentEvent = { type: "done", result: { ...result, text: "" } }

const account = (turn: Partial<TurnAccount> = {}, session: Partial<LiveAccount> = {}): LiveAccount => ({
  turns: [{ events: [content, over()], how: "ended", acted: false, ...turn }],
  events: [request, decision, content, over(), done],
  ...session
})

describe("what is found", () => {
  it.each<readonly [string, LiveAccount, ReadonlyArray<string>]>([
    ["nothing in a good session", account(), []],
    ["nothing in a turn that was left", account({ how: "left", events: [content] }), []],
    ["a turn without its end", account({ events: [content] }), ["missing done"]],
    ["two ends of a turn", account({ events: [content, over(), over()] }), ["doubled done"]],
    ["an end that is not last", account({ events: [over(), content] }), ["doubled done"]],
    ["a reason that cannot be", account({ events: [content, over({ reason: "timed_out" })] }), ["wrong reasons"]],
    ["a time that is negative", account({ events: [content, over({ durationMs: -1 })] }), ["wrong reasons"]],
    ["text that is not the result's", account({ events: [over()] }), ["lost or doubled events"]],
    [
      "a line that was lost",
      account({ events: [{ type: "text", text: "t0s0\n" }, over({ text: "t0s0\n" })] }),
      ["lost or doubled events"]
    ],
    ["a session without its end", account({}, { events: [] }), ["missing done"]],
    ["two ends of a session", account({}, { events: [done, done] }), ["doubled done"]],
    ["a request that nothing decided", account({}, { events: [request, done] }), ["lost or doubled events"]],
    ["a session that throws", account({}, { problem: "a defect" }), ["missing done"]]
  ])("%s", (_name, input, kinds) => {
    assert.deepStrictEqual(
      liveFindings(plan, input).map(({ kind }) => kind),
      kinds
    )
  })

  it.each<readonly [string, Partial<LivePlan>, LiveTurn["steps"][number], ReadonlyArray<string>]>([
    ["cannot, within the grace", {}, { say: "t0s0" }, ["wrong reasons"]],
    ["can, without a grace", { killGraceMs: 0 }, { say: "t0s0" }, []],
    ["can, by an agent that prints much", {}, { times: { text: "t0s0", count: 300 } }, []]
  ])("a turn that ends with the one before, which was interrupted: it %s", (_name, changes, step, kinds) => {
    const first: LiveTurn = { steps: [step], act: { is: "interrupt", atEvent: 1 }, decides: "allow" }
    const second: LiveTurn = { steps: [{ say: "t1s0" }], act: null, decides: "allow" }
    const aborted = over({ reason: "aborted", outcome: "aborted" })
    const turns = [
      { events: [aborted], how: "ended", acted: true },
      { events: [aborted], how: "ended", acted: false }
    ] as const
    const found = liveFindings(
      { ...plan, ...changes, turns: [first, second] },
      { turns, events: [aborted, aborted, done] }
    )
    assert.deepStrictEqual(
      found.map(({ kind }) => kind),
      kinds
    )
  })
})
