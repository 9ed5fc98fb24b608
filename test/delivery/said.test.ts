/** What is still to be said, and the pieces that it becomes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { piecesOf } from "../../src/delivery/payloadPieces.ts"
import { isSaid, unsaid } from "../../src/delivery/suppress.ts"
import type { SentMessage } from "../../src/messages/McpSideEffects.ts"
import type { Piece, ReplyPayload } from "../../src/messages/ReplyPayload.ts"

const conversation = { channel: "test", accountId: "bot", chatId: "1", threadId: "7" }
const target = { tool: "send_message", provider: "test", accountId: "bot", to: "1", threadId: "7" }
const sent: SentMessage = { target, text: "Caf\u00e9 is  open", mediaUrls: ["/a.png"], state: "queued", at: 1 }
const { threadId: _, ...chat } = target

describe("an answer that the agent has sent itself", () => {
  const cases: ReadonlyArray<readonly [why: string, said: boolean, text: string, send: SentMessage]> = [
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
  it.each(cases)("%s: %s", (_why, said, text, send) => assert.strictEqual(isSaid(text, [send], conversation), said))

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
  const channelOf = (uploadBytes: number) => ({
    render,
    limits: { text: 9, buttons: { most: 8, label: 9, data: 64 }, pace: {}, uploadBytes, downloadBytes: 0 }
  })
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n")
  const buttons = [[{ label: "Stop", data: "x" }]]
  const made = (payloads: ReadonlyArray<ReplyPayload>, uploadBytes = 0, directory?: string, isFull = false) =>
    Effect.gen(function* () {
      const written = new Map<string, string>()
      const fs = FileSystem.layerNoop({
        makeDirectory: () => Effect.void,
        writeFileString: (path, text) => (isFull ? Effect.die("full") : Effect.sync(() => void written.set(path, text)))
      })
      const place = directory === undefined ? {} : { directory }
      const options = { channel: channelOf(uploadBytes), conversation, turnId: "t", ...place }
      return { pieces: yield* piecesOf(options, payloads).pipe(Effect.provide(fs)), written }
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

  it.effect("of a long text are eight, the last of which tells of the rest", () =>
    Effect.gen(function* () {
      for (const { pieces } of [
        yield* made([{ text: lines(20), buttons }]),
        yield* made([{ text: lines(20), buttons }], 10, "/d"),
        yield* made([{ text: lines(20), buttons }], 1_000, "/d", true)
      ]) {
        assert.strictEqual(pieces.length, 8)
        assert.strictEqual(pieces.at(-1)?.piece.text, "… and 13 more parts: /export")
        assert.deepStrictEqual(pieces.at(-1)?.piece.body, { buttons: 1 })
      }
      const { pieces, written } = yield* made([{ text: lines(20), mediaUrls: ["/own.png"] }], 1_000, "/d")
      const [file] = [...written.keys()]
      assert.match(file ?? "", /^\/d\/answer-[0-9a-f]{16}\.md$/)
      assert.strictEqual(written.get(file ?? ""), lines(20))
      assert.deepStrictEqual(
        pieces.slice(7).map(({ piece }) => piece.file ?? piece.text),
        ["… the whole text is in the file", file, "/own.png"]
      )
      assert.deepStrictEqual(
        (yield* made([{ text: lines(20) }], 1_000, "/d")).pieces.map(({ key }) => key),
        pieces.slice(0, -1).map(({ key }) => key)
      )
    })
  )
})
