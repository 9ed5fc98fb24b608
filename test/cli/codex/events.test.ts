/** Wire lines that no recording has, and what goes from line to line: text, retries, errors, verdicts. */
import { assert, describe, it } from "vitest"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { translate } from "../../kit/translate.ts"
import {
  answer,
  command,
  completed,
  decode,
  ended,
  error,
  failed,
  message,
  reasoning,
  reconnecting,
  started,
  thread,
  threadId,
  turn,
  updated
} from "./wireLines.ts"

const withoutSession = (events: ReadonlyArray<AgentEvent>) => events.filter(({ type }) => type !== "session")

describe("messages", () => {
  it("are separated by a blank line, which the later one adds", () => {
    const { events } = decode([thread(), turn, message("One."), reasoning("Hm."), message(""), message("Two.")])
    assert.deepStrictEqual(withoutSession(events), [
      { type: "text", text: "One." },
      { type: "thinking", text: "Hm." },
      { type: "text", text: "\n\nTwo." }
    ])
  })

  it("complete even when only item.completed arrives, and not sooner", () => {
    const half = started({ id: "item_0", type: "agent_message", text: "One" })
    const { events } = decode([half, updated({ id: "item_0", type: "agent_message", text: "One." }), message("One.")])
    assert.deepStrictEqual(events, [{ type: "text", text: "One." }])
  })

  it("come twice when the model repeats them", () => {
    assert.strictEqual(answer(decode([message("Yes."), message("Yes.")]).events), "Yes.\n\nYes.")
  })

  const retries: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, string]> = [
    ["the same again", [message("A"), reconnecting, message("A"), completed()], "A"],
    ["the same again, and more", [message("A"), reconnecting, message("A"), message("B")], "A\n\nB"],
    ["something else", [message("A"), reconnecting, message("B")], "A\n\nB"],
    ["something else, then the same", [message("A"), reconnecting, message("B"), message("A")], "A\n\nB\n\nA"],
    [
      "twice",
      [message("A"), message("B"), reconnecting, message("A"), reconnecting, message("A"), message("B")],
      "A\n\nB"
    ],
    [
      "what came behind silent work",
      [message("A"), message("B"), reconnecting, message("B"), message("C")],
      "A\n\nB\n\nC"
    ],
    [
      "the same, but earlier than before",
      [message("A"), message("B"), reconnecting, message("B"), message("A")],
      "A\n\nB\n\nA"
    ],
    ["behind a tool call", [message("A"), ended(command("c")), reconnecting, message("A")], "A\n\nA"],
    ["another notice", [message("A"), ended({ id: "e", type: "error", message: "x" }), message("A")], "A\n\nA"]
  ]

  it.each(retries)("after a retry: %s", (_, lines, text) => {
    assert.strictEqual(answer(decode([thread(), turn, ...lines]).events), text)
  })

  it("thoughts are not repeated after a retry, and do not stand for messages", () => {
    const { events } = decode([reasoning("A"), message("A"), reconnecting, reasoning("A"), message("A")])
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["thinking", "text", "notice"]
    )
  })
})

describe("errors on the way", () => {
  const kinds = (events: ReadonlyArray<AgentEvent>) =>
    withoutSession(events).map((event) => (event.type === "notice" ? `${event.kind}: ${event.message}` : event.type))

  it("a message that the failure repeats is given once", () => {
    const { events, decoder } = decode([
      thread(),
      turn,
      error("The model `x` does not exist"),
      failed("The model `x` does not exist")
    ])
    assert.deepStrictEqual(kinds(events), [])
    const verdict = decoder.verdict({ code: 1 })
    assert.deepInclude(verdict?._tag === "Failure" ? verdict.reason : {}, { code: "model_not_found" })
  })

  it("another message comes before the failure", () => {
    assert.deepStrictEqual(kinds(decode([error("one"), failed("two")]).events), ["retry: one"])
  })

  it("any message comes once something follows it", () => {
    assert.deepStrictEqual(kinds(decode([error("one"), message("hi")]).events), ["retry: one", "text"])
    assert.deepStrictEqual(kinds(decode([error("one"), error("two"), completed()]).events), [
      "retry: one",
      "retry: two"
    ])
  })

  it("the last message is the reason when the process leaves behind it", () => {
    const { events, decoder } = decode([error("Connection failed: x")])
    assert.deepStrictEqual(kinds(events), [])
    assert.deepInclude(decoder.verdict({ code: 1 }), { _tag: "Failure" })
    assert.strictEqual(decoder.standing(), "working")
  })

  it("retries have their count", () => {
    const data = decode([reconnecting, error("Reconnecting... waiting for network (x)")]).events.map((event) =>
      event.type === "notice" ? event.data : event
    )
    assert.deepStrictEqual(data, [{ attempt: 1, maxRetries: 5 }, undefined])
  })
})

describe("the verdict", () => {
  it("comes with the end of the turn, and is certain only by the exit", () => {
    const { decoder } = decode([thread(), turn, message("hi")])
    assert.deepStrictEqual([decoder.verdict({ code: 0 }), decoder.standing()], [undefined, "working"])
    translate(decoder, completed())
    assert.deepStrictEqual([decoder.verdict({ code: 0 }), decoder.standing()], [{ _tag: "Success" }, "resting"])
  })

  it("is missing for a session named in capitals, or for a fork", () => {
    for (const params of [
      { sessionId: threadId.toUpperCase() },
      { sessionId: threadId.replace("0", "1"), forkSession: true }
    ]) {
      const { decoder } = decode([thread(), completed()], params)
      assert.deepStrictEqual(decoder.verdict({ code: 0 }), { _tag: "Success" })
      assert.strictEqual(decoder.report().sessionId, threadId)
    }
  })
})

describe("structured output", () => {
  const params = { outputSchema: { type: "object" } }

  it("is the last message, where that is JSON", () => {
    const { decoder, events } = decode([message("Let me see."), message('{"a":1}'), completed()], params)
    assert.deepStrictEqual(decoder.report().structuredOutput, { a: 1 })
    assert.strictEqual(answer(events), 'Let me see.\n\n{"a":1}')
  })

  it.each([
    ["no JSON", params, "Sorry."],
    ["not asked for", {}, '{"a":1}']
  ])("is absent where it is %s", (_, request, text) => {
    assert.notProperty(decode([message(text), completed()], request).decoder.report(), "structuredOutput")
  })
})

it("an unknown line, item or state of an item is kept whole and hides nothing", () => {
  const strange = [
    { type: "strange" },
    ended({ id: "x", type: "strange" }),
    started({ type: "agent_message" }),
    { no: 1 }
  ]
  const { events } = decode([thread(), ...strange, message("hi")])
  assert.deepStrictEqual(
    events.filter((event) => event.type === "unknown").map(({ raw }) => raw),
    strange
  )
  assert.strictEqual(answer(events), "hi")
})
