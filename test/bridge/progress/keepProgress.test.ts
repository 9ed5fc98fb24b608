/** The progress message of a run, in virtual time: when it is written, for each answer of the channel. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Latch, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"
import { SendError, type SendReason } from "../../../src/bridge/messages/SendError.ts"
import { keepProgress, type ProgressOptions } from "../../../src/bridge/progress/keepProgress.ts"
import type { ProgressTransport } from "../../../src/bridge/progress/writer.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"

const use = (at: number): AgentEvent => ({
  type: "tool_use",
  toolId: `t${at}`,
  toolName: "Bash",
  kind: "command",
  title: `c${at}`,
  input: {}
})
const done = {
  type: "turn_done",
  result: { outcome: "completed", reason: "completed", text: "", durationMs: 60_000, aborted: false }
} as AgentEvent

/** Calls in the chat, with their time in seconds. */
const makeChat = Effect.gen(function* () {
  const done: Array<string> = []
  const texts: Array<string | undefined> = []
  /** Failures of the next attempts. */
  const failures: Array<SendReason> = []
  /** Delays calls, as the pacer of the chat does. */
  const gate = Latch.makeUnsafe(true)
  const act = (name: string, payload: () => ReplyPayload | undefined = () => ({})) =>
    Effect.gen(function* () {
      yield* gate.await
      const text = payload()
      if (text === undefined) return false
      const reason = failures.shift()
      done.push(`${(yield* Clock.currentTimeMillis) / 1000} ${name}${reason === undefined ? "" : ` ${reason._tag}`}`)
      if (reason !== undefined) return yield* Effect.fail(new SendError({ reason }))
      texts.push(text.text)
      return true
    })
  let visible = 0
  const transport: Required<Omit<ProgressTransport<number>, "draft">> = {
    show: (payload) => Effect.map(act("show", payload), (isSaid) => (isSaid ? ++visible : undefined)),
    edit: (ref, payload) => Effect.asVoid(act(`edit ${ref}`, payload)),
    remove: (ref) => Effect.asVoid(act(`remove ${ref}`))
  }
  const drafting: ProgressTransport<number> = {
    ...transport,
    draft: (payload) => Effect.asVoid(act("draft", payload))
  }
  return { done, texts, failures, transport, drafting, gate }
})

const keep = (transport: ProgressTransport<number>, more: Partial<ProgressOptions<number>> = {}) =>
  keepProgress({ cli: "claude", transport, chat: "direct", mode: "edit", ...more })

const tooFast = (seconds: number): SendReason => ({ _tag: "TooFast", retryAfterMs: seconds * 1000, scope: "chat" })

describe("a progress message", () => {
  it.effect("is sent at once, edited after events, and ends with the result", () =>
    Effect.gen(function* () {
      const { done: acts, texts, transport } = yield* makeChat
      const message = yield* keep(transport)
      yield* TestClock.adjust("500 millis")
      yield* Effect.forEach([1, 2, 3], (at) => message.push(use(at)), { discard: true })
      yield* TestClock.adjust("5 seconds")
      yield* message.push(use(4))
      yield* message.push(done)
      yield* message.finish("claude --resume x")
      yield* TestClock.adjust("1 minute")
      yield* message.finished
      assert.deepStrictEqual(acts, ["0 show", "2 edit 1", "5.5 edit 1"])
      assert.strictEqual(texts.at(-1), "✓ done · claude · 1 m 00 s\n`claude --resume x`")
    })
  )

  it.effect("delayed until after the end of its run is not sent", () =>
    Effect.gen(function* () {
      const { done: acts, transport, gate } = yield* makeChat
      gate.closeUnsafe()
      const message = yield* keep(transport)
      yield* TestClock.adjust("5 seconds")
      yield* message.push(done)
      yield* message.finish()
      gate.openUnsafe()
      yield* TestClock.adjust("1 minute")
      yield* message.finished
      assert.deepStrictEqual(acts, [])
    })
  )

  it.effect("of a recovered run is sent at its first event, and not only for its end", () =>
    Effect.gen(function* () {
      for (const [event, acts] of [
        [done, []],
        [use(1), ["5 show"]]
      ] as const) {
        const chat = yield* makeChat
        const began = yield* Clock.currentTimeMillis
        const message = yield* keep(chat.transport, { isRecovered: true })
        yield* TestClock.adjust("5 seconds")
        yield* message.push(event)
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(
          chat.done,
          acts.map((act) => act.replace(/^5/, String(began / 1000 + 5)))
        )
        yield* message.finish("claude --resume x")
        yield* TestClock.adjust("1 minute")
        yield* message.finished
        assert.strictEqual(chat.texts.length, acts.length * 2)
      }
    })
  )

  it.effect("shows the state when it is sent, not when it began to wait", () =>
    Effect.gen(function* () {
      const { done: acts, texts, transport, gate } = yield* makeChat
      const message = yield* keep(transport)
      yield* TestClock.adjust("2 seconds")
      gate.closeUnsafe()
      yield* message.push(use(1))
      yield* TestClock.adjust("3 seconds")
      yield* message.push(done)
      yield* message.finish()
      gate.openUnsafe()
      yield* TestClock.adjust("1 minute")
      yield* message.finished
      assert.deepStrictEqual([acts, texts.at(-1)], [["0 show", "5 edit 1"], "✓ done · claude · 1 m 00 s"])
    })
  )

  it.effect("of a group is edited at most once in 3.1 s, and every 15 s for the elapsed time", () =>
    Effect.gen(function* () {
      const { done: acts, transport } = yield* makeChat
      const message = yield* keep(transport, { chat: "group" })
      for (let at = 0; at < 8; at++) {
        yield* TestClock.adjust("1 second")
        yield* message.push(use(at))
      }
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(acts, ["0 show", "3.1 edit 1", "6.2 edit 1", "9.3 edit 1", "24.3 edit 1"])
    })
  )

  it.effect("waits as long as the channel demands, and is slower then", () =>
    Effect.gen(function* () {
      const { done: acts, failures, transport } = yield* makeChat
      const message = yield* keep(transport)
      yield* TestClock.adjust("3 seconds")
      failures.push(tooFast(10))
      yield* message.push(use(1))
      yield* TestClock.adjust("10 seconds")
      yield* message.push(use(2))
      yield* TestClock.adjust("1 second")
      yield* message.push(use(3))
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(acts, ["0 show", "3 edit 1 TooFast", "13 edit 1", "16 edit 1"])
    })
  )

  it.effect("that may have arrived is not sent again, nor one that was refused or removed", () =>
    Effect.gen(function* () {
      for (const [reasons, acts] of [
        [[{ _tag: "Unknown" }], ["show Unknown"]],
        [[{ _tag: "Refused", description: "" }], ["show Refused"]],
        [[{ _tag: "Closed" }], ["show Closed"]],
        [
          [undefined, { _tag: "Gone", what: "message" }],
          ["show", "edit 1 Gone"]
        ]
      ] as const) {
        const { done: all, failures, transport } = yield* makeChat
        if (reasons.length === 1) failures.push(...reasons)
        const message = yield* keep(transport)
        yield* TestClock.adjust("3 seconds")
        failures.push(...reasons.slice(1).filter((reason) => reason !== undefined))
        yield* message.push(use(1))
        yield* TestClock.adjust("1 minute")
        yield* message.push(done)
        yield* message.finish()
        yield* message.finished
        assert.deepStrictEqual(
          all.map((one) => one.replace(/^\S+ /, "")),
          [...acts]
        )
      }
    })
  )

  it.effect("is retried if the channel is unreachable, or an edit may have failed", () =>
    Effect.gen(function* () {
      const { done: acts, failures, transport } = yield* makeChat
      failures.push({ _tag: "Unreachable" })
      const message = yield* keep(transport)
      yield* TestClock.adjust("3 seconds")
      failures.push({ _tag: "Unknown" })
      yield* message.push(done)
      yield* message.finish()
      yield* TestClock.adjust("1 minute")
      yield* message.finished
      assert.deepStrictEqual(acts, ["0 show Unreachable", "3 show", "6 edit 1 Unknown", "10.5 edit 1"])
    })
  )

  it.effect("that is older than 55 min is replaced", () =>
    Effect.gen(function* () {
      const { done: acts, transport } = yield* makeChat
      const message = yield* keep(transport, { mode: "brief" })
      yield* TestClock.adjust("56 minutes")
      yield* message.push(done)
      yield* message.finish()
      yield* message.finished
      assert.deepStrictEqual(acts, ["0 show", "3360 show", "3360 remove 1"])
    })
  )

  it.effect("in brief mode, or without edits, has only start and end", () =>
    Effect.gen(function* () {
      for (const [mode, canEdit, last] of [
        ["brief", true, "20 edit 1"],
        ["edit", false, "20 show"]
      ] as const) {
        const scope = yield* Scope.make()
        const { done: acts, transport } = yield* makeChat
        const at = (yield* Clock.currentTimeMillis) / 1000
        const message = yield* keep(canEdit ? transport : { show: transport.show }, { mode }).pipe(Scope.provide(scope))
        yield* message.push(use(1))
        yield* TestClock.adjust("20 seconds")
        yield* message.push(done)
        yield* message.finish()
        yield* message.finished
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(acts, [`${at} show`, `${at + 20} ${last.slice(3)}`])
      }
    })
  )

  it.effect("that is off is never written", () =>
    Effect.gen(function* () {
      const { done: acts, transport } = yield* makeChat
      const message = yield* keep(transport, { mode: "off" })
      yield* message.push(use(1))
      yield* message.finish()
      yield* message.finished
      assert.deepStrictEqual(acts, [])
    })
  )

  it.effect("ends with its scope, also while the channel blocks", () =>
    Effect.gen(function* () {
      const { done: acts, failures, transport } = yield* makeChat
      failures.push(tooFast(3600))
      const scope = yield* Scope.make()
      yield* keep(transport).pipe(Scope.provide(scope))
      yield* TestClock.adjust("1 second")
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(acts, ["0 show TooFast"])
    })
  )

  it.effect("gives up its final edit after a few attempts", () =>
    Effect.gen(function* () {
      const { done: acts, failures, transport } = yield* makeChat
      failures.push(...Array.from({ length: 9 }, (): SendReason => ({ _tag: "Unreachable" })))
      const message = yield* keep(transport)
      yield* message.push(done)
      yield* message.finish()
      yield* TestClock.adjust("1 hour")
      yield* message.finished
      assert.isAtMost(acts.length, 6)
    })
  )
})

describe("progress in drafts", () => {
  it.effect("is sent at once, after events at the pace of edits, and never at the end", () =>
    Effect.gen(function* () {
      const { done: acts, drafting } = yield* makeChat
      const message = yield* keep(drafting)
      yield* TestClock.adjust("500 millis")
      yield* Effect.forEach([1, 2, 3], (at) => message.push(use(at)), { discard: true })
      yield* TestClock.adjust("5 seconds")
      yield* message.push(done)
      assert.isUndefined(yield* message.finish("claude --resume x"))
      yield* TestClock.adjust("1 minute")
      yield* message.finished
      assert.deepStrictEqual(acts, ["0 draft", "2 draft"])
    })
  )

  it.effect("is repeated before it vanishes, also after an event that changes nothing", () =>
    Effect.gen(function* () {
      const { done: acts, drafting } = yield* makeChat
      const message = yield* keep(drafting)
      yield* TestClock.adjust("14 seconds")
      yield* message.refresh
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(acts, ["0 draft"])
      yield* TestClock.adjust("36 seconds")
      assert.deepStrictEqual(acts, ["0 draft", "20 draft", "35 draft", "50 draft"])
    })
  )

  it.effect("that is delayed until after the end, or the stop, is not sent", () =>
    Effect.gen(function* () {
      for (const end of ["finish", "stopping"] as const) {
        const { done: acts, drafting, gate } = yield* makeChat
        gate.closeUnsafe()
        const message = yield* keep(drafting)
        yield* TestClock.adjust("1 second")
        yield* end === "finish" ? message.finish("claude --resume x") : message.stopping
        gate.openUnsafe()
        yield* TestClock.adjust("1 minute")
        yield* message.finish()
        yield* TestClock.adjust("1 minute")
        yield* message.finished
        assert.deepStrictEqual(acts, [])
      }
    })
  )

  it.effect("is a message at once and until its end if a draft is refused", () =>
    Effect.gen(function* () {
      const { done: acts, texts, failures, drafting } = yield* makeChat
      const message = yield* keep(drafting)
      yield* TestClock.adjust("3 seconds")
      failures.push({ _tag: "Refused", description: "" })
      yield* message.push(use(1))
      yield* TestClock.adjust("3 seconds")
      yield* message.push(use(2))
      yield* message.push(done)
      yield* message.finish("claude --resume x")
      yield* TestClock.adjust("1 minute")
      yield* message.finished
      assert.deepStrictEqual(acts, ["0 draft", "3 draft Refused", "3 show", "6 edit 1"])
      assert.strictEqual(texts.at(-1), "✓ done · claude · 1 m 00 s\n`claude --resume x`")
    })
  )

  it.effect("is repeated at a slower pace if a draft may come later", () =>
    Effect.gen(function* () {
      const { done: acts, failures, drafting } = yield* makeChat
      failures.push(tooFast(10), { _tag: "Unreachable" }, { _tag: "Unknown" })
      yield* keep(drafting)
      yield* TestClock.adjust("22 seconds")
      assert.deepStrictEqual(acts, ["0 draft TooFast", "10 draft Unreachable", "14.5 draft Unknown", "21.25 draft"])
    })
  )
})
