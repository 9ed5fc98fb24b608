/** Telegram passes the suite of all channels. People's own deletions are told to no bot. */
import { Effect, type Scope } from "effect"
import type { Channel } from "../../../src/bridge/messages/Channel.ts"
import type { ScriptedFault, ScriptedMethod } from "../../../src/testing/channels/rules.ts"
import type { TelegramFault } from "../../../src/testing.ts"
import { channelContract, type Stage } from "../contract.ts"
import { ann, start } from "./kit.ts"

const methods: Partial<Record<ScriptedMethod, string>> = { send: "sendMessage", edit: "editMessageText" }

/** `Unreachable`: the address refuses one call. */
const faultOf = (fault: ScriptedFault): TelegramFault | "Unreachable" => {
  if (typeof fault === "string") return fault
  switch (fault._tag) {
    case "TooFast":
      return { retryAfter: fault.retryAfterMs / 1_000, scope: fault.scope === "account" ? "account" : "chat" }
    case "Unreachable":
      return "Unreachable"
    case "Unknown":
      return "badGateway"
    case "Closed":
      return { code: 403, description: "Forbidden: bot can't initiate conversation with a user" }
    case "Refused":
      return { code: 400, description: `Bad Request: ${fault.description}` }
    case "Gone":
      return { code: 400, description: `Bad Request: message ${fault.what} not found` }
  }
}

const open: Effect.Effect<Stage, never, Scope.Scope> = Effect.gen(function* () {
  const { tg, channel } = yield* start()
  tg.open(ann)
  let isDown = false

  const watched: Channel = {
    ...channel,
    send: (to, piece, key) =>
      Effect.gen(function* () {
        if (!isDown) return yield* channel.send(to, piece, key)
        isDown = false
        yield* Effect.promise(tg.down)
        // Takes the connection that was left open: what is written to it may have come.
        yield* channel.working?.(to) ?? Effect.void
        return yield* Effect.ensuring(channel.send(to, piece, key), Effect.promise(tg.up))
      })
  }
  const key = (messageId: string) => ({ chat: ann, messageId: Number(messageId) })

  return {
    channel: watched,
    place: String(ann),
    person: String(ann),
    sameKey: "twice" as const,
    sayIn: (chat: number, text: string) =>
      Effect.sync(() => {
        tg.open(ann + chat)
        return String(tg.say(text, { chat: ann + chat, from: ann + chat }).messageId)
      }),
    say: (text: string) => Effect.sync(() => String(tg.say(text).messageId)),
    press: (messageId: string, label: string) => Effect.sync(() => tg.press(key(messageId), label)),
    edit: (messageId: string, text: string) => Effect.sync(() => tg.edit(key(messageId), text)),
    withdraw: (messageId: string) => Effect.sync(() => tg.withdraw(key(messageId))),
    chat: (id: string) =>
      tg.chat(Number(id)).map(({ messageId, from, isOurs, text, buttons, edited, silent, at }) => ({
        messageId: String(messageId),
        from: String(from),
        isOurs,
        text,
        buttons,
        isEdited: edited,
        isSilent: silent,
        at
      })),
    fail: (method: ScriptedMethod, input: ScriptedFault) => {
      const fault = faultOf(input)
      if (fault === "Unreachable") isDown = true
      else tg.fail(methods[method] ?? method, fault)
    },
    acknowledgements: () => tg.acknowledgements(),
    listeners: tg.listeners,
    until: <A>(look: () => A | undefined) => Effect.promise(() => tg.until(look)),
    calls: () =>
      tg.calls().map(({ at, outcome }) => ({
        method: "send" as const,
        at,
        outcome: outcome === "open" ? ("open" as const) : ("done" as const)
      }))
  }
}).pipe(Effect.orDie)

channelContract("Telegram", open, { withdrawals: true })
