/** Turns of live sessions with an id of the caller's: run once, also with what runs of the same conversation have asked. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule, type Scope, Stream } from "effect"
import type { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { TurnOptions } from "../../../src/contract/AgentOpenParams.ts"
import type { AgentSession } from "../../../src/contract/AgentSession.ts"
import { Sessions } from "../../../src/conversations/Sessions.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { keyText } from "../../../src/conversations/turns/conversationKey.ts"
import { turnDigest } from "../../../src/conversations/turns/turnRequest.ts"
import { claimTurn, enqueueTurn, spawnTurn } from "../../../src/conversations/turns/turnRows.ts"
import { createAgent, openStore } from "../../../src/promise.ts"
import { FakeCli, LiveStep } from "../../../src/testing.ts"
import { InstalledFake } from "../../../src/testingEffect.ts"

const live = FakeCli.live("claude", [[LiveStep.text("one")], [LiveStep.text("two")], [LiveStep.text("three")]])

const layerOf = (fake: FakeCli = live) =>
  Sessions.layer.pipe(Layer.provideMerge(InstalledFake.layer(fake)), Layer.provideMerge(Store.layerMemory()))

const rows = Effect.flatMap(Store, ({ sql, read }) =>
  read(sql<{ turn_id: string; prompt: string; state: string }>`select * from turns order by seq`)
)

const states = Effect.map(rows, (turns) => turns.map(({ prompt, state }) => [prompt, state]))

const request = (session: AgentSession, prompt: string, options?: TurnOptions) =>
  Effect.map(Stream.runCollect(session.turn(prompt, options)), endOf)

/** Its text, or the code of its failure. */
const endOf = (events: ReadonlyArray<AgentEvent>) => {
  const last = events.at(-1)
  assert.strictEqual(last?.type, "turn_done")
  assert.strictEqual(events.filter(({ type }) => type === "turn_done" || type === "done").length, 1)
  const failure = events.find((event) => event.type === "error")
  if (failure?.type === "error") return failure.code
  return last?.type === "turn_done" ? last.result.text : undefined
}

const test = <E>(
  name: string,
  body: Effect.Effect<void, E, Sessions | Store | InstalledFake | AgentRuntime | Scope.Scope>,
  fake = live
) => it.live(name, () => Effect.scoped(Effect.provide(body, layerOf(fake))))

const key = ["a"] as const

describe("a turn of a live session with an id", () => {
  test(
    "is run once, however often it is asked",
    Effect.gen(function* () {
      const { open } = yield* Sessions
      const session = yield* open({ conversation: "a" })
      const turn = { turnId: "t" }
      assert.strictEqual(yield* request(session, "first", turn), "one")
      assert.deepStrictEqual(
        (yield* Stream.runCollect(session.turn("first", turn))).map(({ type }) => type),
        ["session", "text", "turn_done"]
      )
      assert.strictEqual(yield* request(session, "second"), "two")
      assert.deepStrictEqual(yield* states, [
        ["first", "done"],
        ["second", "done"]
      ])
      assert.strictEqual((yield* rows)[0]?.turn_id, "t")
    })
  )

  test(
    "is the same turn for runs of the conversation, and in later sessions",
    Effect.gen(function* () {
      const { open, run } = yield* Sessions
      const session = Effect.flatMap(open({ conversation: "a" }), (each) => request(each, "first", { turnId: "t" }))
      assert.strictEqual(yield* Effect.scoped(session), "one")
      assert.strictEqual((yield* run({ conversation: "a", prompt: "first", turnId: "t" })).text, "one")
      assert.strictEqual(yield* Effect.scoped(session), "one")
      assert.deepStrictEqual(yield* states, [["first", "done"]])
    })
  )

  test(
    "is another turn with another prompt or attachment",
    Effect.gen(function* () {
      const { open } = yield* Sessions
      const session = yield* open({ conversation: "a" })
      yield* request(session, "first", { turnId: "t" })
      const attachments = [{ path: "a.png" }]
      assert.strictEqual(yield* request(session, "other", { turnId: "t" }), "turn_mismatch")
      assert.strictEqual(yield* request(session, "first", { turnId: "t", attachments }), "turn_mismatch")
      assert.deepStrictEqual(yield* states, [["first", "done"]])
    })
  )

  test(
    "asked twice at once is run once, and both get its end",
    Effect.gen(function* () {
      const { open } = yield* Sessions
      const session = yield* open({ conversation: "a" })
      const both = Effect.all(
        [request(session, "first", { turnId: "t" }), request(session, "first", { turnId: "t" })],
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(yield* both, ["one", "one"])
      assert.deepStrictEqual(yield* states, [["first", "done"]])
    })
  )

  test(
    "keeps its place among others",
    Effect.gen(function* () {
      const { open } = yield* Sessions
      const session = yield* open({ conversation: "a" })
      const ends = yield* Effect.all(
        ["1", "2", "3"].map((turnId) => request(session, turnId, { turnId })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(ends, ["one", "two", "three"])
      assert.deepStrictEqual(
        (yield* rows).map(({ turn_id }) => turn_id),
        ["1", "2", "3"]
      )
    })
  )

  test(
    "is free again where it was left before it began, and interrupted by its caller later",
    Effect.gen(function* () {
      const { open } = yield* Sessions
      const session = yield* open({ conversation: "a" })
      const first = yield* Effect.forkChild(request(session, "long", { turnId: "1" }))
      const text = Stream.filter(session.events, ({ type }) => type === "text")
      yield* Stream.runHead(text)
      const second = yield* Effect.forkChild(request(session, "next", { turnId: "2" }), { startImmediately: true })
      yield* Effect.repeat(rows, { until: (all) => all.length === 2, schedule: Schedule.spaced("5 millis") })
      yield* Fiber.interrupt(second)
      yield* session.interrupt
      assert.strictEqual(yield* Fiber.join(first), "aborted")
      assert.deepStrictEqual(yield* states, [["long", "done"]])
      assert.strictEqual(yield* request(session, "next", { turnId: "2" }), "two")
      assert.strictEqual(yield* request(session, "long", { turnId: "1" }), "aborted")
    }),
    FakeCli.live("claude", [[LiveStep.text("one"), LiveStep.hang()], [LiveStep.text("two")]])
  )

  /** A dead host: its row exists, and its lock is free. */
  const dead = (isSpawned: boolean) =>
    Effect.gen(function* () {
      const store = yield* Store
      const digest = turnDigest(key, { prompt: "first" })
      const turn = { turnId: "t", conversation: keyText(key), cli: "claude", prompt: "first", digest }
      yield* enqueueTurn(store, turn, 1)
      yield* claimTurn(store, { turnId: "t", runId: "r", cli: "claude" }, 1)
      if (isSpawned) yield* spawnTurn(store, "r")
    })

  test(
    "is run where its host died before it began",
    Effect.gen(function* () {
      yield* dead(false)
      const { open } = yield* Sessions
      const session = yield* open({ conversation: "a" })
      assert.strictEqual(yield* request(session, "first", { turnId: "t" }), "one")
    })
  )

  for (const onInterrupted of ["continue", "again"] as const) {
    test(
      `is not begun again unasked where its host died later: ${onInterrupted}`,
      Effect.gen(function* () {
        yield* dead(true)
        const { open } = yield* Sessions
        const session = yield* open({ conversation: "a" })
        assert.strictEqual(yield* request(session, "first", { turnId: "t" }), "turn_interrupted")
        assert.strictEqual(yield* request(session, "first", { turnId: "t", onInterrupted }), "one")
        assert.strictEqual(yield* request(session, "first", { turnId: "t" }), "one")
        assert.deepStrictEqual(yield* states, [["first", "done"]])
      })
    )
  }

  const wrong: ReadonlyArray<readonly [string, object, string]> = [
    ["empty", { turnId: "" }, "turnId"],
    ["a number", { turnId: 7 }, "turnId"],
    ["of 129 characters", { turnId: "x".repeat(129) }, "turnId"],
    ["an invalid wish", { turnId: "t", onInterrupted: "maybe" }, "onInterrupted"],
    ["another option", { turnId: "t", colour: "red" }, "colour"]
  ]
  test(
    "is refused with wrong options, and nothing is stored",
    Effect.gen(function* () {
      const { open } = yield* Sessions
      const session = yield* open({ conversation: "a" })
      for (const [, options, option] of wrong) {
        const events = yield* Stream.runCollect(session.turn("first", options))
        const [error] = events
        assert.include(error?.type === "error" ? error.message : "", option)
        assert.strictEqual(endOf(events), "invalid_params")
      }
      assert.strictEqual(yield* request(session, "", { turnId: "t" }), "invalid_params")
      assert.deepStrictEqual(yield* rows, [])
    })
  )

  test(
    "needs a conversation",
    Effect.gen(function* () {
      const { open } = yield* Sessions
      const session = yield* open()
      const [error] = yield* Stream.runCollect(session.turn("first", { turnId: "t" }))
      assert.strictEqual(
        error?.type === "error" ? error.message : "",
        "turnId: is for a live session on a conversation: open it with { conversation }, and with a store"
      )
      const { reason } = yield* Effect.flip(session.send("first", { turnId: "t" }))
      assert.include(reason.message, "turnId: is for turns that are asked by `turn`")
      assert.deepStrictEqual(yield* rows, [])
    })
  )

  it.live("is one in the plain door, too", () =>
    Effect.promise(async () => {
      await using store = await openStore({ memory: true })
      await using cli = await FakeCli.install(live)
      await using agent = createAgent("claude", { command: cli.command, store })
      await using session = await agent.open({ conversation: "a" })
      const texts: Array<string | undefined> = []
      for (const _ of [1, 2]) {
        for await (const event of session.turn("first", { turnId: "t" })) {
          if (event.type === "turn_done") texts.push(event.result.text)
        }
      }
      for await (const event of session.turn("second")) if (event.type === "turn_done") texts.push(event.result.text)
      assert.deepStrictEqual(texts, ["one", "one", "two"])
    })
  )
})
