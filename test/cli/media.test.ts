/** Images in results of tools: as each CLI reports them, and never more, or anything else, than an event may hold. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { makeToolCalls } from "../../src/cli/acp/live/toolCalls.ts"
import { boundedFacts } from "../../src/cli/boundedFacts.ts"
import { claude } from "../../src/cli/claude/index.ts"
import { readCall } from "../../src/cli/codex/live/items.ts"
import { outcomeOf, toolResult } from "../../src/cli/codex/run/tools.ts"
import { reader } from "../../src/cli/codex/storedItems.ts"
import { base64OfUrl, boundedMedia, imagesOfBlock, mediaLimits, mediaOf } from "../../src/cli/media.ts"
import { opencode } from "../../src/cli/opencode/index.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { eventJson } from "../../src/contract/eventJson.ts"
import type { ToolMedia } from "../../src/contract/ToolEvent.ts"
import { AgentEvent as AnyEvent } from "../../src/index.ts"
import * as files from "../kit/attachments.ts"
import { runs } from "../kit/runs.ts"
import { fixturesOf } from "./fixtures.ts"
import { runLines } from "./transcript.ts"

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")
const [png, gif] = [base64(files.png()), base64(files.gif)]
const entry = (data: string, mediaType: ToolMedia["mediaType"]): ToolMedia => ({
  mediaType,
  bytes: Buffer.from(data, "base64").length,
  data
})
const both = [entry(png, "image/png"), entry(gif, "image/gif")]

/** A PNG of so many bytes: what follows the header is not looked at. */
const pngOf = (bytes: number) => base64(Buffer.concat([files.png(), Buffer.alloc(bytes - files.png().length, 7)]))

const mediaIn = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event.type === "tool_result" ? (event.media ?? []) : []))
const outputIn = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event.type === "tool_result" ? [event.output] : []))

const text = { type: "text", text: "see" }
const ofClaude = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } })
const ofMcp = (data: string) => ({ type: "image", data, mimeType: "image/png" })
const embedded = (blob: string) => ({ type: "resource", resource: { uri: "shot://1", mimeType: "image/gif", blob } })
const url = (data: string) => `data:image/png;base64,${data}`

const recorded = (name: string) => {
  const fixture = fixturesOf(opencode).find((each) => each.name === name) ?? assert.fail(name)
  return new TextDecoder().decode(fixture.bytes).trimEnd().split("\n")
}

describe("a result with images, of", () => {
  const table: ReadonlyArray<readonly [string, () => ReadonlyArray<AgentEvent>, string]> = [
    [
      "Claude Code",
      () => {
        const content = [text, ofClaude(png), ofClaude(gif)]
        const message = { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] }
        return runLines(claude, [{ type: "user", message }]).events
      },
      "see\n[image]\n[image]"
    ],
    [
      "a tool of MCP in a run of Codex",
      () => {
        const result = { content: [text, ofMcp(png), embedded(gif)] }
        return [toolResult("t", outcomeOf({ id: "c", type: "mcp_tool_call", result, status: "completed" }))]
      },
      "see\n[image]\n[resource]"
    ],
    [
      "a tool of MCP in a live session of Codex",
      () => {
        const result = { content: [text, ofMcp(png), ofMcp(gif)] }
        const item = { id: "c", type: "mcpToolCall", server: "s", tool: "t", result, status: "completed" }
        return [toolResult("t", (readCall(item) ?? assert.fail()).outcome)]
      },
      "see\n[image]\n[image]"
    ],
    [
      "a function of the host in a live session of Codex",
      () => {
        const image = (data: string) => ({ type: "inputImage", imageUrl: url(data) })
        const contentItems = [{ type: "inputText", text: "see" }, image(png), image(gif)]
        const item = { id: "c", type: "dynamicToolCall", tool: "t", status: "completed", contentItems }
        return [toolResult("t", (readCall(item) ?? assert.fail()).outcome)]
      },
      "see\n[image]\n[image]"
    ],
    [
      "a stored thread of Codex",
      () => {
        const image = (data: string) => ({ type: "input_image", image_url: url(data) })
        const output = [{ type: "input_text", text: "see" }, image(png), image(gif)]
        const payload = { type: "function_call_output", call_id: "c", output }
        const items = reader("s").line({ type: "response_item", payload })
        return items.flatMap((item) => ("event" in item ? [item.event] : []))
      },
      "see"
    ],
    [
      "OpenCode, as recorded but for the bytes, which the recording has cut",
      () => {
        const lines = recorded("02-image").map((line) => JSON.parse(line))
        const file = { type: "file", mime: "image/png" }
        for (const { part } of lines) {
          if (part.state) part.state.attachments = [png, gif].map((data) => ({ ...file, url: url(data) }))
        }
        return runLines(opencode, lines).events
      },
      "Image read successfully"
    ],
    [
      "an agent of the Agent Client Protocol",
      () => {
        const content = [text, ofMcp(png), embedded(gif)].map((block) => ({ type: "content", content: block }))
        return makeToolCalls({ id: "x" }, {}).update({ toolCallId: "t", status: "completed", content }, true)
      },
      "see"
    ]
  ]

  it.each(table)("%s has them as media, and its text as before", (_, events, output) => {
    const reported = events()
    assert.deepStrictEqual(mediaIn(reported), both)
    assert.deepStrictEqual(outputIn(reported), [output])
    for (const event of reported)
      assert.deepStrictEqual(JSON.parse(eventJson(event)), JSON.parse(JSON.stringify(event)))
  })

  it("OpenCode, whose recording has cut its bytes, has none", () => {
    const { events } = runLines(opencode, recorded("02-image"))
    assert.deepStrictEqual(outputIn(events), ["Image read successfully"])
    assert.deepStrictEqual(mediaIn(events), [])
  })
})

describe("an image", () => {
  const kinds: ReadonlyArray<readonly [ToolMedia["mediaType"], Uint8Array]> = [
    ["image/png", files.png()],
    ["image/jpeg", files.jpeg],
    ["image/gif", files.gif],
    ["image/webp", files.webp]
  ]
  it.each(kinds)("is one by its bytes: %s", (mediaType, bytes) => {
    assert.deepStrictEqual(mediaOf([base64(bytes)]).media, [entry(base64(bytes), mediaType)])
  })

  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  it.each([
    ["SVG", base64(new TextEncoder().encode(svg))],
    ["HTML", base64(new TextEncoder().encode("<!doctype html><script>alert(1)</script>"))],
    ["a PDF file", base64(files.pdf)],
    ["a sound", base64(files.wav)],
    ["nothing", ""],
    ["base64 with something else in it", `${png.slice(0, 80)}"${png.slice(80)}`],
    ["base64 that is cut off", png.slice(0, -3)],
    ["base64 in lines", `${png.slice(0, 76)}\n${png.slice(76)}`]
  ])("is not %s", (_, data) => {
    assert.deepStrictEqual(mediaOf([data]), {})
  })

  it.each([
    ["too many pixels", files.png(10_000, 5_001, [0, 0, 0], false)],
    ["a header that is damaged", files.png().slice(0, 20)]
  ])("with %s has a size, and no bytes", (_, bytes) => {
    assert.deepStrictEqual(mediaOf([base64(bytes)]).media, [{ mediaType: "image/png", bytes: bytes.length }])
  })

  it("of up to 2 MiB has its bytes", () => {
    const [most, more] = [pngOf(mediaLimits.bytes), pngOf(mediaLimits.bytes + 1)]
    assert.deepStrictEqual(mediaOf([most]).media, [entry(most, "image/png")])
    assert.deepStrictEqual(mediaOf([more]).media, [{ mediaType: "image/png", bytes: mediaLimits.bytes + 1 }])
  })

  it("has its bytes while those of the result are at most 4 MiB, and a smaller one after a larger", () => {
    const large = pngOf(1_500_000)
    const { media = [] } = mediaOf([large, large, large, png])
    assert.deepStrictEqual(
      media.map(({ bytes, data }) => [bytes, data !== undefined]),
      [
        [1_500_000, true],
        [1_500_000, true],
        [1_500_000, false],
        [files.png().length, true]
      ]
    )
  })

  it("beyond the sixteenth is left out", () => {
    assert.lengthOf(mediaOf(Array.from({ length: 1_000 }, () => gif)).media ?? [], mediaLimits.count)
  })

  it.each([
    ["https://example.com/a.png", []],
    ["file:///etc/passwd", []],
    ["data:image/png,abc", []],
    [undefined, []],
    [url("abc"), ["abc"]],
    ["DATA:image/png;charset=x;base64,abc", ["abc"]]
  ])("behind an address is only what a data: URL has itself: %s", (address, expected) => {
    assert.deepStrictEqual(base64OfUrl(address), expected)
  })

  it.each([
    [{ type: "resource_link", uri: "file:///etc/passwd", mimeType: "image/png" }],
    [{ type: "image", uri: "file:///etc/passwd", mimeType: "image/png" }],
    [{ type: "audio", data: "abc" }],
    ["image"],
    [null]
  ])("is never read from a path: %j", (block) => {
    assert.deepStrictEqual(imagesOfBlock(block), [])
  })
})

const Size = Schema.Int.check(Schema.isBetween({ minimum: files.png().length, maximum: 3_000_000 }))
const Reported = Schema.Union([
  Schema.Struct({ png: Size }),
  Schema.Struct({ data: Schema.Union([Schema.String, Schema.Literals([png, gif])]) }),
  Schema.Struct({ bytes: Schema.Finite })
])
const reported = Arbitrary.schema(Schema.Array(Reported))

const entryOf = (each: typeof Reported.Type): ToolMedia => {
  if ("png" in each) return { mediaType: "image/jpeg", bytes: -1, data: pngOf(each.png) }
  if ("data" in each) return { mediaType: "image/webp", bytes: 1e9, data: each.data }
  return { mediaType: "image/gif", bytes: each.bytes }
}

describe("any images", () => {
  it.prop(
    "stay within the limits, are what they say, and survive printing",
    [reported, Arbitrary.schema(Schema.Literals([1, 3, 30]))],
    ([list, times]) => {
      const once = list.map(entryOf)
      const input = Array.from({ length: times }, () => once).flat()
      const result: AgentEvent = { type: "tool_result", toolId: "t", output: "[image]", isError: false, media: input }
      const bounded = boundedFacts(result, "/w")
      if (bounded.type !== "tool_result") return assert.fail(bounded.type)
      const { media = [] } = bounded
      assert.isAtMost(media.length, mediaLimits.count)
      const whole = media.flatMap(({ data }) => (data === undefined ? [] : [Buffer.from(data, "base64")]))
      assert.isAtMost(Math.max(0, ...whole.map(({ length }) => length)), mediaLimits.bytes)
      assert.isAtMost(
        whole.reduce((sum, { length }) => sum + length, 0),
        mediaLimits.totalBytes
      )
      for (const { mediaType, bytes, data } of media) {
        assert.isTrue(Number.isSafeInteger(bytes) && bytes > 0)
        if (data === undefined) continue
        assert.strictEqual(bytes, Buffer.from(data, "base64").length)
        assert.strictEqual(mediaType, data === gif ? "image/gif" : "image/png")
      }
      assert.deepStrictEqual(boundedMedia(media), media.length === 0 ? {} : { media })
      assert.isBelow(eventJson(bounded).length, 6_000_000)
      assert.deepStrictEqual(Schema.decodeUnknownSync(AnyEvent)(JSON.parse(eventJson(bounded))), bounded)
    },
    runs(50)
  )

  it("are in no event of before, which is still read", () => {
    const before = { type: "tool_result", toolId: "t", output: "[image]", isError: false }
    assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(AnyEvent)(before), before)
  })

  it("of a kind that a page may not show make no event", () => {
    const media = [{ mediaType: "image/svg+xml", bytes: 1, data: "PHN2Zz4=" }]
    const event = { type: "tool_result", toolId: "t", output: "", isError: false, media }
    assert.throws(() => Schema.decodeUnknownSync(AnyEvent)(event))
  })
})
