/** Updates for a channel that draws turns itself: waiting messages, and the beginning of a turn. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { checkBridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import type { InboxRow } from "../../src/bridge/journal/inbox.ts"
import type { AccountJournal } from "../../src/bridge/journal/Journal.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import { conversationText } from "../../src/bridge/messages/Conversation.ts"
import type { Pressed } from "../../src/bridge/messages/Incoming.ts"
import type { Sight } from "../../src/bridge/messages/Sight.ts"
import { beginTurnUpdates } from "../../src/bridge/serve/channelUpdates.ts"
import { makeQueueUpdates } from "../../src/bridge/serve/queuedNotices.ts"
import type { Running } from "../../src/bridge/turn/answering.ts"
import { broken } from "../../src/bridge/turn/outcome.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { steeringOf } from "./steeringOf.ts"

const conversation = { channel: "web", accountId: "web", chatId: "ann/1" }
const place = conversationText(conversation)

const message = (updateId: string, more: Partial<ChannelMessage> = {}): ChannelMessage => ({
  ...{ conversation, updateId, chat: "direct", sentAt: 0, sender: { id: "ann", isBot: false } },
  ...{ text: updateId, attachments: [], addressed: true, ...more }
})

const reported = () => {
  const updates: Array<Sight> = []
  return { updates, watch: (update: Sight) => Effect.sync(() => void updates.push(update)) }
}

/** An inbox in memory. */
const makeInbox = (waiting: ReadonlyArray<string>) => {
  let rows = waiting.map(
    (updateId, seq): InboxRow => ({
      ...{ updateId, conversation: place, seq, message: message(updateId), state: "waiting", at: 0 }
    })
  )
  const leave = (updateIds: ReadonlyArray<string>) => {
    const left = rows.filter(({ updateId }) => updateIds.includes(updateId))
    rows = rows.filter((row) => !left.includes(row))
    return left.map(({ updateId }) => updateId)
  }
  return {
    leave,
    // Only the members that are used here.
    inbox: {
      waiting: () => Effect.sync(() => rows),
      drop: (updateIds: ReadonlyArray<string>) => Effect.sync(() => leave(updateIds)),
      take: (updateIds: ReadonlyArray<string>) => Effect.sync(() => leave(updateIds).length === updateIds.length),
      putBack: () => Effect.void
    } as unknown as AccountJournal["inbox"]
  }
}

const messagesOf = (updates: ReadonlyArray<Sight>) =>
  updates.flatMap((update) =>
    update._tag === "Message" ? [[update.updateId, update.state, update.place ?? ""].join(" ").trim()] : []
  )

describe("waiting messages", () => {
  it.effect("have places, and move up when an earlier one is taken or dropped", () =>
    Effect.gen(function* () {
      const { updates, watch } = reported()
      const { inbox, leave } = makeInbox(["a", "b", "c"])
      const { add, end, press } = makeQueueUpdates(watch, { inbox }, () => Effect.succeed(Effect.void))
      for (const updateId of ["a", "b", "c"]) yield* add(message(updateId))
      leave(["a"])
      yield* end(place, ["a"], "taken")
      const pressed: Pressed = {
        _tag: "Pressed",
        ...{ conversation, updateId: "p", chat: "direct", sender: { id: "ann", isBot: false }, press: {} },
        data: "q:d:3e23e8160039594a" // of "b"
      }
      assert.strictEqual(yield* press(pressed, "owner") ?? Effect.succeed(""), "Dropped before it started.")
      assert.deepStrictEqual(messagesOf(updates), [
        "a queued 1",
        "b queued 2",
        "c queued 3",
        "a taken",
        "b queued 1",
        "c queued 2",
        "b dropped",
        "c queued 1"
      ])
    })
  )

  it.effect(
    "are reported as steering before the agent gets them, and wait if it refuses them or the person wants it",
    () =>
      Effect.gen(function* () {
        const order: Array<string> = []
        let takes = true
        const steer = () => {
          order.push("steered")
          return Effect.succeed(takes)
        }
        // Only what is used here.
        const running = { interrupt: Effect.succeed(true), live: { session: { steer } } } as unknown as Running
        const { inbox } = makeInbox([])
        const watch = (update: Sight) => Effect.sync(() => void (update._tag === "Message" && order.push(update.state)))
        const { steering, runningTurns } = yield* steeringOf({ whileBusy: "steer", running, inbox, watch })
        runningTurns.begin(conversation, { id: "turn", person: "ann", role: "owner" })
        const arrive = (id: string, more: Partial<ChannelMessage> = {}) =>
          steering(message(id, more), { role: "owner", isFirst: true }).arrive
        assert.strictEqual(yield* arrive("a"), "Steered")
        takes = false
        assert.strictEqual(yield* arrive("b"), "Queued")
        assert.strictEqual(yield* arrive("c", { whileBusy: "queue" }), "Queued")
        assert.deepStrictEqual(order, ["steering", "steered", "steering", "steered"])
      })
  )
})

describe("a turn", () => {
  const turn = { conversation, turnId: "bridge-1", updateIds: ["a"], message: message("a"), roles: [], once: undefined }
  const options = Result.getOrThrow(checkBridgeOptions({ agents: { test: TestRuntime.layer([]) } }))
  const text: AgentEvent = { type: "text", text: "hello" }
  const lost: AgentEvent = {
    ...{ type: "error", message: "", code: "turn_interrupted", category: "other", retryable: false }
  }
  const run = (isRecovered: boolean, events: ReadonlyArray<AgentEvent>) =>
    Effect.gen(function* () {
      const { updates, watch } = reported()
      const { event, end } = yield* beginTurnUpdates(watch, { ...turn, isRecovered }, options, {})
      for (const each of events) yield* event(each)
      yield* end(broken)
      return updates.map(({ _tag }) => _tag)
    })

  it.effect("begins at once, and a recovered one with its first event", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(false, []), ["Begun", "Ended"])
      assert.deepStrictEqual(yield* run(false, [text]), ["Begun", "Event", "Ended"])
      assert.deepStrictEqual(yield* run(true, [text]), ["Begun", "Event", "Ended"])
      assert.deepStrictEqual(yield* run(true, [lost]), ["Ended"])
    })
  )
})
