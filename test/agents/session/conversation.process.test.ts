/** A conversation: whose turn it is, and that its end is the end. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { makeTurn } from "../../../src/agents/session/turn.ts"
import { Aborted } from "../../../src/contract/AgentError.ts"
import { openFilesIn, ownTmpdir } from "../../kit/files.ts"
import { settled } from "../../kit/scripted.ts"
import { hear, makeTalk, over, plan, request, text } from "./talk.ts"

describe("a conversation", () => {
  it.effect("hears nothing behind its end: no event follows `done`, and no function of the host is called", () =>
    Effect.gen(function* () {
      const { conversation, broadcast, called } = yield* makeTalk()
      conversation.turn(makeTurn("1"))
      conversation.conclude({ failure: new Aborted() }, "")
      hear(conversation, [text, request, { _tag: "HookCalled", callId: "1", hook: 0, input: {} }, over])
      broadcast.end()
      const types = (yield* Stream.runCollect(broadcast.events)).map(({ type }) => type)
      assert.deepStrictEqual(types, ["error", "turn_done", "done"])
      assert.deepStrictEqual(called, [])
      assert.strictEqual((yield* Stream.runCollect(broadcast.events))[0]?.type, "done", "for a later listener")
    })
  )

  it.effect("queues a text while the agent is busy with something of its own", () =>
    Effect.gen(function* () {
      const { conversation, prompts, stand } = yield* makeTalk()
      stand("working")
      assert.strictEqual(conversation.send("mine"), "queued")
      assert.deepStrictEqual(prompts, [])
      stand("resting")
      hear(conversation, [])
      assert.deepStrictEqual(prompts, ["mine"])
    })
  )

  it.effect("is idle when no turn goes on, none waits and the agent has nothing of its own to do", () =>
    Effect.gen(function* () {
      const { conversation, stand } = yield* makeTalk()
      const isIdle = Effect.raceFirst(Effect.as(conversation.idle, true), Effect.as(settled, false))
      const states: Array<boolean> = [yield* isIdle]
      conversation.turn(makeTurn("1"))
      conversation.turn(makeTurn("2"))
      states.push(yield* isIdle)
      stand("resting")
      hear(conversation, [over])
      states.push(yield* isIdle)
      stand("background")
      hear(conversation, [over])
      states.push(yield* isIdle)
      stand("resting")
      hear(conversation, [])
      states.push(yield* isIdle)
      conversation.turn(makeTurn("3"))
      conversation.conclude({ failure: new Aborted() }, "")
      states.push(yield* isIdle)
      assert.deepStrictEqual(states, [true, false, false, false, true, true])
    })
  )

  it.effect("keeps nothing for the sender of a text: its events are those of the session", () =>
    Effect.gen(function* () {
      const directory = yield* ownTmpdir
      const { conversation, broadcast } = yield* makeTalk()
      yield* Effect.forkScoped(Stream.runDrain(broadcast.events), { startImmediately: true })
      conversation.send("1")
      for (let round = 0; round < 4; round++) {
        hear(conversation, [text], 9 * 1024 * 1024)
        yield* settled
        yield* Effect.promise(async () => {})
      }
      assert.deepStrictEqual(openFilesIn(directory), [])
    })
  )

  it.effect("starts a turn with a text while nothing happens", () =>
    Effect.gen(function* () {
      const { conversation, prompts } = yield* makeTalk()
      assert.strictEqual(conversation.send("1"), "started")
      assert.strictEqual(conversation.send("2"), "queued")
      assert.deepStrictEqual(prompts, ["1"])
    })
  )

  it.effect("tells the watchdog of a new phase at once, and of lines that change none after them", () =>
    Effect.gen(function* () {
      const { conversation, phases } = yield* makeTalk()
      conversation.turn(makeTurn("1"))
      const before = phases.length
      for (const outputs of [[text], [text], [text]]) hear(conversation, outputs)
      assert.lengthOf(phases, before)
      hear(conversation, [{ type: "tool_use", toolId: "t", toolName: "Bash", kind: "command", title: "x", input: {} }])
      assert.deepStrictEqual(phases.slice(before), ["tool"])
      conversation.onChunk?.()
      assert.deepStrictEqual(phases.slice(before), ["tool", "tool"])
    })
  )

  it.effect("waits for the answer to a change no longer than for any other, and rests again behind it", () =>
    Effect.gen(function* () {
      const { conversation, phases } = yield* makeTalk()
      const changing = yield* Effect.forkChild(conversation.change({ _tag: "Model", model: "m" }), {
        startImmediately: true
      })
      assert.deepStrictEqual(phases, ["idle"])
      hear(conversation, [{ _tag: "Changed", changeId: "change-1" }])
      assert.deepStrictEqual(phases, ["idle", "rest"])
      yield* Fiber.join(changing)
    })
  )

  it.effect(
    "ends where the CLI reports a weaker mode than was requested in its course, and an allowed plan ends plan mode",
    () =>
      Effect.gen(function* () {
        const { conversation, stand } = yield* makeTalk()
        const reports = (permissionMode: string) =>
          conversation
            .stages((wire, step) => step(wire([{ type: "session", sessionId: "s", permissionMode }, text]), undefined))
            .map((output) => ("_tag" in output ? output._tag : output.type))
        const [goes, ends] = [
          ["session", "text"],
          ["session", "Failed"]
        ]
        const turn = (prompt: string) => {
          stand("resting")
          hear(conversation, [over])
          conversation.turn(makeTurn(prompt))
        }
        assert.deepStrictEqual(reports("bypassPermissions"), goes)
        yield* Effect.forkChild(conversation.change({ _tag: "PermissionMode", permissionMode: "default" }), {
          startImmediately: true
        })
        assert.deepStrictEqual(reports("bypassPermissions"), goes)
        hear(conversation, [])
        conversation.stages((wire, step) => step(wire([{ _tag: "Changed", changeId: "change-1" }]), undefined))
        turn("1")
        assert.deepStrictEqual([reports("default"), reports("bypassPermissions")], [goes, ends])
        yield* Effect.forkChild(conversation.change({ _tag: "PermissionMode", permissionMode: "plan" }), {
          startImmediately: true
        })
        conversation.stages((wire, step) => step(wire([{ _tag: "Changed", changeId: "change-2" }]), undefined))
        turn("2")
        assert.deepStrictEqual([reports("plan"), reports("default")], [goes, ends])
        hear(conversation, [plan])
        yield* settled
        assert.deepStrictEqual(reports("bypassPermissions"), goes)
      })
  )
})
