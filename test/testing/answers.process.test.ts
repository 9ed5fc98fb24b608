/** `answer` of the fakes is a structured answer of each CLI, in runs and in live sessions. */
import { assert, describe, it } from "vitest"
import { createAgent } from "../../src/promise.ts"
import { FakeCli, LiveStep, Step } from "../../src/testing.ts"
import { commandTool, ids } from "./kit.ts"

const outputSchema = {
  type: "object",
  properties: { files: { type: "integer" }, note: { type: "string" } },
  required: ["files", "note"]
}
const answer = { files: 3, note: '"wörld" 🎉' }

describe.each(ids)("%s", (id) => {
  it("answers a run, behind its tools", async () => {
    const tool = Step.tool({ name: commandTool[id], input: { command: "ls" } })
    await using cli = await FakeCli.install(FakeCli[id]([Step.text("I look."), tool, Step.answer(answer)]))
    await using agent = createAgent(id, { command: cli.command })
    const { structuredOutput } = await agent.run({ prompt: "How many?", outputSchema, retries: 0 })
    assert.deepStrictEqual(structuredOutput, answer)
  })

  it("is asked again after a wrong answer", async () => {
    const turns = FakeCli.inTurn(
      FakeCli[id]([Step.answer({ files: "three", note: "" })]),
      FakeCli[id]([Step.answer(answer)])
    )
    await using cli = await FakeCli.install(turns)
    await using agent = createAgent(id, { command: cli.command })
    const { structuredOutput, outcome } = await agent.run({ prompt: "How many?", outputSchema })
    assert.deepStrictEqual([outcome, structuredOutput, cli.calls().length], ["completed", answer, 2])
  })

  it("answers a turn", async () => {
    await using cli = await FakeCli.install(FakeCli.live(id, [[LiveStep.answer(answer)]]))
    await using agent = createAgent(id, { command: cli.command })
    await using session = await agent.open()
    const events = await Array.fromAsync(session.turn("How many?", { outputSchema, retries: 0 }))
    assert.deepNestedInclude(events.at(-1), { "result.structuredOutput": answer })
  })
})

it("is a call of its tool, as Claude Code tells it", async () => {
  await using cli = await FakeCli.install(FakeCli.claude([Step.answer(answer)]))
  await using agent = createAgent("claude", { command: cli.command })
  const events = await Array.fromAsync(agent.execute({ prompt: "How many?", outputSchema }))
  const [call] = events.flatMap((event) => (event.type === "tool_use" ? [event] : []))
  assert.deepInclude(call, { toolName: "StructuredOutput", input: answer })
})

it.each([
  ["Step", () => Step.answer(undefined)],
  ["Step", () => Step.answer(1n)],
  ["LiveStep", () => LiveStep.answer(() => {})]
])("is a value that JSON can say: %s.answer", (maker, make) => {
  assert.throws(make, `${maker}.answer: needs a value that JSON can say`)
})
