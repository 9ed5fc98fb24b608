/** Turns whose answer has a schema, on live fakes of all agents: a wrong answer is asked for again, in the same turn. */
import { assert, describe, it } from "vitest"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import {
  createAcpAgent,
  createAgent,
  type PlainAgent,
  type PlainSession,
  type TurnOptions
} from "../../../src/promise.ts"
import { FakeCli, LiveStep } from "../../../src/testing.ts"

const ids = ["claude", "codex", "gemini", "opencode", "acp"] as const
type Id = (typeof ids)[number]

const outputSchema = { type: "object", properties: { files: { type: "integer" } }, required: ["files"] }
const right = '{"files":3}'
const wrong = '{"files":"three"}'
const say = (text: string) => [LiveStep.text(text)]

const agentOf = (id: Id, command: string, killGrace = "1 second" as const): PlainAgent =>
  id === "acp" ? createAcpAgent({ command, killGrace }) : createAgent(id, { command, killGrace })

const inSession = async <A>(
  id: Id,
  turns: ReadonlyArray<ReadonlyArray<LiveStep>>,
  use: (session: PlainSession) => Promise<A>
): Promise<A> => {
  await using cli = await FakeCli.install(FakeCli.live(id, turns))
  await using agent = agentOf(id, cli.command)
  await using session = await agent.open()
  return await use(session)
}

const resultOf = (events: ReadonlyArray<AgentEvent>) => {
  assert.lengthOf(
    events.filter(({ type }) => type === "turn_done"),
    1
  )
  const last = events.at(-1)
  return last?.type === "turn_done" ? last.result : assert.fail("turn_done is not the last")
}

const turn = (session: PlainSession, options: TurnOptions = { outputSchema }) =>
  Array.fromAsync(session.turn("How many files?", options))

describe.each(ids)("%s", (id) => {
  it.each([
    ["matches", [say(right)], 0],
    ["is of another shape", [say(wrong), say(right)], 1],
    ["is prose", [say("There are three files."), say(right)], 1],
    ["has the value in a block", [say(`Here:\n\`\`\`json\n${right}\n\`\`\``)], 0]
  ] as const)("an answer that %s", async (_, turns, retries) => {
    const events = await inSession(id, turns, turn)
    const result = resultOf(events)
    assert.deepInclude(result, { outcome: "completed", structuredOutput: { files: 3 } })
    const { length } = events.filter((event) => event.type === "notice" && event.kind === "retry")
    assert.strictEqual(length, retries)
    if (retries > 0) assert.strictEqual(result.text, right)
  })

  it("no answer that matches fails the turn, and the session goes on without a schema", async () => {
    const [failed, next] = await inSession(id, [say(wrong), say(wrong), say("prose")], async (session) => [
      await turn(session),
      await Array.fromAsync(session.turn("And now?"))
    ])
    assert.deepInclude(resultOf(failed ?? []), { outcome: "failed", reason: "schema_not_met", text: wrong })
    assert.deepInclude(resultOf(next ?? []), { outcome: "completed", text: "prose" })
  })

  it("interrupted when it is asked again, it ends as aborted", async () => {
    const events = await inSession(id, [say(wrong), [LiveStep.hang()]], async (session) => {
      const events: Array<AgentEvent> = []
      for await (const event of session.turn("How many files?", { outputSchema })) {
        events.push(event)
        if (event.type === "notice" && event.kind === "retry") void session.interrupt()
      }
      return events
    })
    assert.deepInclude(resultOf(events), { outcome: "aborted" })
  })
})

it("a run of an agent with sessions only is asked again, too", async () => {
  await using cli = await FakeCli.install(FakeCli.live("acp", [say(wrong), say(right)]))
  await using agent = agentOf("acp", cli.command)
  const result = await agent.run({ prompt: "How many files?", outputSchema })
  assert.deepInclude(result, { outcome: "completed", structuredOutput: { files: 3 }, text: right })
})

it("invalid options refuse the turn, and the session continues", async () => {
  await inSession("codex", [say("fine")], async (session) => {
    const wrongOptions = [
      { outputSchema: 3 },
      { outputSchema: { type: "text" } },
      { retries: -1 },
      { retries: 11 },
      { shema: {} }
    ]
    for (const options of wrongOptions as ReadonlyArray<TurnOptions>) {
      assert.deepInclude(resultOf(await turn(session, options)), { outcome: "failed", reason: "invalid_params" })
    }
    assert.deepInclude(resultOf(await Array.fromAsync(session.turn("go on"))), { text: "fine" })
  })
})

it("a text with a schema never goes into the running turn", async () => {
  const delivery = await inSession(
    "claude",
    [[LiveStep.wait("300 millis"), LiveStep.text("one")], say(right)],
    async (session) => {
      const events: Array<AgentEvent> = []
      const listening = (async () => {
        for await (const event of session.events) events.push(event)
      })()
      await session.send("first")
      const delivery = await session.send("How many files?", { outputSchema })
      await session.idle()
      await session.close()
      await listening
      const ends = events.flatMap((event) => (event.type === "turn_done" ? [event.result.structuredOutput] : []))
      assert.deepStrictEqual(ends, [undefined, { files: 3 }])
      return delivery
    }
  )
  assert.strictEqual(delivery, "queued")
})
