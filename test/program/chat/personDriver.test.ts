/** What is typed in a chat → calls of the session; what comes of them → input of the screen. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Option, Stdio, Stream } from "effect"
import { expect, it } from "vitest"
import { AgentRuntime } from "../../../src/AgentRuntime.ts"
import type { ChatInput } from "../../../src/program/chat/draw.ts"
import type { drawChat } from "../../../src/program/chat/drawChat.ts"
import { makePersonDriver } from "../../../src/program/chat/personDriver.ts"
import { TestRuntime } from "../../../src/testingEffect.ts"

const context = {
  agent: "test",
  firstPrompt: Option.some("look at this"),
  planMode: Option.none(),
  isStopping: () => false
}

it("a text that could not be sent is told, and nothing is waited for", () =>
  Effect.gen(function* () {
    const agent = yield* AgentRuntime
    const session = yield* agent.open()
    const seen: Array<ChatInput> = []
    const draw: typeof drawChat = (_events, inputs, { perform }) =>
      Effect.succeed(
        inputs.pipe(
          Stream.tap((input) => {
            seen.push(input)
            return input._tag === "Submit" ? perform({ _tag: "Send", text: " " }) : Effect.void
          }),
          Stream.takeUntil(({ _tag }) => _tag === "Rest"),
          Stream.map(() => "")
        )
      )
    const driver = yield* makePersonDriver({ session, context, typed: Stream.never, draw })
    yield* driver.show(Stream.never)
    expect(seen).toMatchObject([
      { _tag: "Submit", text: "look at this" },
      { _tag: "Message", message: { _tag: "Note", text: "text: is empty" } },
      { _tag: "Delivered", text: " ", delivery: "failed" },
      { _tag: "Rest" }
    ])
  }).pipe(
    Effect.scoped,
    Effect.provide([TestRuntime.layer([]), NodeServices.layer, Stdio.layerTest({})]),
    Effect.runPromise
  ))
