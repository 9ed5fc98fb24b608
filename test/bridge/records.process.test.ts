/** Commands about stored data of a chat: people see only data of that chat. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Claude } from "../../src/agents/Agents.ts"
import { Ledger } from "../../src/money/Ledger.ts"
import { bridgeOf } from "./bridgeOf.ts"

const program = fileURLToPath(new URL("../../fixtures/programs/live/claude.mjs", import.meta.url))

/** A program that prints what its prompt says. */
const agent = Claude.layer({ command: process.execPath, baseArgs: [program], killGrace: 200 }).pipe(
  Layer.provide(Layer.orDie(Ledger.layer()))
)

const opened = Effect.fnUntraced(function* (options: Parameters<typeof bridgeOf>[1] = {}, channel = {}) {
  const bridge = yield* (yield* bridgeOf(agent, options))(channel)
  const { say, shown: visible, until, ours } = bridge
  return {
    ...bridge,
    /** Sends a message; returns the next reply in the chat. */
    reply: Effect.fnUntraced(function* (text: string, from = "ann") {
      const before = ours(from).length
      yield* say(text, { from })
      return yield* until(() => ours(from)[before])
    }),
    tell: Effect.fnUntraced(function* (text: string, from = "ann") {
      yield* say(JSON.stringify([{ say: `heard: ${text}` }]), { from })
      yield* visible(from, `heard: ${text}`)
    })
  }
})

describe("stored data of a chat", () => {
  it.live("/sessions lists its sessions, and /resume resumes only those", () =>
    Effect.gen(function* () {
      const { tell, reply } = yield* opened()
      assert.strictEqual((yield* reply("/sessions")).text, "This chat has no session yet.")
      yield* tell("first [thing](http://x)")
      assert.include((yield* reply("/new")).text, "A new session begins.")
      yield* tell("second thing")
      yield* tell("of bob", "bob")
      const { text } = yield* reply("/sessions")
      const ids = [...text.matchAll(/^- `([^`]+)` claude/gm)].map(([, id]) => id ?? "")
      assert.strictEqual(ids.length, 2)
      assert.match(text, /`[^`]*first [^`]*`/)
      assert.notInclude(text, "bob")
      assert.strictEqual((yield* reply(`/resume ${ids[1]}`)).text, `The next message resumes ${ids[1]}.`)
      yield* tell("third thing")
      const line = (yield* reply("/sessions")).text.split("\n").find((each) => each.includes(ids[1] ?? ""))
      assert.include(line, "2 turns")
      assert.include((yield* reply(`/resume ${ids[1]}`, "bob")).text, "No session of this chat begins with")
      assert.include((yield* reply("/resume zz")).text, "No session of this chat begins with zz")
      assert.include((yield* reply("/resume")).text, "/resume ID")
    }).pipe(Effect.scoped)
  )

  it.live("/export sends the session as a file, or replies that it has none", () =>
    Effect.gen(function* () {
      const { tell, reply } = yield* opened()
      assert.strictEqual((yield* reply("/export")).text, "There is nothing to export.")
      yield* tell("a thing")
      const { file = "" } = yield* reply("/export")
      assert.match(file, /\.md$/)
      assert.include(readFileSync(file, "utf8"), "heard: a thing")
      const json = yield* reply("/export json")
      assert.match(json.file ?? "", /\.json$/)
    }).pipe(Effect.scoped)
  )

  it.live("/export and /files report that files cannot be sent", () =>
    Effect.gen(function* () {
      const { tell, reply } = yield* opened({}, { limits: { uploadBytes: 0 } })
      yield* tell("a thing")
      assert.strictEqual((yield* reply("/export")).text, "Files cannot be sent here.")
      assert.strictEqual((yield* reply("/files a.md")).text, "Files cannot be sent here.")
    }).pipe(Effect.scoped)
  )

  it.live("/files sends a file below the directory to admins, and refuses files that are outside or secret", () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "reins-test-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true })))
      writeFileSync(join(directory, "report.md"), "all is well")
      writeFileSync(join(directory, ".env"), "KEY=1")
      symlinkSync("/etc/hostname", join(directory, "linked.md"))
      const { reply } = yield* opened({ directories: { work: { path: directory } }, directory: "work" })
      const { file = "" } = yield* reply("/files report.md")
      assert.strictEqual(readFileSync(file, "utf8"), "all is well")
      for (const path of ["linked.md", "../x", "/etc/hostname", ".env", ".", "none.md"]) {
        const answer = yield* reply(`/files ${path}`)
        assert.isUndefined(answer.file)
        assert.isNotEmpty(answer.text)
      }
      assert.include((yield* reply("/files report.md", "bob")).text, "only for admins")
    }).pipe(Effect.scoped)
  )

  it.live("/usage reports this session and this chat", () =>
    Effect.gen(function* () {
      const { tell, reply } = yield* opened()
      assert.strictEqual((yield* reply("/usage")).text, "No usage is recorded for this chat.")
      yield* tell("one")
      yield* tell("two", "bob")
      yield* tell("three", "bob")
      assert.match(
        (yield* reply("/usage")).text,
        /This chat today: 1 run, [\d.k]+ tokens, \$0\.0020\.\nThis chat in total: 1 run/
      )
      assert.match((yield* reply("/usage", "bob")).text, /This chat in total: 2 runs, [\d.k]+ tokens, \$0\.0040/)
    }).pipe(Effect.scoped)
  )
})
