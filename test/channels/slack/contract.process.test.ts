/** Slack passes the suite of all channels. No chat of it waits for its person to write first: the stage plays that. */
import { Effect, type Scope, Stream } from "effect"
import type { Channel } from "../../../src/bridge/messages/Channel.ts"
import type { Piece } from "../../../src/bridge/messages/ReplyPayload.ts"
import { SendError } from "../../../src/bridge/messages/SendError.ts"
import { isBody } from "../../../src/channels/slack/outgoing/render.ts"
import type { ScriptedFault, ScriptedMethod } from "../../../src/testing/channels/rules.ts"
import { notifiedBy, notifiedByBlocks } from "../../../src/testing/slack/blocks.ts"
import { isRecord } from "../../../src/testing/slack/params.ts"
import type { SlackFault } from "../../../src/testing.ts"
import { channelContract, type Stage } from "../contract.ts"
import { ann, direct, place, start } from "./kit.ts"

const methods: Partial<Record<ScriptedMethod, string>> = {
  send: "chat.postMessage",
  edit: "chat.update",
  remove: "chat.delete"
}

/** `Unreachable`: the address refuses one call. */
const faultOf = (fault: ScriptedFault): SlackFault | "Unreachable" | "Closed" => {
  if (typeof fault === "string") return fault
  switch (fault._tag) {
    case "TooFast":
      return { retryAfter: fault.retryAfterMs / 1_000 }
    case "Unreachable":
      return "Unreachable"
    case "Unknown":
      return "badGateway"
    case "Closed":
      return "Closed"
    case "Refused":
      return { error: "msg_too_long" }
    case "Gone":
      return { error: `${fault.what === "chat" ? "channel" : fault.what}_not_found` }
  }
}

const open: Effect.Effect<Stage, never, Scope.Scope> = Effect.gen(function* () {
  const { slack, channel } = yield* start()
  let isDown: ScriptedMethod | undefined
  let isClosed = false
  const waiting: Array<() => void> = []

  /** Slack has no one to give a press to while no socket is open, and gives events again after a minute. */
  const onceListening = (mark: string | undefined) =>
    Effect.promise(async () => {
      await slack.until(() => slack.listeners() > 0 || undefined)
      if (mark === undefined) slack.advance(60_000)
      for (const press of waiting.splice(0)) press()
    })

  const { find = () => Effect.undefined } = channel

  /** A connection that was left open takes the call before. */
  const whileDown = <A, E>(method: ScriptedMethod, work: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      if (isDown !== method) return yield* work
      isDown = undefined
      yield* Effect.promise(slack.down)
      yield* Effect.exit(channel.remove?.({ conversation: place, messageId: "1.000001" }) ?? Effect.void)
      return yield* Effect.ensuring(work, Effect.promise(slack.up))
    })

  const watched: Channel = {
    ...channel,
    incoming: (mark) => Stream.unwrap(Effect.as(Effect.forkScoped(onceListening(mark)), channel.incoming(mark))),
    send: (to, piece, key) =>
      Effect.suspend(() => {
        if (!isClosed) return whileDown("send", channel.send(to, piece, key))
        isClosed = false
        return Effect.fail(new SendError({ reason: { _tag: "Closed" } }))
      }),
    find: (to, piece, key, after) => whileDown("find", find(to, piece, key, after))
  }
  const key = (messageId: string) => ({ chat: direct, messageId })

  return {
    channel: watched,
    place: direct,
    person: ann,
    sameKey: "twice" as const,
    preview: (messageId: string) => Effect.sync(() => slack.preview(key(messageId), "https://example.com")),
    repeat: (messageId: string) =>
      Effect.sync(() => {
        const message = slack.chat(direct).find((each) => each.messageId === messageId)
        const { text = "" } = message ?? {}
        slack.hear({ type: "message", channel: direct, channel_type: "im", user: ann, text, ts: messageId })
      }),
    endPresses: Effect.sync(() => slack.advance(31 * 60_000)),
    notifies: ({ body }: Piece) => {
      if (!isBody(body)) return false
      const blocks: ReadonlyArray<unknown> = body.blocks
      return [...notifiedBy(body.text), ...notifiedByBlocks(blocks.filter(isRecord))].length > 0
    },
    sayIn: (chat: number, text: string) =>
      Effect.sync(() => slack.say(text, { from: { id: `U${2_000 + chat}`, name: `Person ${chat}` } }).messageId),
    say: (text: string) => Effect.sync(() => slack.say(text).messageId),
    press: (messageId: string, label: string) =>
      Effect.sync(() => {
        if (slack.listeners() > 0) return slack.press(key(messageId), label)
        waiting.push(() => slack.press(key(messageId), label))
        return ""
      }),
    edit: (messageId: string, text: string) => Effect.sync(() => slack.edit(key(messageId), text)),
    withdraw: (messageId: string) => Effect.sync(() => slack.withdraw(key(messageId))),
    chat: (id: string) =>
      slack.chat(id).map(({ messageId, from, isOurs, text, buttons, edited, at }) => ({
        messageId,
        from,
        isOurs,
        text,
        buttons,
        isEdited: edited,
        isSilent: false,
        at
      })),
    fail: (method: ScriptedMethod, input: ScriptedFault) => {
      const fault = faultOf(input)
      if (fault === "Unreachable") isDown = method
      else if (fault === "Closed") isClosed = true
      else slack.fail(methods[method] ?? method, fault)
    },
    acknowledgements: () => slack.acknowledgements(),
    listeners: slack.listeners,
    until: <A>(look: () => A | undefined) => Effect.promise(() => slack.until(look)),
    calls: () =>
      slack.calls().map(({ at, outcome }) => ({
        method: "send" as const,
        at,
        outcome: outcome === "open" ? ("open" as const) : ("done" as const)
      }))
  }
}).pipe(Effect.orDie)

channelContract("Slack", open)
