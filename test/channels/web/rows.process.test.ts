/** Events of a turn as rows, put together again as a page does: the same, whenever they were written, and once it is over. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { Block } from "../../../src/bridge/format/block.ts"
import { blocksOf } from "../../../src/bridge/format/blocks.ts"
import { compacted, type Numbered, streamedText, wasStreamed } from "../../../src/channels/web/rows/compact.ts"
import { boundedEvent, makeTurnRows, type Pending } from "../../../src/channels/web/rows/turnRows.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { anyOf } from "../../bridge/format/documents.ts"
import { runs } from "../../kit/runs.ts"

const text = (source: string): AgentEvent => ({ type: "text", text: source })
const use: AgentEvent = { type: "tool_use", toolId: "t", toolName: "Bash", input: {} }
const voided = (characters: number): AgentEvent => ({
  type: "notice",
  kind: "text_voided",
  message: "",
  data: { characters }
})

/** Rows of events, written whenever `isWritten` says so. */
const rowsOf = (events: ReadonlyArray<AgentEvent>, isWritten: (at: number) => boolean): ReadonlyArray<Numbered> => {
  const turn = makeTurnRows("bridge-1")
  const rows: Array<Numbered> = []
  let waiting: Array<Pending> = []
  const write = () => {
    for (const { take } of waiting) rows.push({ id: rows.length + 1, body: take() })
    waiting = []
  }
  for (const [at, event] of events.entries()) {
    waiting.push(...turn.push(event))
    if (isWritten(at)) write()
  }
  write()
  return rows
}

/** State of a page after some rows. */
interface Page {
  readonly segments: ReadonlyMap<number, ReadonlyArray<Block>>
  readonly thought: string
}

const blank: Page = { segments: new Map(), thought: "" }

const draw = (page: Page, rows: ReadonlyArray<Numbered>): Page => {
  const segments = new Map(page.segments)
  let { thought } = page
  for (const { body } of rows) {
    if (body.row !== "event") continue
    const { event, blocks, offset } = body
    if (event.type === "thinking") thought = thought.slice(0, offset) + String(event["text"])
    if (blocks === undefined) continue
    const { segment, from, list, grow } = blocks
    const before = segments.get(segment) ?? []
    const last = before[from]
    const isGrown = grow !== undefined && last?.t === "code"
    const rest = isGrown ? [{ ...last, text: last.text + grow }] : list
    segments.set(segment, [...before.slice(0, from), ...rest])
  }
  return { segments, thought }
}

const answerOf = ({ segments }: Page) => [...segments.values()].filter((blocks) => blocks.length > 0)

describe("rows of a turn", () => {
  it("join neighbouring pieces until they are written", () => {
    const rows = rowsOf([text("a"), text("b"), use, text("c")], () => false)
    assert.deepStrictEqual(
      rows.map(({ body }) => body.row === "event" && [body.event["text"] ?? body.event.type, body.offset]),
      [
        ["ab", 0],
        ["tool_use", undefined],
        ["c", 0]
      ]
    )
  })

  it("say what is new of an answer alone, and of code that grows its end", () => {
    const rows = rowsOf([text("one\n\ntwo"), text(" three\n\n```ts\na"), text("b\nc")], () => true)
    assert.deepStrictEqual(
      rows.map(({ body }) => body.row === "event" && body.blocks),
      [
        { segment: 0, from: 0, list: blocksOf("one\n\ntwo") },
        { segment: 0, from: 1, list: blocksOf("two three\n\n```ts\na") },
        { segment: 0, from: 2, list: [], grow: "b\nc" }
      ]
    )
  })

  it("take back what is void, also of segments before the last", () => {
    const events = [text("first"), use, text("second"), voided(8), text("anew")]
    for (const isWritten of [true, false]) {
      const rows = rowsOf(events, () => isWritten)
      assert.deepStrictEqual(answerOf(draw(blank, rows)), [blocksOf("fir"), blocksOf("anew")])
      assert.strictEqual(streamedText(rows), "firanew")
    }
  })

  it("keep the words of sub-agents and thoughts apart from the answer", () => {
    const rows = rowsOf(
      [
        text("a"),
        { type: "text", text: "sub", parentToolId: "t" },
        text("b"),
        { type: "thinking", text: "hm" },
        text("c")
      ],
      () => false
    )
    assert.deepStrictEqual(answerOf(draw(blank, rows)), [blocksOf("ab"), blocksOf("c")])
    assert.strictEqual(streamedText(rows), "abc")
  })
})

const seed = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 })))

/** A turn of text in pieces, steps, thoughts and what is taken back. */
const turnOf = (value: number): ReadonlyArray<AgentEvent> => {
  let state = value
  const random = (most: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return Math.floor((state / 0x8000_0000) * most)
  }
  return Array.from({ length: 1 + random(6) }, () => {
    const kind = random(8)
    if (kind === 0) return [use]
    if (kind === 1) return [{ type: "thinking", text: "hm " } as const, { type: "thinking", text: "yes" } as const]
    if (kind === 2) return [voided(random(40))]
    const document = anyOf(random(2 ** 31))
    const pieces: Array<AgentEvent> = []
    for (let at = 0; at < document.length; ) {
      const next = at + 1 + random(random(4) === 0 ? 12 : 120)
      pieces.push(text(document.slice(at, next)))
      at = next
    }
    return pieces
  }).flat()
}

describe("any turn", () => {
  it.prop(
    "is drawn the same, whenever its rows were written",
    [seed],
    ([value]) => {
      const events = turnOf(value)
      const whole = draw(
        blank,
        rowsOf(events, () => false)
      )
      const often = draw(
        blank,
        rowsOf(events, () => true)
      )
      const sometimes = draw(
        blank,
        rowsOf(events, (at) => at % 3 === 0)
      )
      assert.deepStrictEqual(answerOf(often), answerOf(whole))
      assert.deepStrictEqual(answerOf(sometimes), answerOf(whole))
    },
    runs(40)
  )

  it.prop(
    "is drawn the same once it takes less room, by a reader that had a part of it",
    [seed],
    ([value]) => {
      const rows = rowsOf(turnOf(value), (at) => at % 2 === 0)
      const { changed, removed } = compacted(rows)
      const gone = new Set(removed)
      const stored = rows.filter(({ id }) => !gone.has(id)).map((row) => changed.find(({ id }) => id === row.id) ?? row)
      assert.deepStrictEqual(answerOf(draw(blank, stored)), answerOf(draw(blank, rows)))
      assert.strictEqual(streamedText(stored), streamedText(rows))
      for (const at of rows.keys()) {
        const had = rows.slice(0, at + 1)
        const last = had.at(-1)?.id ?? 0
        const rest = stored.filter(({ id }) => id > last)
        assert.deepStrictEqual(answerOf(draw(draw(blank, had), rest)), answerOf(draw(blank, rows)))
      }
    },
    runs(25)
  )
})

describe("an event for a page", () => {
  const long = "x".repeat(100_000)
  it.each<readonly [string, AgentEvent, (event: ReturnType<typeof boundedEvent>) => void]>([
    [
      "an output",
      { type: "tool_result", toolId: "t", output: long, isError: false },
      ({ output }) => assert.strictEqual(String(output).length, 65_536)
    ],
    [
      "an input",
      { type: "tool_use", toolId: "t", toolName: "Write", input: { path: "a", content: long } },
      ({ input }) =>
        assert.strictEqual(JSON.stringify(input).length, 16_384 + JSON.stringify({ path: "a", content: "" }).length)
    ],
    ["a raw line", { type: "unknown", raw: { long } }, ({ raw }) => assert.isUndefined(raw)]
  ])("is cut where it is long: %s", (_, event, check) => {
    const bounded = boundedEvent(event)
    assert.isTrue(bounded["cut"])
    check(bounded)
  })

  it("has all of what is to be approved", () => {
    const preview = "p".repeat(65_000)
    const plan = "q".repeat(262_144)
    const event = boundedEvent({
      ...{ type: "permission_request", requestId: "r", toolId: "t", toolName: "ExitPlanMode", kind: "plan" },
      ...{ input: { plan }, title: "a plan", escalated: false, scopes: [], preview, plan }
    })
    assert.deepInclude(event, { preview, plan, cut: true })
  })

  const image = (length: number) => ({ mediaType: "image/png", bytes: length, data: "A".repeat(length) }) as const
  const room = 512 * 1024
  it.each<readonly [string, ReadonlyArray<number>, ReadonlyArray<number>]>([
    ["one that fits", [room], [room]],
    ["none that is larger", [room + 1], [0]],
    ["those that fit, in order", [room - 2, 4, 2, 1], [room - 2, 0, 2, 0]]
  ])("has images: %s", (_, lengths, expected) => {
    const raw = { images: "x".repeat(100_000) }
    const media = lengths.map(image)
    const event = boundedEvent({ type: "tool_result", toolId: "t", output: "[image]", isError: false, raw, media })
    const remaining = expected.map((length, at) =>
      length === 0 ? { mediaType: "image/png", bytes: lengths[at] } : image(length)
    )
    assert.deepStrictEqual(event, {
      type: "tool_result",
      toolId: "t",
      output: "[image]",
      isError: false,
      media: remaining
    })
  })

  it.prop(
    "has its text, and is small, however many and large its images are",
    [Arbitrary.schema(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 }))))],
    ([lengths]) => {
      // As JSON six times as long.
      const output = "\u0000".repeat(60_000)
      const media = lengths.map(image)
      const event = boundedEvent({ type: "tool_result", toolId: "t", output, isError: false, media })
      assert.strictEqual(event["output"], output)
      assert.lengthOf(event["media"] as ReadonlyArray<unknown>, lengths.length) // as it was given
      assert.isAtMost(JSON.stringify(event).length, 768 * 1024)
    },
    runs(25)
  )

  it("is small whatever is in it", () => {
    const tools = Array.from({ length: 100_000 }, (_, at) => `tool-${at}`)
    assert.isBelow(JSON.stringify(boundedEvent({ type: "session", sessionId: "s", tools })).length, 1_000)
  })
})

describe("a text of an answer", () => {
  it.each([
    ["a **b**\n\nc", "a **b** c", true],
    ["abc", "ab", false],
    ["abc", "", false],
    ["x".repeat(30_000), "x".repeat(12_000), true]
  ] as const)("was streamed, or not: %#", (streamed, source, expected) => {
    assert.strictEqual(wasStreamed(streamed, source), expected)
  })
})
