/** Attachments with every CLI: those that it cannot take are refused before anything is started. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { iterable } from "../../src/api/promise/iterable.ts"
import type { Attachment } from "../../src/index.ts"
import { type AgentError, createAcpAgent, createAgent } from "../../src/promise.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import * as files from "../kit/attachments.ts"
import { content, ids, open, script, turnResult, turnsDone, typed } from "../kit/live.ts"

const root = mkdtempSync(join(tmpdir(), "reins-attached-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
writeFileSync(join(root, "-a, b.png"), files.png())

const image: Attachment = { path: "-a, b.png" }
const byKind = {
  image,
  pdf: { data: files.pdf, mediaType: "application/pdf", name: "a.pdf" },
  text: { data: files.text, mediaType: "text/plain", name: "a.txt" },
  audio: { data: files.wav, mediaType: "audio/wav", name: "a.wav" }
} satisfies Record<string, Attachment>
const kinds = ["image", "pdf", "text", "audio"] as const

/** As in the table of the page on attachments. */
const taken = {
  claude: ["image", "pdf", "text"],
  codex: ["image"],
  gemini: ["image", "pdf", "text", "audio"],
  opencode: ["image", "pdf", "text"],
  pi: ["image", "text"]
} as const

const nowhere = "/nowhere/reins-no-such-program"

const reasonOf = async (id: (typeof ids)[number] | "acp", attachments: ReadonlyArray<Attachment>) => {
  await using agent = id === "acp" ? createAcpAgent({ command: nowhere }) : createAgent(id, { command: nowhere })
  return await agent.run({ prompt: "go", workingDirectory: root, attachments }).then(
    () => undefined,
    ({ reason }: AgentError) => reason
  )
}

describe("a run", () => {
  it.each(ids)("%s: a kind that it does not take is refused by name, and nothing is started", async (id) => {
    for (const kind of kinds) {
      const reason = await reasonOf(id, [image, byKind[kind]])
      const isTaken = taken[id].some((each) => each === kind)
      expect(reason?._tag).toBe(isTaken ? "NotInstalled" : "AttachmentRefused")
      if (!isTaken)
        expect(reason?.message).toContain(`"a.${kind === "audio" ? "wav" : kind === "pdf" ? "pdf" : "txt"}"`)
    }
  })

  it.each([...ids, "acp" as const])(
    "%s: an unreadable attachment is refused before anything is started",
    async (id) => {
      const reason = await reasonOf(id, [image, { path: "nope.png" }])
      expect(reason).toMatchObject({
        _tag: "AttachmentRefused",
        code: "attachment_refused",
        category: "invalid_request"
      })
      expect(reason?.message).toBe('The attachment "nope.png" cannot be read: no such file or directory (ENOENT)')
    }
  )

  /** The path of the first copy, as the arguments or stdin of the CLI name it. */
  const copyIn = (words: string) => /\/[^ @=\n]*\/01-a_b\.png/.exec(words)?.[0] ?? ""

  it.each(["codex", "gemini", "opencode", "pi"] as const)(
    "%s: copies in a private folder, gone with the run",
    async (id) => {
      const steps = [Step.session(), Step.text("seen"), Step.hang()]
      await using cli = await FakeCli.install(FakeCli[id](steps))
      await using agent = createAgent(id, { command: cli.command, killGrace: "300 millis" })
      let copy = ""
      for await (const event of agent.execute({ prompt: "go", workingDirectory: root, attachments: [image, image] })) {
        if (event.type !== "text") continue
        const [{ arguments: args = [], stdin = "" } = {}] = cli.calls()
        copy = copyIn(args.join("\n")) || copyIn(stdin)
        expect(readFileSync(copy)).toEqual(Buffer.from(files.png()))
        expect([statSync(copy).mode & 0o777, statSync(dirname(copy)).mode & 0o777]).toEqual([0o600, 0o700])
        // Gemini CLI looks for its context files no further up than there.
        const boundary = id === "gemini" ? [".git"] : []
        expect(readdirSync(dirname(copy))).toEqual([...boundary, "01-a_b.png", "02-a_b.png"])
        break
      }
      expect(copy).not.toBe("")
      expect(existsSync(dirname(dirname(copy)))).toBe(false)
    }
  )

  it("claude: a fake gets the message on stdin, with the prompt in it", async () => {
    await using cli = await FakeCli.install(FakeCli.claude([Step.text("seen")]))
    await using agent = createAgent("claude", { command: cli.command })
    const result = await agent.run({ prompt: "go", workingDirectory: root, attachments: [image] })
    expect(result.text).toBe("seen")
    const { message } = JSON.parse(cli.calls()[0]?.stdin ?? "")
    expect(message.content).toMatchObject([{ type: "image" }, { type: "text", text: "go" }])
  })

  it("a retry for an answer uses the session that has them", async () => {
    await using cli = await FakeCli.install(
      FakeCli.inTurn(FakeCli.codex([Step.text("prose")]), FakeCli.codex([Step.text('{"a":1}')]))
    )
    await using agent = createAgent("codex", { command: cli.command })
    const outputSchema = { type: "object", required: ["a"] }
    const result = await agent.run({ prompt: "go", workingDirectory: root, attachments: [image], outputSchema })
    expect(result.structuredOutput).toEqual({ a: 1 })
    const images = cli
      .calls()
      .map((each) => each.arguments.filter((argument) => argument.startsWith("--image=")).length)
    expect(images).toEqual([1, 0])
  })

  it("neither gates nor observers get the bytes", async () => {
    const starts: Array<unknown> = []
    const gate = { name: "look", admit: (start: object) => void starts.push(start) }
    const observer = { name: "look", begin: (start: object) => void starts.push(start) }
    await using agent = createAgent("claude", { command: nowhere, gates: [gate], observers: [observer] })
    await agent.run({ prompt: "go", workingDirectory: root, attachments: [byKind.text] }).catch(() => undefined)
    expect(starts).toHaveLength(2)
    expect(JSON.stringify(starts)).not.toContain("attachments")
  })
})

describe("a live turn", () => {
  it.live.each(ids)("%s: takes an image, and refuses other kinds without a line to the CLI", (id) =>
    Effect.gen(function* () {
      const { session, turn, log } = yield* open(id, { workingDirectory: root })
      const prompt = script({ say: "seen" })
      const events = yield* Stream.runCollect(session.turn(prompt, { attachments: [image] }))
      assert.deepStrictEqual(content(events), ["seen"])
      for (const input of [
        ...kinds.filter((kind) => !taken[id].some((each) => each === kind)).map((kind) => byKind[kind]),
        { path: "nope" }
      ]) {
        const refused = yield* Stream.runCollect(session.turn(prompt, { attachments: [input] }))
        assert.strictEqual(turnResult(refused).reason, "attachment_refused")
        assert.deepStrictEqual(
          typed(refused, "error").map(({ code }) => code),
          ["attachment_refused"]
        )
        const failed = yield* Effect.flip(session.send(prompt, { attachments: [input] }))
        assert.strictEqual(failed.reason._tag, "AttachmentRefused")
      }
      // Also in the events of the session.
      yield* log.until((events) => typed(events, "error").at(-1)?.message.includes("nope") === true)
      const wrong = yield* Effect.flip(session.send(prompt, JSON.parse('{"attachment":[]}')))
      assert.include(wrong.reason.message, "attachment: is not a known field")
      assert.deepStrictEqual(content(yield* turn({ say: "and on" })), ["and on"])
    })
  )

  it.live.each(ids)("%s: a name that is cut inside of an emoji does not end the session", (id) =>
    Effect.gen(function* () {
      const { session, turn } = yield* open(id, { workingDirectory: root })
      const name = `${"a".repeat(198)}${"😀".repeat(10)}`
      const kind = (["pdf", "text"] as const).find((each) => taken[id].some((other) => other === each))
      const { data, mediaType } = kind === undefined ? { data: files.png(), mediaType: "image/png" } : byKind[kind]
      const attachments = [{ data, mediaType, name }]
      const events = yield* Stream.runCollect(session.turn(script({ say: "seen" }), { attachments }))
      assert.deepStrictEqual(content(events), ["seen"])
      assert.deepStrictEqual(content(yield* turn({ say: "and on" })), ["and on"])
    })
  )

  it.live("invalid options refuse the turn, and leaving while attachments are read frees their place", () =>
    Effect.gen(function* () {
      const { session, turn } = yield* open("claude", { workingDirectory: root })
      for (const input of ["null", '"a.png"', '{"attachments":{}}']) {
        const refused = yield* Stream.runCollect(session.turn(script({ say: "x" }), JSON.parse(input)))
        assert.strictEqual(turnResult(refused).reason, "invalid_params")
      }
      const large = { data: new Uint8Array(9_000_000).fill(65), mediaType: "text/plain" }
      const left = session.turn(script({ say: "left" }), { attachments: [image, large, large, image] })
      yield* Effect.raceFirst(Stream.runDrain(left), Effect.yieldNow)
      assert.deepStrictEqual(content(yield* turn({ say: "and on" })), ["and on"])
    })
  )

  it.live("texts keep their order, however long their attachments are read", () =>
    Effect.gen(function* () {
      const { session, log } = yield* open("opencode", { workingDirectory: root })
      const data = new Uint8Array(5_000_000).fill(65)
      const first = session.send(script({ say: "first" }), { attachments: [{ data, mediaType: "text/plain" }, image] })
      const third = Effect.promise(() => Array.fromAsync(iterable(session.turn(script({ say: "third" })))))
      yield* Effect.all([first, session.send(script({ say: "second" })), third], { concurrency: "unbounded" })
      yield* turnsDone(log, 3)
      assert.deepStrictEqual(content(log.events), ["first", "second", "third"])
    })
  )
})

describe("a run of an agent that has only sessions", () => {
  it("its turn takes the kinds of attachments that the agent supports", async () => {
    await using cli = await FakeCli.install(FakeCli.live("acp", [[{ type: "text", text: "seen" }]]))
    await using agent = createAcpAgent({ command: cli.command })
    const run = (attachments: ReadonlyArray<Attachment>) =>
      agent.run({ prompt: "go", workingDirectory: root, attachments })
    expect(await run([image, byKind.pdf, byKind.text])).toMatchObject({ text: "seen" })
    await expect(run([byKind.audio])).rejects.toMatchObject({
      reason: { _tag: "AttachmentRefused", attachment: "a.wav" }
    })
  })
})
