/** Checks of `reins doctor`: token, webhook, other readers, privacy mode, groups and clock. Changes nothing. */
import { Clock, Effect, Option, type Scope } from "effect"
import { anyGroup } from "../../bridge/access/AccessOptions.ts"
import type { Finding } from "../../bridge/messages/Channel.ts"
import type { ChannelError } from "../../bridge/messages/SendError.ts"
import { untraced } from "../../contract/untraced.ts"
import { type Client, makeClients } from "./calls/client.ts"
import { type CallFailure, isTokenRefused } from "./calls/failure.ts"
import { type Me, readHook, readMe } from "./incoming/wire.ts"
import { type CheckedTelegram, checkTelegram, type TelegramOptions } from "./TelegramOptions.ts"

/** The host of the webhook, whose path can be a secret; undefined without a webhook. */
const hookPlace = (answer: unknown): string | undefined => {
  const url = Option.getOrUndefined(readHook(answer))?.url ?? ""
  return url === "" ? undefined : (URL.parse(url)?.host ?? "an address")
}

/**
 * Removes the webhook and returns its host; undefined if it was missing or could not be removed, which a check reports.
 * Pending updates stay at Telegram. Fails if the options are wrong or grammY is not installed.
 */
export const removeWebhook = Effect.fn(...untraced("Check.removeWebhook"))(function* (
  options: TelegramOptions
): Effect.fn.Return<string | undefined, ChannelError, Scope.Scope> {
  const checked = yield* Effect.fromResult(checkTelegram(options))
  const { call } = (yield* makeClients(checked, Effect.void)).calls
  return yield* Effect.gen(function* () {
    const place = hookPlace(yield* call("getWebhookInfo", {}))
    if (place !== undefined) yield* call("deleteWebhook", { drop_pending_updates: false })
    return place
  }).pipe(Effect.orElseSucceed(() => undefined))
})

export interface CheckOptions extends Pick<CheckedTelegram, "apiRoot" | "groups"> {
  readonly client: Pick<Client, "call">
  /** This channel reads updates itself. */
  readonly isListening: () => boolean
}

const probeSeconds = 3
const mostGroups = 20
const skewMs = 60_000

const none: ReadonlyArray<Finding> = []
const ok = (message: string): Finding => ({ level: "ok", message })
const failed = (message: string, help: string): Finding => ({ level: "failure", message, help })
const warned = (message: string, help: string): Finding => ({ level: "warning", message, help })

const wordsOf = (failure: CallFailure): string =>
  failure._tag === "Refused" ? failure.description : "it was not reached"

const ofToken = (failure: CallFailure): Finding =>
  isTokenRefused(failure)
    ? failed("Telegram refuses the token.", "Take the bot's present token from BotFather (/mybots, API Token).")
    : failed(`Telegram does not say who the bot is: ${wordsOf(failure)}.`, "Look whether this machine reaches it.")

const ofPrivacy = ({ can_read_all_group_messages, can_join_groups }: Me, groups: CheckOptions["groups"]) => {
  if (groups.size === 0) return []
  const open = [...groups].filter(([, { mention }]) => !mention).map(([id]) => (id === anyGroup ? "any group" : id))
  return [
    ...(can_join_groups === false
      ? [warned("The bot may not be added to groups.", "Allow it in BotFather: /setjoingroups.")]
      : []),
    ...(open.length > 0 && can_read_all_group_messages === false
      ? [
          warned(
            `In ${open.join(", ")} it shall hear what is not addressed to it, but its privacy mode hides that.`,
            "Turn privacy mode off in BotFather (/setprivacy) and add the bot to the group again, or make it an administrator there."
          )
        ]
      : [])
  ]
}

export const makeCheck = ({ client: { call }, groups, apiRoot, isListening }: CheckOptions) => {
  const listed = [...groups.keys()].filter((id) => id !== anyGroup)
  const webhook = Effect.map(call("getWebhookInfo", {}), (answer) => {
    const place = hookPlace(answer)
    if (place === undefined) return none
    return [
      failed(
        `A webhook at ${place} takes the bot's messages, so that none come here.`,
        "Remove it: `reins doctor --fix`, or `deleteWebhook` of the Bot API; or give this bridge a bot of its own."
      )
    ]
  })

  /** Confirms no update. While updates are pending, the answer does not reveal other readers. */
  const otherReader = Effect.suspend(() =>
    isListening() ? Effect.void : call("getUpdates", { limit: 1, timeout: probeSeconds })
  ).pipe(
    Effect.as(none),
    Effect.catch((failure) => {
      if (failure._tag !== "Refused" || failure.code !== 409 || /webhook/i.test(failure.description))
        return Effect.succeed(none)
      const help = "Stop it (perhaps a bridge that is running already), or give each a bot of its own."
      return Effect.succeed([failed("Another program reads this bot's messages.", help)])
    })
  )

  const group = (id: string) =>
    call("getChat", { chat_id: id }).pipe(
      Effect.as(none),
      Effect.catch((failure) =>
        Effect.succeed([
          warned(`The group ${id} cannot be reached: ${wordsOf(failure)}.`, "Add the bot to it, or correct its id.")
        ])
      )
    )

  const clock = Effect.gen(function* () {
    const response = yield* Effect.tryPromise((signal) =>
      fetch(apiRoot, { method: "HEAD", redirect: "manual", signal })
    )
    const theirs = Date.parse(response.headers.get("date") ?? "")
    const skew = Math.abs((yield* Clock.currentTimeMillis) - theirs)
    if (!(skew > skewMs)) return []
    return [warned(`The clock of this machine is ${Math.round(skew / 1_000)} s off.`, "Set it, such as by NTP.")]
  }).pipe(
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed(() => none)
  )

  return Effect.gen(function* () {
    const request = yield* Effect.result(call("getMe", {}))
    if (request._tag === "Failure") return [ofToken(request.failure)]
    const me = Option.getOrUndefined(readMe(request.success))
    if (me === undefined) return [failed("What answers is not Telegram.", "Look at the address (`apiRoot`).")]
    const rest = yield* Effect.all([
      Effect.orElseSucceed(webhook, () => none),
      otherReader,
      Effect.succeed(ofPrivacy(me, groups)),
      Effect.map(Effect.forEach(listed.slice(0, mostGroups), group), (all) => all.flat()),
      clock
    ])
    return [ok(`The token is that of @${me.username ?? me.id}.`), ...rest.flat()]
  })
}
