/** The effect of a message on the running turn of its conversation, and how it is stored. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { WhileBusy } from "../../src/bridge/BridgeOptions.ts"
import type { GatewayTurn } from "../../src/bridge/gateway/gatewayContext.ts"
import { addedTo } from "../../src/bridge/journal/inbox.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import type { Running } from "../../src/bridge/turn/answering.ts"
import type { LiveSession } from "../../src/bridge/turn/live.ts"
import { steeringOf } from "./steeringOf.ts"

const message: ChannelMessage = {
  ...{ conversation: { channel: "test", accountId: "bot", chatId: "1" }, updateId: "7", chat: "direct", sentAt: 1 },
  ...{ sender: { id: "ann", isBot: false }, text: "and this", attachments: [], addressed: true }
}

const arrivalOf = Effect.fnUntraced(function* (
  whileBusy: WhileBusy,
  live: { readonly steered: boolean } | undefined,
  input = message,
  { turn = "t", isFirst = true }: { readonly turn?: string; readonly isFirst?: boolean } = {}
) {
  const known: Array<string> = []
  const note = (what: string) => Effect.sync(() => void known.push(what))
  const steer: LiveSession["session"]["steer"] = (text) => Effect.as(note(`steer ${text}`), live?.steered === true)
  // Only the member that is used.
  const session = live && ({ session: { steer } } as unknown as LiveSession)
  const inbox = { putBack: (id: string, by: string) => note(`put back ${id} of ${by}`) }
  const running: Running = { interrupt: Effect.as(note("interrupt"), true), live: session }
  const { steering, runningTurns } = yield* steeringOf({ whileBusy, running: turn === "" ? undefined : running, inbox })
  runningTurns.begin(message.conversation, { id: "t", person: "eve", role: "owner" })
  const { takenBy, arrive } = steering(input, { role: "user", isFirst })
  const arrived = yield* arrive
  return { takenBy, arrived, seen: known, role: runningTurns.of(message.conversation)?.role }
})

const file = { ...message, attachments: [{ kind: "document", fileId: "f" }] } as const
const reply: ChannelMessage = { ...message, replyTo: { messageId: "progress of t", text: "at work", ours: true } }
const other = { ...message, text: "/other and this" }
const added = addedTo("t")

describe("a message that comes while the agent works", () => {
  it.effect.each([
    ["steers it", "steer", { steered: true }, message, added, "Steered", ["steer and this"]],
    [
      "waits if the agent does not take it",
      "steer",
      { steered: false },
      message,
      added,
      "Queued",
      ["steer and this", `put back 7 of ${added}`]
    ],
    ["waits behind a run", "steer", undefined, message, undefined, "Queued", []],
    ["waits with its files", "steer", { steered: true }, file, undefined, "Queued", []],
    ["waits behind other waiting messages", "steer", { steered: true }, message, undefined, "Queued", [], false],
    [
      "steers the turn that it replies to",
      "queue",
      { steered: true },
      reply,
      added,
      "Steered",
      ["steer and this"],
      false
    ],
    ["gets a turn of its own if it names its agent", "steer", { steered: true }, other, undefined, "Queued", []],
    ["waits if configured", "queue", { steered: true }, message, undefined, "Queued", []],
    ["ends it", "interrupt", { steered: true }, message, undefined, "Queued", ["interrupt"]]
  ] as const)("%s", ([, whileBusy, live, input, takenBy, arrived, known, isFirst]) =>
    Effect.gen(function* () {
      // A sender whose message the agent has read limits the turn.
      const role: GatewayTurn["role"] = takenBy === undefined ? "owner" : "user"
      const expected = { takenBy, arrived, seen: [...known], role }
      assert.deepStrictEqual(yield* arrivalOf(whileBusy, live, input, { isFirst: isFirst ?? true }), expected)
    })
  )

  it.effect("begins a turn if none is running", () =>
    Effect.gen(function* () {
      const { takenBy, arrived } = yield* arrivalOf("steer", { steered: true }, message, { turn: "" })
      assert.deepStrictEqual([takenBy, arrived], [undefined, "Begins"])
    })
  )
})
