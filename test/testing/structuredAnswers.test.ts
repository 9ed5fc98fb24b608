/** Scripted runs and turns whose answer has a schema. */
import { assert, describe, it } from "vitest"
import { z } from "zod"
import { AgentError } from "../../src/promise.ts"
import { testAgent } from "../../src/testing.ts"

const outputSchema = z.object({ files: z.int().transform((files) => `${files} files`) })
const answering = (text: string) =>
  testAgent([
    { type: "text", text: "I look." },
    { type: "tool_use", toolId: "1", toolName: "Read", input: {} },
    { type: "text", text }
  ])

describe("a scripted answer", () => {
  it("that matches is the output of the run, and JSON to everybody else", async () => {
    await using agent = answering('{"files":3}')
    const { structuredOutput } = await agent.run({ prompt: "How many?", outputSchema })
    assert.strictEqual(structuredOutput?.files, "3 files")
    await using session = await agent.open()
    const [turn, all] = await Promise.all([
      Array.fromAsync(session.turn("How many?", { outputSchema })),
      (async () => {
        for await (const event of session.events) if (event.type === "turn_done") return event
        return assert.fail("no end of the turn")
      })()
    ])
    assert.deepInclude(turn.at(-1), { type: "turn_done" })
    assert.deepNestedInclude(turn.at(-1), { "result.structuredOutput": { files: "3 files" } })
    assert.deepStrictEqual(all.result.structuredOutput, { files: 3 })
  })

  it("that does not match fails", async () => {
    await using agent = answering("three")
    const error: unknown = await agent.run({ prompt: "How many?", outputSchema }).catch((error: unknown) => error)
    if (!(error instanceof AgentError)) return assert.fail("it did not fail")
    assert.strictEqual(error.reason._tag, "SchemaNotMet")
  })
})
