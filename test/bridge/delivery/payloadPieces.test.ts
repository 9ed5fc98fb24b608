/** Payloads, and the pieces that they become. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isSaid, piecesOf, unsaid } from "../../../src/bridge/delivery/payloadPieces.ts"
import type { SentMessage } from "../../../src/bridge/messages/AgentDeliveryResult.ts"
import type { Piece, ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"

const conversation = { channel: "test", accountId: "bot", chatId: "1", threadId: "7" }
const target = { tool: "send_message", provider: "test", accountId: "bot", to: "1", threadId: "7" }
const sent: SentMessage = { target, text: "Caf\u00e9 is  open", mediaUrls: ["/a.png"], state: "queued", at: 1 }
const { threadId: _, ...chat } = target

describe("an answer that the agent has sent itself", () => {
  const cases: ReadonlyArray<readonly [why: string, isExpected: boolean, text: string, send: SentMessage]> = [
    ["the same text", true, "Café is  open", sent],
    ["white space and composition differ", true, " Cafe\u0301 is\nopen ", sent],
    ["it may be there", true, "Café is open", { ...sent, state: "unknown" }],
    ["a part of it", false, "Café is", sent],
    ["more than it", false, "Café is open now", sent],
    ["another case", false, "café is open", sent],
    ["it failed", false, "Café is open", { ...sent, state: "failed" }],
    ["another chat", false, "Café is open", { ...sent, target: { ...target, to: "2" } }],
    ["another account", false, "Café is open", { ...sent, target: { ...target, accountId: "b" } }],
    ["another channel", false, "Café is open", { ...sent, target: { ...target, provider: "b" } }],
    ["the chat, not the thread", false, "Café is open", { ...sent, target: chat }],
    ["nothing", false, " ", { ...sent, text: "" }]
  ]
  it.each(cases)("%s: %s", (_why, isExpected, text, send) =>
    assert.strictEqual(isSaid(text, [send], conversation), isExpected)
  )

  it("is left out, but for its files, errors and buttons", () => {
    const text = sent.text
    const left = (payload: ReplyPayload, mode?: "equal" | "silent") => unsaid([payload], [sent], conversation, mode)
    assert.deepStrictEqual(left({ text }), [])
    assert.deepStrictEqual(left({ text, mediaUrls: ["/a.png", "/b.png"] }), [{ mediaUrls: ["/b.png"] }])
    assert.deepStrictEqual(left({ text, isError: true }), [{ text, isError: true }])
    assert.deepStrictEqual(left({ text: "more" }), [{ text: "more" }])
    assert.deepStrictEqual(left({ text: "more" }, "silent"), [])
    assert.deepStrictEqual(left({ text: "broken", isError: true }, "silent"), [{ text: "broken", isError: true }])
    assert.deepStrictEqual(unsaid([{ text }], [{ ...sent, state: "failed" }], conversation, "silent"), [{ text }])
  })
})

describe("pieces of payloads", () => {
  /** One piece for each line, and one for each file. */
  const render = ({ text = "", mediaUrls = [], buttons = [] }: ReplyPayload): ReadonlyArray<Piece> => [
    ...text.split("\n").map((line) => ({ text: line, body: { buttons: buttons.length } })),
    ...mediaUrls.map((file) => ({ text: "", body: {}, file }))
  ]
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n")
  const buttons = [[{ label: "Stop", data: "x" }]]
  const made = (payloads: ReadonlyArray<ReplyPayload>, canWrite = false) =>
    Effect.gen(function* () {
      const output = new Map<string, string>()
      const write = (name: string, text: string) =>
        Effect.sync(() => {
          if (!canWrite) return undefined
          output.set(name, text)
          return `/d/${name}`
        })
      return {
        pieces: yield* piecesOf({ channel: { render }, conversation, turnId: "t", write }, payloads),
        written: output
      }
    })

  it.effect("keep the order of the payloads, errors included, and have keys of turn and number", () =>
    Effect.gen(function* () {
      const { pieces } = yield* made([{ text: lines(2) }, { text: "broken", isError: true }])
      assert.deepStrictEqual(
        pieces.map(({ key, kind, piece: { text } }) => [key, kind, text]),
        [
          ["t/0/0", "answer", "line 0"],
          ["t/0/1", "answer", "line 1"],
          ["t/1/0", "answer", "broken"]
        ]
      )
      assert.strictEqual((yield* made([{ text: lines(8) }])).pieces.at(-1)?.piece.text, "line 7")
    })
  )

  it.effect(
    "of a long text are its beginning and a file with the whole, or all of them where no file can be sent",
    () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* made([{ text: lines(20), buttons }])).pieces.length, 20)
        const { pieces, written: output } = yield* made([{ text: lines(20), mediaUrls: ["/own.png"] }], true)
        assert.deepStrictEqual([...output], [["answer-t/0.md", lines(20)]])
        assert.deepStrictEqual(
          pieces.slice(6).map(({ piece }) => piece.file ?? piece.text),
          ["line 6", "… the whole text is in the file.", "/d/answer-t/0.md", "/own.png"]
        )
        assert.deepStrictEqual(
          (yield* made([{ text: lines(20) }], true)).pieces.map(({ key }) => key),
          pieces.slice(0, -1).map(({ key }) => key)
        )
      })
  )
})
