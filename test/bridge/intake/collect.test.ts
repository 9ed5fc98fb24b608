/** Grouping of messages that belong together, and the wait for further parts. */
import { it as effectIt } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { collect, isFull, type Waiting } from "../../../src/bridge/intake/collect.ts"
import type { ChannelMessage } from "../../../src/bridge/messages/ChannelMessage.ts"
import { content, person } from "../incomingUpdates.ts"

const row = (at: number, text: string, more: Partial<ChannelMessage> = {}, from = "1"): Waiting => {
  const message = content(text, person(from), more)
  return { updateId: message.updateId, message, at }
}

const photo = (at: number, caption: string, group = "album"): Waiting =>
  row(at, caption, {
    group,
    attachments: [{ kind: "image", fileId: `f${at}`, ...(caption === "" ? {} : { caption }) }]
  })

const textsOf = (rows: ReadonlyArray<Waiting>, now: number) =>
  collect(rows, now).ready.map(({ message }) => message.text)

describe("a plain text", () => {
  it("waits a moment for forwards", () => {
    assert.deepStrictEqual(collect([row(0, "hi")], 199), { ready: [], waitUntil: 200 })
    assert.deepStrictEqual(textsOf([row(0, "hi")], 200), ["hi"])
  })
  it("is merged with the message right behind it", () =>
    assert.deepStrictEqual(textsOf([row(0, "What is this?"), row(100, "fwd", { forwarded: true })], 1_100), [
      "What is this?\nfwd"
    ]))
  it("is not merged with later messages, or those of others", () => {
    assert.deepStrictEqual(textsOf([row(0, "a"), row(1_001, "b")], 9_000), ["a", "b"])
    assert.deepStrictEqual(textsOf([row(0, "a"), row(1, "b", {}, "2")], 9_000), ["a", "b"])
  })
  it("is not merged with a reply or a command", () => {
    const reply = { replyTo: { messageId: "m1", ours: true } }
    assert.deepStrictEqual(textsOf([row(0, "a"), row(1, "b", reply), row(2, "c", reply)], 9_000), ["a", "b\nc"])
    assert.deepStrictEqual(textsOf([row(0, "a"), row(1, "/claude b"), row(2, "c")], 9_000), ["a", "/claude b", "c"])
  })
})

describe("an album", () => {
  const album = Array.from({ length: 10 }, (_, at) => photo(at * 50, at % 2 === 0 ? `caption ${at}` : ""))

  it("is one message, with all captions and files in order", () => {
    assert.deepStrictEqual(collect(album, 1_400), { ready: [], waitUntil: 1_450 })
    const [all, ...others] = collect(album, 1_450).ready
    assert.lengthOf(others, 0)
    assert.strictEqual(all?.message.text, "caption 0\ncaption 2\ncaption 4\ncaption 6\ncaption 8")
    assert.deepStrictEqual(
      all?.message.attachments.map(({ fileId }) => fileId),
      album.map(({ at }) => `f${at}`)
    )
    assert.strictEqual(all?.message.updateId, album[0]?.updateId)
    assert.deepStrictEqual([...(all?.rows ?? [])], album)
  })
  it("is complete with another person's message in between, and keeps the order", () => {
    const rows = [photo(0, "one"), row(10, "hi", {}, "2"), photo(900, "two")]
    assert.deepStrictEqual(collect(rows, 1_500), { ready: [], waitUntil: 1_900 })
    assert.deepStrictEqual(textsOf(rows, 1_900), ["one\ntwo", "hi"])
  })
  it("is not merged with another album", () =>
    assert.deepStrictEqual(textsOf([photo(0, "a"), photo(5_000, "b", "next")], 9_000), ["a", "b"]))
  it("has at most 50 parts and 400,000 characters", () => {
    const parts = Array.from({ length: 60 }, (_, at) => photo(at, ""))
    assert.deepStrictEqual(
      collect(parts, 9_000).ready.map(({ rows }) => rows.length),
      [50, 10]
    )
    const long = Array.from({ length: 5 }, (_, at) => photo(at, "x".repeat(100_000)))
    assert.deepStrictEqual(
      collect(long, 9_000).ready.map(({ rows }) => rows.length),
      [4, 1]
    )
  })
  it("is not merged with an album of another person with an equal group", () => {
    const theirs = row(10, "theirs", { group: "album" }, "2")
    assert.deepStrictEqual(textsOf([photo(0, "mine"), theirs], 9_000), ["mine", "theirs"])
  })
})

describe("a long text in parts", () => {
  const parts = Array.from({ length: 10 }, (_, at) => row(at * 300, String(at).repeat(4_096)))

  it("is merged, and a cut inside a word leaves no gap", () => {
    assert.deepStrictEqual(collect(parts, 3_699).ready, [])
    const all = parts.map(({ message }) => message.text).join("")
    assert.deepStrictEqual(
      collect(parts, 3_700, { limit: 4_096 }).ready.map(({ message }) => message.text),
      [all]
    )
  })
  it("waits for a second half", () => assert.strictEqual(collect([row(0, "x".repeat(3_600))], 500).waitUntil, 1_000))
})

describe("waiting", () => {
  it("ends, however many parts arrive", () => {
    const rows = Array.from({ length: 40 }, (_, at) => row(at * 900, `part ${at}`))
    const { ready } = collect(rows, 36_100)
    assert.deepStrictEqual(
      ready.map((each) => each.rows.length),
      [12, 12, 12, 4]
    )
    assert.lengthOf(collect(rows.slice(0, 12), 10_000).ready, 1)
  })
  it("does not happen if the clock was set back", () =>
    assert.deepStrictEqual(textsOf([photo(3_600_000, "a")], 0), ["a"]))
  it("is over for rows of a killed host", () => assert.deepStrictEqual(textsOf([photo(0, "a")], 9e9), ["a"]))
  it("without rows gives nothing", () => assert.deepStrictEqual(collect([], 5), { ready: [] }))
})

describe("20 waiting messages", () => {
  const waiting = Array.from({ length: 20 }, (_, at) => row(at * 5_000, `m${at}`))
  it("are the limit: one more is too many, a further part of the last is not", () => {
    assert.isFalse(isFull(waiting.slice(1), row(200_000, "twentieth")))
    assert.isTrue(isFull(waiting, row(200_000, "next")))
    assert.isFalse(isFull(waiting, row(95_100, "and this")))
    assert.isTrue(isFull(waiting, row(95_100, "and this", {}, "2")))
  })
  it("an album counts once", () => {
    const album = Array.from({ length: 30 }, (_, at) => photo(at, ""))
    assert.isFalse(isFull(album, photo(31, "")))
  })
})

const Steps = Schema.Array(
  Schema.Struct({
    gap: Schema.Literals([0, 100, 1_000, 1_001, 20_000, -3_600_000]),
    from: Schema.Literals(["1", "2"]),
    text: Schema.Union([Schema.Literals(["", "/stop", "a", "x".repeat(4_096)]), Schema.String]),
    group: Schema.optionalKey(Schema.Literals(["g", "h"])),
    passed: Schema.Literals([0, 500, 1_000, 30_000])
  })
)

effectIt.prop(
  "nothing is lost, nothing is twice, each sender's order stays, and waiting ends",
  [Arbitrary.schema(Steps)],
  ([steps]) => {
    let now = 1e9
    const rows = steps.map(({ gap, from, text, group }) => {
      now += gap
      return row(now, text, group === undefined ? {} : { group }, from)
    })
    const after = now + (steps[0]?.passed ?? 0)
    const { ready, waitUntil } = collect(rows, after)
    const taken = ready.flatMap((each) => each.rows)
    assert.strictEqual(new Set(taken.map(({ updateId }) => updateId)).size, taken.length)
    for (const from of ["1", "2"]) {
      const mine = (all: ReadonlyArray<Waiting>) => all.filter(({ message }) => message.sender.id === from)
      const ids = mine(taken).map(({ updateId }) => Number(updateId))
      const grouped = mine(rows).some(({ message }) => message.group !== undefined)
      if (!grouped)
        assert.deepStrictEqual(
          ids,
          [...ids].sort((a, b) => a - b)
        )
    }
    assert.strictEqual(waitUntil === undefined, taken.length === rows.length)
    if (waitUntil !== undefined) {
      assert.isAbove(waitUntil, after)
      assert.isAtMost(waitUntil, after + 10_000)
    }
    assert.lengthOf(
      collect(rows, 2e12).ready.flatMap((each) => each.rows),
      rows.length
    )
  }
)
