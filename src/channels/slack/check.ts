/** Checks of `reins doctor`: both tokens, scopes, another reader, channels and clock. Changes nothing. */
import { Clock, Effect, Option, Predicate, Stream } from "effect"
import type { Finding } from "../../bridge/messages/Channel.ts"
import { openSocket } from "../kit/socket.ts"
import type { Client } from "./calls/client.ts"
import { type CallFailure, describe, isTokenRefused } from "./calls/failure.ts"
import { readFrame, readMe } from "./incoming/wire.ts"
import type { CheckedSlack } from "./SlackOptions.ts"

export interface CheckOptions extends Pick<CheckedSlack, "groups"> {
  readonly client: Client
  /** This channel reads events itself. */
  readonly isListening: () => boolean
}

const neededScopes =
  "app_mentions:read channels:history groups:history im:history mpim:history im:read channels:read groups:read mpim:read chat:write files:read files:write commands".split(
    " "
  )

const mostGroups = 20
const skewMs = 60_000
const probeMs = 3_000

const ok = (message: string): Finding => ({ level: "ok", message })
const failed = (message: string, help: string): Finding => ({ level: "failure", message, help })
const warned = (message: string, help: string): Finding => ({ level: "warning", message, help })

const wordsOf = (failure: CallFailure): string => {
  if (failure._tag === "Refused") return describe(failure)
  return failure._tag === "TooFast" ? "it takes no more calls for now" : "it was not reached"
}

const reach = "Look whether this machine reaches it."

const ofBotToken = (failure: CallFailure): Finding =>
  isTokenRefused(failure)
    ? failed(
        "Slack refuses the bot's token.",
        "Copy the present Bot User OAuth Token: api.slack.com/apps, your app, OAuth & Permissions."
      )
    : failed(`Slack does not say who the bot is: ${wordsOf(failure)}.`, reach)

const ofAppToken = (failure: CallFailure): Finding => {
  if (isTokenRefused(failure))
    return failed(
      "Slack refuses the app-level token.",
      "Generate one with the scope connections:write: api.slack.com/apps, your app, Basic Information, App-Level Tokens."
    )
  if (failure._tag !== "Refused") return failed(`Slack opens no socket: ${wordsOf(failure)}.`, reach)
  return failed(
    `Slack opens no socket: ${wordsOf(failure)}.`,
    "Turn Socket Mode on (api.slack.com/apps, your app, Socket Mode); the app-level token needs the scope connections:write."
  )
}

const ofScopes = (header: string | null): ReadonlyArray<Finding> => {
  if (header === null) return []
  const present = new Set(header.split(",").map((scope) => scope.trim()))
  return neededScopes
    .filter((scope) => !present.has(scope))
    .map((scope) =>
      failed(
        `The app lacks the scope ${scope}.`,
        "Add it (api.slack.com/apps, your app, OAuth & Permissions), and install the app again."
      )
    )
}

const ofClock = (date: string | null, now: number): ReadonlyArray<Finding> => {
  const skew = Math.abs(now - Date.parse(date ?? ""))
  if (!(skew > skewMs)) return []
  return [warned(`The clock of this machine is ${Math.round(skew / 1_000)} s off.`, "Set it, such as by NTP.")]
}

const otherReader = failed(
  "Another program reads this app's events, so that some do not come here.",
  "Stop it (perhaps a bridge that is running already), or give each an app of its own."
)

export const makeCheck = ({ client, groups, isListening }: CheckOptions) => {
  /** How many sockets of the app are open, one of its own included; undefined if Slack does not say. */
  const connections = (url: string) =>
    Effect.gen(function* () {
      const { texts } = yield* openSocket({ url, silentMs: probeMs, openMs: probeMs })
      const frames = Stream.map(texts, (text) => Option.getOrUndefined(readFrame(text)))
      const hello = yield* Stream.runHead(Stream.filter(frames, (frame) => frame?.type === "hello"))
      return Option.getOrUndefined(hello)?.num_connections ?? undefined
    }).pipe(
      Effect.scoped,
      Effect.timeout(probeMs),
      Effect.orElseSucceed(() => undefined)
    )

  const socket = Effect.gen(function* () {
    const opened = yield* Effect.result(client.callAsApp("apps.connections.open"))
    if (opened._tag === "Failure") return [ofAppToken(opened.failure)]
    const { json } = opened.success
    const url = Predicate.hasProperty(json, "url") ? json.url : undefined
    if (typeof url !== "string" || !client.isTrusted(url))
      return [failed("Slack names no address for a socket.", "Look at the address (`apiRoot`).")]
    // A socket of its own would take events from the one that reads.
    if (isListening()) return []
    const count = yield* connections(url)
    if (count === undefined) return [failed("The socket does not open.", reach)]
    return count > 1 ? [otherReader] : []
  })

  const group = (id: string) =>
    client.call("conversations.info", { channel: id }).pipe(
      Effect.map(({ json }): ReadonlyArray<Finding> => {
        const channel = Object(Object(json)["channel"])
        if (channel["is_member"] !== false) return []
        return [warned(`The bot is not in the channel ${id}.`, "Write there: /invite @ and the name of the app.")]
      }),
      Effect.catch((failure) =>
        Effect.succeed([
          warned(
            `The channel ${id} cannot be reached: ${wordsOf(failure)}.`,
            "Invite the bot there, or correct its id."
          )
        ])
      )
    )

  return Effect.gen(function* () {
    const request = yield* Effect.result(client.call("auth.test"))
    if (request._tag === "Failure") return [ofBotToken(request.failure), ...(yield* socket)]
    const { json, headers } = request.success
    const me = Option.getOrUndefined(readMe(json))
    if (me === undefined) return [failed("What answers is not Slack.", "Look at the address (`apiRoot`).")]
    return [
      ok(`The token is that of @${me.user ?? me.user_id} in ${me.team ?? me.team_id}.`),
      ...ofScopes(headers.get("x-oauth-scopes")),
      ...(yield* socket),
      ...(yield* Effect.forEach(groups.slice(0, mostGroups), group)).flat(),
      ...ofClock(headers.get("date"), yield* Clock.currentTimeMillis)
    ]
  })
}
