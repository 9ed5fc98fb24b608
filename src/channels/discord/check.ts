/** Checks of `reins doctor`: token, message content intent, groups, starts of the day and clock. Changes nothing. */
import { Clock, Effect, Option } from "effect"
import type { Finding } from "../../bridge/messages/Channel.ts"
import type { Client } from "./calls/client.ts"
import { type CallFailure, codes, hasCode, isTokenRefused } from "./calls/failure.ts"
import type { CheckedDiscord } from "./DiscordOptions.ts"
import { readApplication, readGateway, readMe } from "./incoming/wire.ts"

export interface CheckOptions extends Pick<CheckedDiscord, "apiRoot" | "groups" | "content"> {
  readonly client: Client
}

const mostGroups = 20
const fewStarts = 50
const skewMs = 60_000
const portal = "https://discord.com/developers/applications"

const none: ReadonlyArray<Finding> = []
const ok = (message: string): Finding => ({ level: "ok", message })
const failed = (message: string, help: string): Finding => ({ level: "failure", message, help })
const warned = (message: string, help: string): Finding => ({ level: "warning", message, help })

const wordsOf = (failure: CallFailure): string =>
  failure._tag === "Refused" ? failure.description || `status ${failure.status}` : "it was not reached"

const ofToken = (failure: CallFailure): Finding =>
  isTokenRefused(failure)
    ? failed("Discord refuses the token.", `Take the bot's present token from ${portal} (Bot, Reset Token).`)
    : failed(`Discord does not say who the bot is: ${wordsOf(failure)}.`, "Look whether this machine reaches it.")

/** Flags of an application with the content intent, of a bot that was reviewed or is in fewer than 100 servers. */
const contentFlags = (1 << 18) | (1 << 19)

/** View Channels, Send Messages, the same in threads, Create Public Threads, Attach Files, Read Message History. */
const permissions = 1_024n + 2_048n + 274_877_906_944n + 34_359_738_368n + 32_768n + 65_536n

/** The address with which a person adds the bot to a server. */
const invitationOf = (id: string): string =>
  `https://discord.com/oauth2/authorize?client_id=${id}&scope=bot+applications.commands&permissions=${permissions}`

export const makeCheck = ({ client: { call }, apiRoot, groups, content }: CheckOptions) => {
  const get = (path: string) => call({ method: "GET", path })

  const intent = Effect.map(get("/applications/@me"), (answer) => {
    const flags = Option.getOrUndefined(readApplication(answer))?.flags ?? 0
    const isOn = (flags & contentFlags) !== 0
    if (content && !isOn)
      return [
        failed(
          "The bot may not read messages: its message content intent is off.",
          `Turn "Message Content Intent" on (${portal}, Bot), or set \`content = false\`.`
        )
      ]
    const open = [...(groups ?? [])].filter(([, mention]) => mention === false).map(([id]) => id)
    if (content || open.length === 0) return none
    return [
      warned(
        `In ${open.join(", ")} it shall hear what is not addressed to it, but \`content = false\` hides that.`,
        "Turn the message content intent on in the developer portal, and remove `content = false`."
      )
    ]
  })

  const starts = Effect.map(get("/gateway/bot"), (answer) => {
    const left = Option.getOrUndefined(readGateway(answer))?.session_start_limit.remaining
    if (left === undefined || left >= fewStarts) return none
    const help = "Look for a program with this token that starts again and again; Discord resets the token at 0."
    return [warned(`Only ${left} starts of the bot are left today: something identifies again and again.`, help)]
  })

  /** A typing indicator needs the right to write. */
  const group = (id: string) =>
    get(`/channels/${id}`).pipe(
      Effect.andThen(call({ method: "POST", path: `/channels/${id}/typing` })),
      Effect.as(none),
      Effect.catch((failure) => {
        const isForbidden = hasCode(failure, codes.missingPermissions)
        return Effect.succeed([
          isForbidden
            ? warned(`The bot may not write in ${id}.`, "Give its role View Channel and Send Messages there.")
            : warned(
                `The channel ${id} cannot be reached: ${wordsOf(failure)}.`,
                "Add the bot to it, or correct its id."
              )
        ])
      })
    )

  const clock = Effect.gen(function* () {
    const response = yield* Effect.tryPromise((signal) =>
      fetch(`${apiRoot}/v10/gateway`, { method: "HEAD", redirect: "manual", signal })
    )
    const theirs = Date.parse(response.headers.get("date") ?? "")
    const skew = Math.abs((yield* Clock.currentTimeMillis) - theirs)
    if (!(skew > skewMs)) return none
    return [warned(`The clock of this machine is ${Math.round(skew / 1_000)} s off.`, "Set it, such as by NTP.")]
  }).pipe(
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed(() => none)
  )

  return Effect.gen(function* () {
    const request = yield* Effect.result(get("/users/@me"))
    if (request._tag === "Failure") return [ofToken(request.failure)]
    const me = Option.getOrUndefined(readMe(request.success))
    if (me === undefined) return [failed("What answers is not Discord.", "Look at the address (`apiRoot`).")]
    const listed = [...(groups?.keys() ?? [])].filter((id) => id !== "*").slice(0, mostGroups)
    const rest = yield* Effect.all([
      Effect.orElseSucceed(intent, () => none),
      Effect.orElseSucceed(starts, () => none),
      Effect.map(Effect.forEach(listed, group), (all) => all.flat()),
      clock
    ])
    return [
      ok(`The token is that of @${me.username ?? me.id}. To add it to a server: ${invitationOf(me.id)}`),
      ...rest.flat()
    ]
  })
}
