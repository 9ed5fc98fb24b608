/** Answers by a schema on the five real CLIs: right, of another shape, prose, and right after the agent was asked again. */
import { type } from "arktype"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { CliId } from "../../src/cli/clis.ts"
import { type Answer, call, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType, openAgent } from "./rig/agent.ts"
import { openCodex } from "./rig/codex.ts"
import { openGemini } from "./rig/gemini.ts"
import { openLive } from "./rig/live.ts"
import { openHome } from "./rig/opencode.ts"
import { openPi } from "./rig/pi.ts"

const outputSchema = {
  type: "object",
  properties: { answer: { type: "number" } },
  required: ["answer"],
  additionalProperties: false
}

const { open: openOpenCode } = openHome()
const value = (answer: unknown) => JSON.stringify({ answer })
const called = (answer: unknown) => call(tool("StructuredOutput", { answer }))
const prose = "The answer is 42."

/** For each CLI: how a run of it is opened, and the model's answer. Claude Code asks again itself, first. */
const runs = [
  [
    "claude",
    openAgent,
    { right: [called(42)], wrong: Array.from({ length: 5 }, () => called("x")), prose: [say(prose), say(prose)] }
  ],
  ["codex", openCodex, { right: [say(value(42))], wrong: [say(value("x"))], prose: [say(prose)] }],
  ["gemini", openGemini, { right: [say(value(42))], wrong: [say(value("x"))], prose: [say(prose)] }],
  ["opencode", openOpenCode, { right: [say(value(42))], wrong: [say(value("x"))], prose: [say(prose)] }],
  ["pi", openPi, { right: [say(value(42))], wrong: [say(value("x"))], prose: [say(prose)] }]
] as const

const retriesOf = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, "notice").filter(({ kind, data }) => kind === "retry" && data?.["maxRetries"] === 1)

describe.each(runs)("a run of %s", (id, open, says) => {
  it("has an answer that matches, at once", async () => {
    await using real = await open([...says.right])
    const { events, result } = await real.collect({ outputSchema })
    expect(result).toMatchObject({ outcome: "completed", structuredOutput: { answer: 42 } })
    expect(retriesOf(events)).toEqual([])
    const { prompt } = await real.api.arrival(1)
    expect(prompt.includes("JSON Schema")).toBe(id !== "claude" && id !== "codex")
  })

  it.each([
    ["Zod", z.object({ answer: z.number() })],
    ["Effect", Schema.Struct({ answer: Schema.Number })],
    ["ArkType", type({ answer: "number" })],
    ["JSON Schema 2020-12", { $schema: "https://json-schema.org/draft/2020-12/schema", ...outputSchema }],
    ["a draft 07", { $schema: "http://json-schema.org/draft-07/schema#", ...outputSchema }]
  ])("takes a schema of %s", async (_, schema) => {
    await using real = await open([...says.right])
    const { result } = await real.collect({ outputSchema: schema })
    expect(result).toMatchObject({ outcome: "completed", structuredOutput: { answer: 42 } })
  })

  it.each(["wrong", "prose"] as const)("is right after one retry: %s", async (first) => {
    await using real = await open([...says[first], ...says.right])
    const { events, result } = await real.collect({ outputSchema })
    expect(result).toMatchObject({ outcome: "completed", structuredOutput: { answer: 42 } })
    expect(retriesOf(events)).toHaveLength(1)
    expect(ofType(events, "session")).toHaveLength(1)
    const answers = says[first].length + says.right.length
    expect(real.api.requests).toHaveLength(answers)
    expect(result.usage).toMatchObject({ outputTokens: answers * 10 })
    const { body } = await real.api.arrival(answers)
    // The same session, and what was wrong in it.
    expect(JSON.stringify(body)).toContain("go on")
    expect(JSON.stringify(body)).toContain("does not match the JSON Schema")
  })

  it("that is never right fails with what is wrong", async () => {
    await using real = await open([...says.prose, ...says.prose])
    const { result, error } = await real.collect({ outputSchema })
    expect(result).toMatchObject({ outcome: "failed", reason: "schema_not_met", text: expect.stringContaining(prose) })
    expect(error?.message).toBe("The answer does not match outputSchema: the answer is not a JSON value")
  })
})

describe.each(["claude", "codex", "gemini", "opencode", "pi"] satisfies ReadonlyArray<CliId>)("a turn of %s", (cli) => {
  const turnOf = async (answers: ReadonlyArray<Answer>) => {
    await using live = await openLive(cli, answers)
    const events = await Array.fromAsync(live.session.turn("go on", { outputSchema }))
    const last = events.at(-1)
    const next = await Array.fromAsync(live.session.turn("and then?"))
    const bodies = live.api.requests.map(({ body }) => JSON.stringify(body))
    return { events, next: next.at(-1), bodies, result: last?.type === "turn_done" ? last.result : undefined }
  }

  it("is right at once; the next turn has no schema", async () => {
    const { result, next, bodies } = await turnOf([say(value(42)), say("prose")])
    expect(result).toMatchObject({ outcome: "completed", structuredOutput: { answer: 42 } })
    expect(next).toMatchObject({ result: { outcome: "completed", text: "prose" } })
    if (cli === "codex") expect(bodies.map((body) => body.includes('"json_schema"'))).toEqual([true, false])
  })

  it.each([
    ["another shape", value("x")],
    ["prose", prose]
  ])("is right after %s", async (_, first) => {
    const { events, result } = await turnOf([say(first), say(value(42)), say("prose")])
    expect(result).toMatchObject({ outcome: "completed", structuredOutput: { answer: 42 }, text: value(42) })
    expect(result?.usage).toMatchObject({ outputTokens: 20 })
    expect(retriesOf(events)).toHaveLength(1)
    expect(ofType(events, "turn_done")).toHaveLength(1)
  })
})
