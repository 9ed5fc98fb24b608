/** Updates of the progress messages of a dead host by the next one; and drafts, which have none of that. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { AccountJournal } from "../../../src/bridge/journal/Journal.ts"
import type { ProgressMode } from "../../../src/bridge/progress/render.ts"
import type { Direct } from "../../../src/bridge/serve/direct.ts"
import type { Turn } from "../../../src/bridge/serve/runningTurns.ts"
import { draftIdOf, makeTurnProgress } from "../../../src/bridge/serve/turnProgress.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"

const conversation = { channel: "telegram", accountId: "1", chatId: "ann" }
const ref = { conversation, messageId: "7" }
const turn = { turnId: "bridge-1", conversation, message: { chat: "direct" } } as unknown as Turn // only what is read

const done = {
  type: "turn_done",
  result: { outcome: "completed", reason: "completed", text: "", durationMs: 60_000, aborted: false }
} as AgentEvent // only what is read

/** The marks outlive a host; messages are sent while the gate is open. */
const makeHosts = () => {
  const stored = new Map<string, string>()
  const content: Array<string | undefined> = []
  const gate = Latch.makeUnsafe(true)
  const say = (text: string | undefined) =>
    Effect.andThen(
      gate.await,
      Effect.sync(() => content.push(text))
    )
  const direct: Direct["Service"] = {
    send: () => Effect.succeed(ref),
    edit: (_kind, _ref, { text }) => Effect.asVoid(say(text)),
    show: (_to, payload, _key, onSent) => Effect.as(Effect.andThen(say(payload()?.text), onSent(ref)), ref),
    update: (_ref, payload) => Effect.asVoid(say(payload()?.text)),
    remove: undefined,
    draft: (_to, draftId, payload) => Effect.asVoid(say(`draft ${draftId} ${payload()?.text}`))
  }
  const marks = {
    get: (name: string) => Effect.succeed(stored.get(name)),
    set: (name: string, value: string | undefined) =>
      Effect.sync(() => void (value === undefined ? stored.delete(name) : stored.set(name, value))),
    all: (prefix: string) =>
      Effect.sync(() => [...stored].flatMap(([name, value]) => (name.startsWith(prefix) ? [{ name, value }] : [])))
  } as unknown as AccountJournal["marks"] // the three used members
  const host = (scope: Scope.Scope, mode: ProgressMode = "edit", more: Partial<Direct["Service"]> = {}) =>
    Scope.provide(
      makeTurnProgress({ ...direct, ...more }, { marks }, () => mode, true),
      scope
    )
  return { kept: stored, said: content, gate, host }
}

describe("a progress message of a dead host", () => {
  const nextHostSays = (
    work: (host: Effect.Success<ReturnType<ReturnType<typeof makeHosts>["host"]>>) => Effect.Effect<void>
  ) =>
    Effect.gen(function* () {
      const { kept: stored, said: content, gate, host } = makeHosts()
      const scope = yield* Scope.make()
      const first = yield* host(scope)
      yield* work(first)
      gate.closeUnsafe()
      yield* Scope.close(scope, Exit.void)
      gate.openUnsafe()
      const { afterRestart } = yield* host(yield* Effect.scope)
      yield* afterRestart
      yield* Effect.yieldNow
      assert.strictEqual(stored.size, 0)
      return content.at(-1)
    })

  it.effect("shows that the turn was interrupted", () =>
    Effect.gen(function* () {
      const content = yield* nextHostSays(({ begin }) => Effect.andThen(begin(turn, "claude"), Effect.yieldNow))
      assert.strictEqual(content, "■ interrupted: the host was restarted · `claude`")
    })
  )

  it.effect("shows how its turn ended, if it had ended", () =>
    Effect.gen(function* () {
      const content = yield* nextHostSays(
        Effect.fnUntraced(function* ({ begin }) {
          const progress = yield* begin(turn, "claude")
          yield* Effect.yieldNow
          yield* progress.push(done)
          yield* progress.end("claude --resume 8b2d")
        })
      )
      assert.strictEqual(content, "✓ done · claude · 1 m 00 s\n`claude --resume 8b2d`")
    })
  )
})

describe("a turn in drafts", () => {
  it.effect("has drafts of one id, and leaves no message and no mark", () =>
    Effect.gen(function* () {
      const { kept: stored, said: content, host } = makeHosts()
      const { begin } = yield* host(yield* Effect.scope, "draft")
      const progress = yield* begin(turn, "claude")
      yield* TestClock.adjust("16 seconds")
      assert.strictEqual(stored.size, 0)
      yield* progress.push(done)
      yield* progress.end("claude --resume 8b2d")
      yield* TestClock.adjust("1 minute")
      const id = draftIdOf(turn.turnId)
      assert.deepStrictEqual(content, [`draft ${id} ⏳ claude · 0 s`, `draft ${id} ⏳ claude · 15 s`])
      assert.strictEqual(stored.size, 0)
    })
  )

  it.effect.each([
    ["in a group", { chat: "group" }, {}, ["⏳ claude · 0 s"]],
    ["of a channel without drafts", { chat: "direct" }, { draft: undefined }, ["⏳ claude · 0 s"]],
    ["of a channel without drafts and edits", { chat: "direct" }, { draft: undefined, edit: undefined }, []]
  ] as const)("%s is shown as by default", ([, message, lacks, expected]) =>
    Effect.gen(function* () {
      const { said: content, host } = makeHosts()
      const { begin } = yield* host(yield* Effect.scope, "draft", lacks)
      yield* begin({ ...turn, message: { ...turn.message, ...message } }, "claude")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual<unknown>(content, expected)
    })
  )

  it.effect("ends when its last draft has arrived, or is 2 s late", () =>
    Effect.gen(function* () {
      const { host } = makeHosts()
      for (const isLate of [false, true]) {
        const [left, arrived] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const { begin } = yield* host(yield* Effect.scope, "draft", {
          draft: (_to, _id, payload) => {
            payload()
            return Effect.andThen(Deferred.succeed(left, undefined), Deferred.await(arrived))
          }
        })
        const progress = yield* begin(turn, "claude")
        yield* Deferred.await(left)
        const ending = yield* Effect.forkChild(progress.end(undefined), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        assert.isUndefined(ending.pollUnsafe())
        if (isLate) yield* TestClock.adjust("1 second")
        else yield* Deferred.succeed(arrived, undefined)
        yield* Fiber.join(ending)
      }
    })
  )

  it("has an id that Telegram takes, the same in each host", () => {
    const ids = Array.from({ length: 1_000 }, (_, at) => draftIdOf(`bridge-${at}`))
    assert.isTrue(ids.every((id) => Number.isInteger(id) && id > 0 && id < 2 ** 31))
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.strictEqual(draftIdOf("bridge-1"), ids[1])
  })
})
