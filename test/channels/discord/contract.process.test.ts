/**
 * Discord passes the suite of all channels. Its history has no nonces; a channel that is listening knows those of its own
 * messages from the gateway, and the stage listens while it looks, as a bridge does.
 */
import { Effect, type Scope, Stream } from "effect"
import type { Channel } from "../../../src/bridge/messages/Channel.ts"
import { isBody } from "../../../src/channels/discord/outgoing/render.ts"
import { fieldsOf } from "../../../src/channels/discord/outgoing/write.ts"
import type { ScriptedFault, ScriptedMethod } from "../../../src/testing/channels/rules.ts"
import { notifiedBy } from "../../../src/testing/discord/content.ts"
import type { DiscordFault } from "../../../src/testing.ts"
import { channelContract, type Stage } from "../contract.ts"
import { ann, start, textOf } from "./kit.ts"

const methods: Partial<Record<ScriptedMethod, string>> = {
  send: "createMessage",
  edit: "editMessage",
  find: "getMessages"
}

/** `Unreachable`: the address refuses one call. */
const faultOf = (fault: ScriptedFault): DiscordFault | "Unreachable" => {
  if (typeof fault === "string") return fault
  switch (fault._tag) {
    case "TooFast":
      return { retryAfter: fault.retryAfterMs / 1_000, scope: fault.scope === "account" ? "account" : "channel" }
    case "Unreachable":
      return "Unreachable"
    case "Unknown":
      return "badGateway"
    case "Closed":
      return { status: 403, code: 50_007, description: "Cannot send messages to this user" }
    case "Refused":
      return { code: 50_035, description: fault.description }
    case "Gone":
      return { status: 404, code: 10_003, description: "Unknown Channel" }
  }
}

/** A send is made twice before it is given up. */
const isTwice = (fault: DiscordFault) => fault === "cutBefore" || fault === "cutAfter" || fault === "badGateway"

const open: Effect.Effect<Stage, never, Scope.Scope> = Effect.gen(function* () {
  const { discord, channel } = yield* start()
  const place = discord.direct()
  const ben = { id: "100000000000001002", name: "Ben" }
  const wake = (text: string, mark?: string) =>
    Stream.runForEachWhile(channel.incoming(mark), (each) =>
      Effect.gen(function* () {
        yield* each.confirm
        last = each.mark
        return textOf(each) !== text
      })
    )
  // The session of a bridge that was there before: what is written from now on is kept for it.
  let last: string | undefined
  const first = yield* Effect.forkScoped(wake("first"))
  yield* Effect.promise(() => discord.until(() => discord.listeners() === 1 || undefined))
  discord.say("first", { from: ben })
  yield* Effect.promise(() => discord.until(() => discord.listeners() === 0 || undefined))
  const begun = last
  let down: ScriptedMethod | undefined

  /** A connection that was left open takes the call before. */
  const whileDown = <A, E>(method: ScriptedMethod, work: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      if (down !== method) return yield* work
      down = undefined
      yield* Effect.promise(discord.down)
      yield* channel.working?.({ channel: "discord", accountId: channel.accountId, chatId: place }) ?? Effect.void
      return yield* Effect.ensuring(work, Effect.promise(discord.up))
    })
  const { find } = channel
  const watched: Channel = {
    ...channel,
    incoming: (mark) => channel.incoming(mark ?? begun),
    send: (to, piece, key) => whileDown("send", channel.send(to, piece, key)),
    ...(find === undefined
      ? {}
      : {
          find: (to, piece, key, after) =>
            Effect.gen(function* () {
              const text = `before ${key}`
              discord.say(text, { from: ben })
              yield* wake(text, begun)
              return yield* whileDown("find", find(to, piece, key, after))
            }).pipe(Effect.catchTag("ChannelError", Effect.die))
        })
  }
  const key = (messageId: string) => ({ channel: place, messageId })
  void first

  return {
    channel: watched,
    place,
    person: ann,
    sameKey: "once" as const,
    preview: (messageId: string) => Effect.sync(() => discord.preview(key(messageId))),
    repeat: (messageId: string) => Effect.sync(() => discord.repeat(key(messageId))),
    endPresses: Effect.sync(() => discord.advance(3_000)),
    notifies: ({ body }) => isBody(body) && notifiedBy(body.content, fieldsOf(body, "nonce"), undefined).length > 0,
    sayIn: (chat: number, text: string) =>
      Effect.sync(() => discord.say(text, { from: String(BigInt(ann) + BigInt(chat)) }).messageId),
    say: (text: string) => Effect.sync(() => discord.say(text).messageId),
    press: (messageId: string, label: string) => Effect.sync(() => discord.press(key(messageId), label)),
    edit: (messageId: string, text: string) => Effect.sync(() => discord.edit(key(messageId), text)),
    withdraw: (messageId: string) => Effect.sync(() => discord.withdraw(key(messageId))),
    chat: (id: string) =>
      discord.chat(id).map(({ messageId, from, isOurs, text, buttons, edited, silent, at }) => ({
        messageId,
        from,
        isOurs,
        text,
        buttons,
        isEdited: edited,
        isSilent: silent,
        at
      })),
    fail: (method: ScriptedMethod, input: ScriptedFault) => {
      const fault = faultOf(input)
      if (fault === "Unreachable") down = method
      else discord.fail(methods[method] ?? method, fault, method === "send" && isTwice(fault) ? 2 : 1)
    },
    acknowledgements: discord.acknowledgements,
    listeners: discord.listeners,
    until: <A>(look: () => A | undefined) => Effect.promise(() => discord.until(look)),
    calls: () =>
      discord.calls().map(({ at, outcome }) => ({
        method: "send" as const,
        at,
        outcome: outcome === "open" ? ("open" as const) : ("done" as const)
      }))
  }
}).pipe(Effect.orDie)

channelContract("Discord", open)
