/** Resume lines: the final progress message has one, and a reply to it, or the line itself, resumes the session. */
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Claude } from "../../src/agents/Agents.ts"
import { bridgeOf } from "./bridgeOf.ts"

const program = fileURLToPath(new URL("../../fixtures/programs/live/claude.mjs", import.meta.url))

/** A program that prints what its prompt says. */
const agent = Claude.layer({ command: process.execPath, baseArgs: [program], killGrace: 200 })

const saying = (text: string) => JSON.stringify([{ say: text }])

const opened = Effect.gen(function* () {
  const { ours, until, say, shown: visible } = yield* (yield* bridgeOf(agent, { progress: "edit" }))()
  const lines = (chat: string) =>
    ours(chat).flatMap(({ messageId, text }) => {
      const id = /^✓.*\n`claude --resume ([\w-]+)`$/.exec(text)?.[1]
      return id === undefined ? [] : [{ messageId, id }]
    })
  let words = 0
  return {
    ...{ say, shown: visible },
    /** Asks; returns the session that answered, and the message that names it. */
    ask: Effect.fnUntraced(function* (from: string, options: Parameters<typeof say>[1] = {}, before = "") {
      const count = lines(from).length
      const word = `word ${++words}`
      yield* say(`${before}${saying(word)}`, { from, ...options })
      yield* until(() => ours(from).find(({ text }) => text.includes(word)))
      return yield* until(() => lines(from)[count])
    })
  }
})

describe("a session with a resume line", () => {
  it.live("is resumed by a reply to its message, or by the line, in the same chat", () =>
    Effect.gen(function* () {
      const { say, shown: visible, ask } = yield* opened
      const first = yield* ask("ann")
      yield* say("/new")
      yield* visible("ann", "A new session begins")
      const second = yield* ask("ann")
      assert.notStrictEqual(second.id, first.id)
      assert.strictEqual((yield* ask("ann", { replyTo: first.messageId })).id, first.id)
      yield* visible("ann", `Resuming the session ${first.id.slice(0, 8)}`)
      yield* say(`\`claude --resume ${second.id}\``)
      yield* visible("ann", `Resuming the session ${second.id.slice(0, 8)}`)
      assert.strictEqual((yield* ask("ann")).id, second.id)
    }).pipe(Effect.scoped)
  )

  it.live("of another chat is resumed only for admins; a session of another agent never", () =>
    Effect.gen(function* () {
      const { shown: visible, ask } = yield* opened
      const { id } = yield* ask("ann")
      const bobs = yield* ask("bob")
      assert.strictEqual((yield* ask("bob", {}, `claude --resume ${id}\n`)).id, bobs.id)
      yield* visible("bob", "No session of this chat begins with")
      assert.strictEqual((yield* ask("ann", {}, "codex resume abc\n")).id, id)
      yield* visible("ann", "That session belongs to codex")
      assert.strictEqual((yield* ask("ann", {}, `claude --resume ${bobs.id}\n`)).id, bobs.id)
    }).pipe(Effect.scoped)
  )
})
