/** Checks of `reins doctor`: both tokens, scopes, other readers, listed channels and the clock. Changes nothing. */
import { Clock, Effect, Option, Schema } from "effect"
import { anyGroup } from "../../bridge/access/AccessOptions.ts"
import type { Finding } from "../../bridge/messages/Channel.ts"
import { withoutInvisible } from "../../contract/text/harmless.ts"
import type { Client } from "./calls/client.ts"
import { addScope, type CallFailure, descriptionOf, isMissingScope, isTokenRefused } from "./calls/failure.ts"
import { type CheckedSlack, tokens } from "./SlackOptions.ts"

const none: ReadonlyArray<Finding> = []
const ok = (message: string): Finding => ({ level: "ok", message })
const failed = (message: string, help: string): Finding => ({ level: "failure", message, help })
const warned = (message: string, help: string): Finding => ({ level: "warning", message, help })

const { optionalKey, NullOr } = Schema
const maybe = <S extends Schema.Top>(schema: S) => optionalKey(NullOr(schema))

const readMe = Schema.decodeUnknownOption(
  Schema.Struct({ user_id: Schema.String, user: maybe(Schema.String), team: maybe(Schema.String) })
)
const readPlace = Schema.decodeUnknownOption(
  Schema.Struct({
    channel: Schema.Struct({
      name: maybe(Schema.String),
      is_member: maybe(Schema.Boolean),
      is_archived: maybe(Schema.Boolean)
    })
  })
)

/** Without these nothing is heard or answered. */
const vital = ["im:history", "chat:write"]
/** Those of the manifest in `docs/slack.md`. */
const scopes = [
  ...vital,
  ..."app_mentions:read channels:history groups:history mpim:history im:read channels:read groups:read mpim:read".split(
    " "
  ),
  ..."files:read files:write commands".split(" ")
]

const mostGroups = 20
const skewMs = 60_000
const longestName = 80

const reach = "Look whether this machine reaches it."

const ofBot = (failure: CallFailure): Finding =>
  isTokenRefused(failure)
    ? failed("Slack refuses the bot's token.", tokens.botToken.help)
    : failed(`Slack does not say who the bot is: ${descriptionOf(failure)}.`, reach)

const ofApp = (failure: CallFailure): Finding => {
  if (isTokenRefused(failure)) return failed("Slack refuses the app-level token.", tokens.appToken.help)
  if (isMissingScope(failure)) return failed("The app-level token lacks connections:write.", tokens.appToken.help)
  if (failure._tag !== "Refused") return failed(`Slack opens no connection: ${descriptionOf(failure)}.`, reach)
  return failed(
    `Slack opens no connection: ${descriptionOf(failure)}.`,
    "Turn Socket Mode on in the app (https://api.slack.com/apps → Socket Mode)."
  )
}

const ofScopes = (header: string | null): ReadonlyArray<Finding> => {
  if (header === null) return none
  const granted = new Set(header.split(",").map((scope) => scope.trim()))
  const missing = scopes.filter((scope) => !granted.has(scope))
  if (missing.length === 0) return none
  const problem = missing.some((scope) => vital.includes(scope)) ? failed : warned
  return [problem(`The app lacks ${missing.join(", ")}.`, addScope(missing.join(", ")))]
}

const ofClock = (date: string | null, now: number): ReadonlyArray<Finding> => {
  const skew = Math.abs(now - Date.parse(date ?? ""))
  if (!(skew > skewMs)) return none
  return [warned(`The clock of this machine is ${Math.round(skew / 1_000)} s off.`, "Set it, such as by NTP.")]
}

const ofGroup = (id: string, answer: unknown, bot: string): ReadonlyArray<Finding> => {
  const place = Option.getOrUndefined(readPlace(answer))?.channel
  if (place === undefined) return none
  const name = place.name ? `${id} (#${withoutInvisible(place.name).slice(0, longestName)})` : id
  if (place.is_archived === true)
    return [warned(`The channel ${name} is archived.`, "Unarchive it, or take it out of the list.")]
  if (place.is_member === true) return none
  return [warned(`The bot is not in the channel ${name}.`, `Write \`/invite @${bot}\` there.`)]
}

export interface CheckOptions extends Pick<CheckedSlack, "groups"> {
  readonly client: Pick<Client, "ask" | "call">
  /** Number of the app's connections, as Slack told when one was opened; undefined if none can be opened now. */
  readonly probe: Effect.Effect<number | undefined>
}

export const makeCheck = ({ client: { ask, call }, groups, probe }: CheckOptions) => {
  const listed = [...groups.keys()].filter((id) => id !== anyGroup).slice(0, mostGroups)

  const connection = Effect.result(call("apps.connections.open", {}, { token: "app" })).pipe(
    Effect.flatMap((opened) => {
      if (opened._tag === "Failure") return Effect.succeed([ofApp(opened.failure)])
      return Effect.map(probe, (connections) =>
        connections === undefined || connections < 2
          ? none
          : [
              failed(
                `Another program reads this app's events: it has ${connections} connections.`,
                "Stop it (perhaps a bridge that is running already), or give each an app of its own: Slack deals events to either."
              )
            ]
      )
    })
  )

  const group = (id: string, bot: string) =>
    call("conversations.info", { channel: id }).pipe(
      Effect.map((answer) => ofGroup(id, answer, bot)),
      Effect.catch((failure) =>
        Effect.succeed([
          warned(
            `The channel ${id} cannot be reached: ${descriptionOf(failure)}.`,
            `Write \`/invite @${bot}\` there, or correct its id.`
          )
        ])
      )
    )

  return Effect.gen(function* () {
    const [who, opened] = yield* Effect.all([Effect.result(ask("auth.test", {})), connection])
    if (who._tag === "Failure") return [ofBot(who.failure), ...opened]
    const { json, headers } = who.success
    const me = Option.getOrUndefined(readMe(json))
    if (me === undefined) return [failed("What answers is not Slack.", "Look at the address (`apiRoot`).")]
    const shown = (text: string) => withoutInvisible(text).slice(0, longestName)
    const bot = shown(me.user || me.user_id)
    const all = yield* Effect.forEach(listed, (id) => group(id, bot))
    return [
      ok(`The token is that of @${bot}${me.team ? ` in ${shown(me.team)}` : ""}.`),
      ...opened,
      ...ofScopes(headers.get("x-oauth-scopes")),
      ...all.flat(),
      ...ofClock(headers.get("date"), yield* Clock.currentTimeMillis)
    ]
  })
}
