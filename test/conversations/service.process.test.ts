/** The service as an application has it: what was said in a conversation is kept, read and exported. */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { SessionHistory, Sessions, Store } from "reins"
import { FakeCli, Step } from "reins/testing"
import { InstalledFake } from "reins/testing/effect"

const fake = FakeCli.claude([Step.text("A bracket is missing.")])

it.live("keeps what is said in a conversation, and gives it back", () =>
  Effect.gen(function* () {
    const talk = Effect.gen(function* () {
      const { run, list, events } = yield* Sessions
      const first = yield* run({ conversation: "billing", prompt: "why does it fail?" })
      const second = yield* run({ conversation: "billing", prompt: "and now?" })
      expect(second.sessionId).toBe(first.sessionId)
      const [session] = yield* Stream.runCollect(list())
      expect(session).toMatchObject({
        sessionId: first.sessionId,
        conversation: ["billing"],
        title: "why does it fail?",
        turns: 2
      })
      const prompts = events({ conversation: "billing" }).pipe(
        Stream.filter(({ event }) => event.type === "prompt"),
        Stream.take(2)
      )
      expect((yield* Stream.runCollect(prompts)).map(({ event }) => event)).toEqual([
        { type: "prompt", text: "why does it fail?" },
        { type: "prompt", text: "and now?" }
      ])
    })
    yield* talk.pipe(Effect.provide(Sessions.layer.pipe(Layer.provide(InstalledFake.layer(fake)))))
    const { get, forget, export: write } = yield* SessionHistory
    const text = yield* Stream.mkString(write({ conversation: "billing" }, "markdown"))
    expect(text.match(/^> .*$/gm)).toEqual([
      "> why does it fail?",
      "> A bracket is missing.",
      "> and now?",
      "> A bracket is missing."
    ])
    yield* forget({ conversation: "billing" })
    expect((yield* Effect.flip(get({ conversation: "billing" }))).reason._tag).toBe("UnknownSession")
  }).pipe(Effect.provide(Layer.provideMerge(SessionHistory.layer, Store.layerMemory())), Effect.scoped)
)

it.live("does not forget a session that is used", () =>
  Effect.gen(function* () {
    const talk = Effect.gen(function* () {
      const { execute, forget, get } = yield* Sessions
      const events = execute({ conversation: "billing", prompt: "x" })
      for (const event of yield* Stream.runCollect(
        events.pipe(
          Stream.filter(({ type }) => type === "session"),
          Stream.take(1),
          Stream.mapEffect((event) =>
            Effect.gen(function* () {
              const ref = { cli: "claude", sessionId: event.type === "session" ? event.sessionId : "" }
              expect((yield* get(ref)).holder?.pid).toBe(process.pid)
              expect((yield* Effect.flip(forget(ref))).reason).toMatchObject({ _tag: "SessionBusy", what: "session" })
              return ref
            })
          )
        )
      )) {
        yield* forget(event)
      }
    })
    const hanging = InstalledFake.layer(FakeCli.claude([Step.session(), Step.hang()]))
    yield* talk.pipe(Effect.provide(Sessions.layer.pipe(Layer.provide(hanging))))
  }).pipe(Effect.provide(Store.layerMemory()))
)
