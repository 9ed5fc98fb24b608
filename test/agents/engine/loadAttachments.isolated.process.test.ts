/** Attachments are read once, from regular files that the caller has named, within limits. Real files. */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { loadAttachments } from "../../../src/agents/engine/attachments.ts"
import { checkTurn } from "../../../src/agents/session/checks.ts"
import { type Attachment, attachmentKinds, attachmentLimits } from "../../../src/contract/Attachment.ts"
import * as files from "../../kit/attachments.ts"

const root = mkdtempSync(join(tmpdir(), "reins-attachments-"))
const work = join(root, "work")
mkdirSync(join(work, "folder"), { recursive: true })
afterAll(() => rmSync(root, { recursive: true, force: true }))

const put = (name: string, bytes: Uint8Array) => {
  writeFileSync(join(work, name), bytes)
  return name
}

const taker = { id: "some-cli", attachments: new Set(attachmentKinds) }

const load = (input: ReadonlyArray<Attachment>, cli: Parameters<typeof loadAttachments>[0] = taker) =>
  Effect.result(loadAttachments(cli, input, work))

const problemOf = (input: ReadonlyArray<Attachment>, cli = taker) =>
  Effect.map(load(input, cli), (result) => (Result.isFailure(result) ? result.failure : undefined))

describe("attachments are read", () => {
  it.live("by paths that are relative to the working directory, also out of it, and through links", () =>
    Effect.gen(function* () {
      put("-a, b.png", files.png())
      writeFileSync(join(root, "out side.pdf"), files.pdf)
      symlinkSync(join(root, "out side.pdf"), join(work, "link"))
      const result = yield* load([
        { path: "-a, b.png" },
        { path: "../out side.pdf" },
        { path: "link", name: "named.pdf", mediaType: "application/pdf" },
        { path: join(work, "-a, b.png") }
      ])
      const loaded = Result.getOrThrow(result)
      expect(loaded.map(({ bytes }) => Uint8Array.from(bytes))).toEqual([
        files.png(),
        files.pdf,
        files.pdf,
        files.png()
      ])
      expect(loaded).toMatchObject([
        { path: join(work, "-a, b.png"), name: "-a, b.png", kind: "image" },
        { path: join(root, "out side.pdf"), name: "out side.pdf", kind: "pdf" },
        { path: join(work, "link"), name: "named.pdf", fileName: "03-named.pdf" },
        { fileName: "04-a_b.png" }
      ])
    })
  )

  it.live("as bytes, which their owner may change afterwards", () =>
    Effect.gen(function* () {
      const data = files.png()
      const [loaded] = Result.getOrThrow(yield* load([{ data, mediaType: "image/png" }]))
      data.fill(0)
      expect(loaded?.bytes).toEqual(files.png())
      const [part] = Result.getOrThrow(
        yield* load([{ data: Buffer.concat([Buffer.from("xx"), files.gif]).subarray(2), mediaType: "image/gif" }])
      )
      expect(Buffer.from(part?.bytes ?? []).equals(files.gif)).toBe(true)
    })
  )

  it.live("from a file that says it is empty", () =>
    Effect.gen(function* () {
      expect(Result.getOrThrow(yield* load([{ path: "/proc/self/status" }]))).toMatchObject([{ kind: "text" }])
    })
  )
})

describe("an attachment that cannot be read is refused by name", () => {
  const fifo = join(work, "fifo.png")
  execFileSync("mkfifo", [fifo])

  it.live.each([
    ["nope.png", "cannot be read: no such file or directory (ENOENT)"],
    ["folder", "is a directory"],
    ["fifo.png", "is not a regular file, but a pipe or a device"],
    ["/dev/zero", "is not a regular file, but a pipe or a device"],
    ["a\0b.png", "cannot be read: the path is invalid"],
    [`${"x".repeat(300)}.png`, "cannot be read: the path is too long (ENAMETOOLONG)"]
  ] as const)("%j", ([path, problem]) =>
    Effect.map(problemOf([{ path }]), (refused) =>
      expect(refused).toMatchObject({ _tag: "AttachmentRefused", problem })
    )
  )

  it.live("that may not be read", () =>
    Effect.gen(function* () {
      chmodSync(join(work, put("secret.png", files.png())), 0)
      const isRoot = process.getuid?.() === 0
      const problem = yield* problemOf([{ path: "secret.png" }])
      expect(problem).toEqual(
        isRoot ? undefined : expect.objectContaining({ problem: "cannot be read: permission denied (EACCES)" })
      )
    })
  )

  it.live("that is empty, or too large, of which no more is read", () =>
    Effect.gen(function* () {
      put("empty.png", new Uint8Array())
      put("huge.txt", new Uint8Array())
      truncateSync(join(work, "huge.txt"), 2 ** 40)
      expect(yield* problemOf([{ path: "empty.png" }])).toMatchObject({ attachment: "empty.png", problem: "is empty" })
      const problem = "is larger than 10 MiB, the most for one attachment"
      expect(yield* problemOf([{ path: "huge.txt" }])).toMatchObject({ attachment: "huge.txt", problem })
      const data = new Uint8Array(attachmentLimits.bytes + 1)
      expect(yield* problemOf([{ data, mediaType: "text/plain", name: "x" }])).toMatchObject({
        attachment: "x",
        problem
      })
    })
  )

  it.live("that is too much beside the others", () =>
    Effect.gen(function* () {
      const data = new Uint8Array(attachmentLimits.bytes).fill(65)
      const large: Attachment = { data, mediaType: "text/plain" }
      expect(Result.isSuccess(yield* load([large, large]))).toBe(true)
      const problem = "makes the attachments larger than 20 MiB, the most for all of a prompt"
      expect(
        yield* problemOf([large, large, { data: files.text, mediaType: "text/plain", name: "last" }])
      ).toMatchObject({
        attachment: "last",
        problem
      })
    })
  )

  it.live("of a kind that the CLI does not take, or where it takes none", () =>
    Effect.gen(function* () {
      const images = { id: "some-cli", attachments: new Set(["image"] as const) }
      const input: ReadonlyArray<Attachment> = [{ data: files.pdf, mediaType: "application/pdf", name: "a.pdf" }]
      const problem = yield* problemOf(input, images as typeof taker)
      expect(problem?.message).toContain('The attachment "a.pdf" is of a kind that some-cli does not take')
      const none = yield* load(input, { id: "some-cli" })
      expect(none).toMatchObject({ failure: { _tag: "UnsupportedOption", option: "attachments" } })
      expect(Result.getOrThrow(yield* load([], { id: "some-cli" }))).toEqual([])
    })
  )
})

describe("the form of attachments", () => {
  const form = "Expected an attachment: { path } of a file, or { data, mediaType } with a Uint8Array"

  it.each([
    [{ attachments: Array.from({ length: 21 }, () => ({ path: "a" })) }, "attachments", "20"],
    [{ attachments: [{ path: "" }] }, "attachments.0", form],
    [{ attachments: [{ path: "a", mime: "x" }] }, "attachments.0", form],
    [{ attachments: [{ path: "a", name: "" }] }, "attachments.0", form],
    [{ attachments: [{ data: files.png() }] }, "attachments.0", form],
    [{ attachments: [{ data: "x", mediaType: "image/png" }] }, "attachments.0", form],
    [{ attachments: ["a.png"] }, "attachments.0", form],
    [{ attachments: [{ path: "a", data: files.png(), mediaType: "image/png" }] }, "attachments.0", form],
    [{ attachments: { path: "a" } }, "attachments", "list"],
    [{ attachment: [] }, "attachment", "is not a known field"],
    ["a.png", "options", "object"]
  ])("%#: what is wrong is refused by name", (options, option, problem) => {
    const parsed = checkTurn("prompt", "go", options)
    expect(parsed).toMatchObject({ failure: { option, problem: expect.stringContaining(problem) } })
  })

  it("a Buffer is bytes, and undefined is as good as nothing", () => {
    const input = [
      { data: Buffer.from("a"), mediaType: "text/plain", name: undefined },
      { path: "a", mediaType: undefined }
    ]
    expect(Result.isSuccess(checkTurn("prompt", "go", { attachments: input }))).toBe(true)
    expect(Result.isSuccess(checkTurn("prompt", "go", { attachments: undefined }))).toBe(true)
  })
})
