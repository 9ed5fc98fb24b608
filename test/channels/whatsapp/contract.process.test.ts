/**
 * WhatsApp passes the suite of all channels. People's changes and deletions are told to no business, and no history can be
 * looked into: receipts tell what became of a send.
 */
import { Effect, type Scope, Stream } from "effect"
import type { Channel } from "../../../src/bridge/messages/Channel.ts"
import type { ScriptedFault, ScriptedMethod } from "../../../src/testing/channels/rules.ts"
import type { WhatsAppFault } from "../../../src/testing.ts"
import { channelContract, type Stage } from "../contract.ts"
import { ann, start } from "./kit.ts"

const methods: Partial<Record<ScriptedMethod, string>> = { send: "messages" }

/** `Unreachable`: the address refuses one call. */
const faultOf = (fault: ScriptedFault): WhatsAppFault | "Unreachable" => {
  if (typeof fault === "string") return fault
  switch (fault._tag) {
    case "TooFast":
      return { code: fault.scope === "account" ? 130_429 : 131_056, retryAfter: fault.retryAfterMs / 1_000 }
    case "Unreachable":
      return "Unreachable"
    case "Unknown":
      return "badGateway"
    case "Closed":
      return { code: 131_047 }
    case "Refused":
      return { code: 100, details: fault.description }
    case "Gone":
      return { code: 131_026 }
  }
}

const open: Effect.Effect<Stage, never, Scope.Scope> = Effect.gen(function* () {
  const { wa, channel } = yield* start()
  wa.receipts("held")
  wa.open(ann)
  let isDown = false
  let readers = 0
  const acknowledged: Array<{ readonly text: string }> = []

  const watched: Channel = {
    ...channel,
    incoming: (mark) =>
      Stream.unwrap(
        Effect.as(
          Effect.acquireRelease(
            Effect.sync(() => {
              readers += 1
            }),
            () =>
              Effect.sync(() => {
                readers -= 1
              })
          ),
          channel.incoming(mark)
        )
      ),
    send: (to, piece, key) =>
      Effect.gen(function* () {
        if (!isDown) return yield* channel.send(to, piece, key)
        isDown = false
        yield* Effect.promise(wa.down)
        return yield* Effect.ensuring(channel.send(to, piece, key), Effect.promise(wa.up))
      }),
    // WhatsApp shows nothing of it.
    acknowledge: (press, text = "") =>
      Effect.andThen(
        channel.acknowledge(press, text),
        Effect.sync(() => acknowledged.push({ text }))
      )
  }

  return {
    channel: watched,
    place: ann,
    person: ann,
    sameKey: "twice" as const,
    hasHistory: false,
    repeat: (messageId: string) => Effect.sync(() => wa.again({ messageId })),
    sayIn: (chat: number, text: string) =>
      Effect.sync(() => wa.say(text, { from: String(15_550_100_000 + chat) }).messageId),
    say: (text: string) => Effect.sync(() => wa.say(text).messageId),
    press: (messageId: string, label: string) => Effect.sync(() => wa.press({ messageId }, label)),
    edit: () => Effect.die("people change nothing there"),
    withdraw: () => Effect.die("people change nothing there"),
    chat: (id: string) =>
      wa.chat(id).map(({ messageId, chat, isOurs, plain, buttons, at }) => ({
        messageId,
        from: chat,
        isOurs,
        text: plain,
        buttons,
        isEdited: false,
        isSilent: false,
        at
      })),
    fail: (method: ScriptedMethod, input: ScriptedFault) => {
      const fault = faultOf(input)
      if (fault === "Unreachable") isDown = true
      else wa.fail(methods[method] ?? method, fault)
    },
    acknowledgements: () => acknowledged.map((each) => ({ ...each, press: "", at: 0 })),
    listeners: () => readers,
    until: <A>(look: () => A | undefined) => Effect.promise(() => wa.until(look)),
    calls: () =>
      wa.calls().map(({ at, outcome }) => ({
        method: "send" as const,
        at,
        outcome: outcome === "open" ? ("open" as const) : ("done" as const)
      }))
  }
}).pipe(Effect.orDie)

channelContract("WhatsApp", open, { changes: true })
