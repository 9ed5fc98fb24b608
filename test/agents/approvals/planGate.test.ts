/** When a plan may be put before a person. */
import { describe, expect, it } from "vitest"
import { makePlanGate, visibleLength } from "../../../src/agents/approvals/planGate.ts"
import type { PlanOptions } from "../../../src/contract/Rule.ts"

const at = (nowMs: number, textLength = 0, planLength = 0) => ({ nowMs, textLength, planLength })
const messageOf = (decision: unknown) =>
  typeof decision === "object" && decision !== null && "message" in decision ? decision.message : undefined

describe("an outline", () => {
  const request = (options: PlanOptions = {}) => {
    const gate = makePlanGate(options)
    expect(gate.attempt(at(0, 50))).toBeUndefined()
    gate.decided("outline", at(0, 50))
    return gate
  }

  it.each<[string, number, number, boolean]>([
    ["nothing was written", 50, 0, false],
    ["a little was written", 249, 0, false],
    ["enough was written", 250, 0, true],
    ["the plan is too short", 50, 199, false],
    ["the plan is long enough", 50, 200, true],
    ["both are short, together long", 150, 150, false],
    ["the count has begun anew, and is short", 40, 0, false]
  ])("%s", (_, textLength, planLength, passes) => {
    const decision = request().attempt(at(1, textLength, planLength))
    expect(decision === undefined).toBe(passes)
    if (!passes) expect(messageOf(decision)).toContain("at least 200 characters")
  })

  it("is asked for until it is there, and then no more", () => {
    const gate = request({ outlineLength: 10 })
    expect(messageOf(gate.attempt(at(1, 51)))).toContain("10 characters")
    expect(gate.attempt(at(2, 59))?.decision).toBe("deny")
    expect(gate.attempt(at(3, 60))).toBeUndefined()
    expect(gate.attempt(at(3, 0))).toBeUndefined()
  })

  it("is written also where the count has begun anew", () => {
    const gate = makePlanGate({})
    gate.decided("outline", at(0, 1000))
    expect(gate.attempt(at(1, 199))?.decision).toBe("deny")
    expect(gate.attempt(at(1, 200))).toBeUndefined()
  })

  it("can be asked for again", () => {
    const gate = request()
    expect(gate.attempt(at(1, 250))).toBeUndefined()
    gate.decided("outline", at(1, 250))
    expect(gate.attempt(at(2, 300))?.decision).toBe("deny")
    expect(gate.attempt(at(2, 450))).toBeUndefined()
  })

  it.each<"allow" | "reset">(["allow", "reset"])("is owed no more after %s", (end) => {
    const gate = request()
    if (end === "reset") gate.reset()
    else gate.decided("allow", at(1))
    expect(gate.attempt(at(1, 50))).toBeUndefined()
  })
})

describe("a cooldown", () => {
  const denied = (cooldown: PlanOptions["cooldown"], times = 1) => {
    const gate = makePlanGate(cooldown === undefined ? {} : { cooldown })
    for (let count = 0; count < times; count++) gate.decided("deny", at(1000))
    return gate
  }

  it("is off by default", () => {
    expect(denied(undefined).attempt(at(1000))).toBeUndefined()
    expect(denied(false).attempt(at(1000))).toBeUndefined()
    expect(denied([]).attempt(at(1000))).toBeUndefined()
  })

  it.each([
    [1, 30],
    [2, 60],
    [3, 90],
    [4, 120],
    [9, 120]
  ])("after %d denials lasts %d s", (times, seconds) => {
    const gate = denied(true, times)
    expect(messageOf(gate.attempt(at(1000)))).toContain(` ${seconds} s `)
    expect(messageOf(gate.attempt(at(seconds * 1000 + 999)))).toContain(" 1 s ")
    expect(gate.attempt(at(seconds * 1000 + 1000))).toBeUndefined()
  })

  it("of the caller's own", () => {
    expect(messageOf(denied(["5 seconds", 7000], 2).attempt(at(1000)))).toContain(" 7 s ")
    expect(messageOf(denied(["Infinity"]).attempt(at(1e12)))).toBe("The plan was denied. Do not ask again.")
  })

  it("an attempt within it counts for nothing", () => {
    const gate = denied(true)
    gate.attempt(at(2000))
    expect(gate.attempt(at(31_000))).toBeUndefined()
  })

  it("a clock that is set back makes it no longer", () =>
    expect(messageOf(denied(true).attempt(at(-1e9)))).toContain(" 30 s "))

  it.each<"allow" | "reset">(["allow", "reset"])("ends with %s, and begins at its first length", (end) => {
    const gate = denied(true, 3)
    if (end === "reset") gate.reset()
    else gate.decided("allow", at(1000))
    expect(gate.attempt(at(1000))).toBeUndefined()
    gate.decided("deny", at(1000))
    expect(messageOf(gate.attempt(at(1000)))).toContain(" 30 s ")
  })
})

it("auto approves, whatever was before", () => {
  const gate = makePlanGate({ auto: true, cooldown: true })
  gate.decided("outline", at(0))
  gate.decided("deny", at(0))
  expect(gate.attempt(at(0))).toEqual({ decision: "allow" })
})

it.each([
  ["", 0],
  [" a\tb\n\u00a0c\u200b\u0007", 3],
  ["wörld 🙂", 6]
])("%j has %d visible characters", (text, length) => expect(visibleLength(text)).toBe(length))
