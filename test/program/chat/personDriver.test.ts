/** Typed text of a chat → calls of the session; their results → input of the screen. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, it } from "@effect/vitest"
import { Effect, Option, Stdio, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { ChatInput } from "../../../src/program/chat/draw.ts"
import type { drawChat } from "../../../src/program/chat/drawChat.ts"
import { makePersonDriver } from "../../../src/program/chat/personDriver.ts"
import { TestRuntime } from "../../../src/testingEffect.ts"
import { done } from "../transcriptEvents.ts"

const resultOf = (event: AgentEvent) => {
  if (event.type !== "done") throw new Error("it has a result")
  return event.result
}

const context = {
  agent: "test",
  firstPrompt: Option.some("look at this"),
  planMode: Option.none(),
  isStopping: () => false
}

it.effect("a text that could not be sent is told, and nothing is waited for", () =>
  Effect.gen(function* () {
    const agent = yield* AgentRuntime
    const session = yield* agent.open()
    const known: Array<ChatInput> = []
    const draw: typeof drawChat = (_events, inputs, { perform }) =>
      Effect.succeed(
        inputs.pipe(
          Stream.tap((input) => {
            known.push(input)
            return input._tag === "Submit" ? perform({ _tag: "Send", text: " " }) : Effect.void
          }),
          Stream.takeUntil(({ _tag }) => _tag === "Rest"),
          Stream.map(() => "")
        )
      )
    const driver = yield* makePersonDriver({ session, context, typed: Stream.never, draw })
    yield* driver.show(Stream.never)
    expect(known).toMatchObject([
      { _tag: "Submit", text: "look at this" },
      { _tag: "Message", message: { _tag: "Note", text: "text: is empty" } },
      { _tag: "Delivered", text: " ", delivery: "failed" },
      { _tag: "Rest" }
    ])
  }).pipe(Effect.scoped, Effect.provide([TestRuntime.layer([]), NodeServices.layer, Stdio.layerTest({})]))
)

it.effect("what is known of the session is told: its mode at first, its budget again after each turn", () =>
  Effect.gen(function* () {
    const agent = yield* AgentRuntime
    const session = yield* agent.open()
    const facts: Array<unknown> = []
    let spent = 0
    const budgets = Effect.sync(() => {
      spent += 1
      const state = { per: "all", window: "day", unit: "usd", limit: 10, reserved: 0 } as const
      return [
        { ...state, budget: "week", spent: 0 },
        { ...state, budget: "day", spent }
      ]
    })
    const end: AgentEvent = { type: "turn_done", result: resultOf(done()) }
    const draw: typeof drawChat = (events, inputs) =>
      Effect.succeed(
        Stream.merge(events, inputs).pipe(
          Stream.tap((input) => Effect.sync(() => input._tag === "Facts" && facts.push(input.facts))),
          Stream.takeUntil(() => facts.length === 3),
          Stream.map(() => "")
        )
      )
    const person = { ...context, firstPrompt: Option.none(), permissionMode: "plan", budgets }
    const driver = yield* makePersonDriver({ session, context: person, typed: Stream.never, draw })
    yield* driver.show(Stream.concat(Stream.make<[AgentEvent]>(end), Stream.never))
    expect(facts).toMatchObject([
      { mode: "plan" },
      { budget: { budget: "day", spent: 1 } },
      { budget: { budget: "day", spent: 2 } }
    ])
  }).pipe(Effect.scoped, Effect.provide([TestRuntime.layer([]), NodeServices.layer, Stdio.layerTest({})]))
)
