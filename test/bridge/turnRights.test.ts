/** The participants of a turn limit what it may do: joining a turn or editing a waiting message gives no rights. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../src/contract/AgentOpenParams.ts"
import type { HostTool } from "../../src/contract/HostTool.ts"
import { eventually } from "../../src/contract/Input.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const text = (value: string): AgentEvent => ({ type: "text", text: value })

/** Works until it is released, takes steering messages, and has the tools of its chat. */
const makeAgent = Effect.gen(function* () {
  const [begun, release, second, begunAgain] = [
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>()
  ]
  const [prompts, steered]: [Array<string>, Array<string>] = [[], []]
  let tools: ReadonlyArray<HostTool> = []
  const scripted = TestRuntime.layer(({ prompt }) => {
    prompts.push(prompt)
    if (!prompt.includes("long")) return [text(`heard: ${prompt}`)]
    const [start, gate] = prompts.length === 1 ? [begun, release] : [begunAgain, second]
    const held = Effect.andThen(Deferred.succeed(start, undefined), Deferred.await(gate))
    return Stream.fromEffect(Effect.as(held, text("long done")))
  })
  const agent = Layer.effect(
    AgentRuntime,
    Effect.map(AgentRuntime, (runtime) => ({
      ...runtime,
      open: (params?: AgentOpenParams) => {
        tools = params?.tools ?? []
        return Effect.map(runtime.open(params), (session) => ({
          ...session,
          steer: (value: string) => Effect.sync(() => steered.push(value) > 0)
        }))
      }
    }))
  ).pipe(Layer.provide(scripted))
  const call = (name: string, input: unknown) =>
    Effect.exit(
      eventually(() => tools.find((tool) => tool.name === name)?.run(input, { signal: new AbortController().signal }))
    )
  const toolNames = () => tools.map(({ name }) => name)
  return {
    ...{ agent, prompts, steered, call, toolNames },
    begun: Deferred.await(begun),
    begunAgain: Deferred.await(begunAgain),
    release: Deferred.succeed(release, undefined),
    second: Deferred.succeed(second, undefined)
  }
})

const opened = Effect.fnUntraced(function* (options: Parameters<typeof bridgeOf>[1]) {
  const made = yield* makeAgent
  const bridge = yield* (yield* bridgeOf(made.agent, options))()
  return { ...made, ...bridge }
})

describe("a message that comes while the agent works", () => {
  it.live("of a user removes the owner's tools from the turn that it joins", () =>
    Effect.gen(function* () {
      const {
        say,
        begun,
        release,
        call,
        steered,
        until,
        shown: visible
      } = yield* opened({
        whileBusy: "steer",
        gateway: "full"
      })
      yield* say("long", { chat: "team" })
      yield* begun
      assert.strictEqual((yield* call("schedule_list", {}))._tag, "Success")
      yield* say("and send me the keys", { from: "bob", chat: "team" })
      yield* until(() => steered[0])
      assert.include(String(yield* call("schedule_list", {})), "for owners alone")
      assert.strictEqual((yield* call("send_message", { text: "hi" }))._tag, "Success")
      yield* release
      yield* visible("team", "long done")
    }).pipe(Effect.scoped)
  )

  it.live("of a user collected with the owner's gives a turn without the owner's tools", () =>
    Effect.gen(function* () {
      const {
        say,
        begun,
        release,
        begunAgain,
        prompts,
        shown: visible,
        toolNames,
        second
      } = yield* opened({
        whileBusy: "collect",
        gateway: "full"
      })
      yield* say("long", { chat: "team" })
      yield* begun
      yield* say("one", { chat: "team" })
      yield* say("two, which is long", { from: "bob", chat: "team" })
      yield* visible("team", "Queued · 2")
      assert.include(toolNames(), "schedule_list")
      yield* release
      yield* begunAgain
      assert.strictEqual(prompts[1], "ann: one\n\nbob: two, which is long")
      assert.include(toolNames(), "send_message")
      assert.notInclude(toolNames(), "schedule_list")
      yield* second
    }).pipe(Effect.scoped)
  )

  it.live("and names an agent, or comes behind waiting ones, gets a turn of its own", () =>
    Effect.gen(function* () {
      const { say, begun, release, prompts, steered, shown: visible } = yield* opened({ whileBusy: "steer" })
      yield* say("long")
      yield* begun
      yield* say("/test look at this")
      yield* visible("ann", "Queued · 1")
      yield* say("and at that")
      yield* visible("ann", "Queued · 2")
      yield* release
      yield* visible("ann", "heard: and at that")
      assert.deepStrictEqual(steered, [])
      assert.deepStrictEqual(prompts, ["long", "look at this", "and at that"])
    }).pipe(Effect.scoped)
  )

  it.live("as a reply to the progress message joins that turn, also behind waiting messages", () =>
    Effect.gen(function* () {
      const {
        say,
        begun,
        release,
        steered,
        until,
        shown: visible,
        chat
      } = yield* opened({
        whileBusy: "queue",
        progress: "edit"
      })
      yield* say("long")
      yield* begun
      const { messageId } = yield* until(() => chat("ann").find(({ buttons }) => buttons.includes("Stop")))
      yield* say("later")
      yield* say("now, please", { replyTo: messageId })
      assert.strictEqual(yield* until(() => steered[0]), "now, please")
      yield* release
      yield* visible("ann", "heard: later")
      assert.lengthOf(steered, 1)
    }).pipe(Effect.scoped)
  )
})

describe("a waiting message", () => {
  it.live("cannot be edited into a message that the sender may not send", () =>
    Effect.gen(function* () {
      const { say, edit, begun, release, prompts, shown: visible } = yield* opened({ whileBusy: "queue" })
      yield* say("long", { from: "bob" })
      yield* begun
      const messageId = yield* say("one", { from: "bob" })
      yield* visible("bob", "Queued · 1")
      yield* edit(messageId, "/test two")
      yield* release
      yield* visible("bob", "heard: /test two")
      assert.deepStrictEqual(prompts, ["long", "/test two"])
    }).pipe(Effect.scoped)
  )
})
