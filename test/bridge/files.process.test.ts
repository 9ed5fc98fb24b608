/** Files of people reach the agent, images as images; failed downloads are reported; long answers come as a file. */
import { lstatSync, readFileSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import type { AgentOpenParams } from "../../src/contract/AgentOpenParams.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

/** Answers with its prompt, the paths of its images, and the directories that it may read. */
const tells = () => {
  const opened: Array<AgentOpenParams> = []
  const agent = Layer.effect(
    AgentRuntime,
    Effect.map(AgentRuntime, (own) => ({
      ...own,
      open: (params: AgentOpenParams = {}) => {
        opened.push(params)
        return own.open(params)
      }
    }))
  ).pipe(
    Layer.provide(
      TestRuntime.layer(({ prompt, attachments = [] }) => [
        {
          type: "text",
          text: JSON.stringify({ prompt, images: attachments.map((file) => "path" in file && file.path) })
        }
      ])
    )
  )
  return { agent, opened }
}

interface Told {
  readonly prompt: string
  readonly images: ReadonlyArray<string>
}
const reported = (text: string): Told => JSON.parse(text)
const pathIn = (prompt: string) => /\[file: (.+)\]/.exec(prompt)?.[1] ?? ""

describe("files that people send", () => {
  it.live("reach the agent as readable paths, and images as images", () =>
    Effect.gen(function* () {
      const { agent, opened } = tells()
      const { say, shown: visible } = yield* (yield* bridgeOf(agent))()
      yield* say("look", {
        attachments: [
          { name: "../../.evil report.pdf", content: "%PDF-1.4" },
          { name: "photo.png", content: png, kind: "image" },
          { name: "drawing.svg", content: "<svg/>", kind: "image" }
        ]
      })
      const { prompt, images } = reported((yield* visible("ann", '{"prompt"')).text)
      const path = pathIn(prompt)
      assert.strictEqual(readFileSync(path, "utf8"), "%PDF-1.4")
      assert.match(basename(path), /^[0-9a-f]{16}-0-evil_report\.pdf$/)
      assert.include(prompt, "drawing.svg")
      assert.deepStrictEqual(
        images.map((image) => readFileSync(image)),
        [png]
      )
      assert.deepStrictEqual(opened[0]?.additionalDirectories, [dirname(path)])
      assert.strictEqual(statSync(dirname(path)).mode & 0o077, 0)
      assert.isFalse(lstatSync(path).isSymbolicLink())
    }).pipe(Effect.scoped)
  )

  it.live("are reported if files are not supported, and the text is answered", () =>
    Effect.gen(function* () {
      const { agent } = tells()
      const { say, shown: visible, fail } = yield* (yield* bridgeOf(agent))()
      fail("download", { _tag: "Refused", description: "too old" })
      yield* say("look", { attachments: [{ name: "a\u202e.pdf", content: "x" }] })
      assert.match((yield* visible("ann", "could not be downloaded")).text, /^a\S*\.pdf could not be downloaded/)
      assert.deepStrictEqual(reported((yield* visible("ann", '{"prompt"')).text), { prompt: "look", images: [] })
    }).pipe(Effect.scoped)
  )

  it.live("of one chat are not visible to another", () =>
    Effect.gen(function* () {
      const { agent, opened } = tells()
      const { say, shown: visible } = yield* (yield* bridgeOf(agent))()
      yield* say("one", { attachments: [{ name: "a.txt", content: "of ann" }] })
      yield* say("two", { from: "bob", attachments: [{ name: "a.txt", content: "of bob" }] })
      const paths = [(yield* visible("ann", "one")).text, (yield* visible("bob", "two")).text].map((text) =>
        pathIn(reported(text).prompt)
      )
      assert.deepStrictEqual(
        paths.map((path) => readFileSync(path, "utf8")),
        ["of ann", "of bob"]
      )
      assert.notStrictEqual(opened[0]?.additionalDirectories?.[0], opened[1]?.additionalDirectories?.[0])
    }).pipe(Effect.scoped)
  )
})

describe("a long answer", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at} ${"x".repeat(90)}`).join("\n\n")
  const answers = (text: string) => TestRuntime.layer([{ type: "text", text }])

  it.live("comes as its beginning, and a file with all of it", () =>
    Effect.gen(function* () {
      const text = lines(420)
      const { say, ours, until } = yield* (yield* bridgeOf(answers(text)))()
      yield* say("go")
      const { file = "" } = yield* until(() => ours("ann").find((message) => message.file !== undefined))
      assert.strictEqual(ours("ann").filter((message) => message.file === undefined).length, 8)
      assert.strictEqual(readFileSync(file, "utf8"), text)
    }).pipe(Effect.scoped)
  )

  it.live("comes complete as messages if no files can be sent", () =>
    Effect.gen(function* () {
      const { say, ours, until } = yield* (yield* bridgeOf(answers(lines(420))))({ limits: { uploadBytes: 0 } })
      yield* say("go")
      yield* until(() => ours("ann").find((message) => message.text.includes("line 419 ")))
      for (let at = 0; at < 420; at++) assert.isTrue(ours("ann").some(({ text }) => text.includes(`line ${at} `)))
    }).pipe(Effect.scoped)
  )
})
