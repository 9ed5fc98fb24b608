/** Checks of `reins doctor`: token, number, subscription and the public address. Changes nothing. */
import { randomBytes } from "node:crypto"
import { Clock, Effect, Option, Schema } from "effect"
import type { Finding } from "../../bridge/messages/Channel.ts"
import { withoutInvisible } from "../../contract/text/harmless.ts"
import type { Client } from "./calls/client.ts"
import { type CallFailure, isTokenRefused } from "./calls/failure.ts"
import type { CheckedWhatsApp } from "./WhatsAppOptions.ts"

const none: ReadonlyArray<Finding> = []
const ok = (message: string): Finding => ({ level: "ok", message })
const failed = (message: string, help: string): Finding => ({ level: "failure", message, help })
const warned = (message: string, help: string): Finding => ({ level: "warning", message, help })

export const tokenHelp =
  "Make a token that does not expire: Business settings → System users → Generate token, with whatsapp_business_messaging and whatsapp_business_management."

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const readPhone = Schema.decodeUnknownOption(
  Schema.Struct({
    id: Schema.String,
    display_phone_number: maybe(Schema.String),
    verified_name: maybe(Schema.String),
    quality_rating: maybe(Schema.String)
  })
)

const readToken = Schema.decodeUnknownOption(
  Schema.Struct({
    data: Schema.Struct({
      app_id: maybe(Schema.Union([Schema.String, Schema.Finite])),
      is_valid: maybe(Schema.Boolean),
      /** In seconds since 1970; 0: never. */
      expires_at: maybe(Schema.Finite),
      scopes: maybe(Schema.Array(Schema.String))
    })
  })
)

const readApps = Schema.decodeUnknownOption(
  Schema.Struct({
    data: Schema.Array(
      Schema.Struct({ whatsapp_business_api_data: Schema.Struct({ id: Schema.Union([Schema.String, Schema.Finite]) }) })
    )
  })
)

const needed = ["whatsapp_business_messaging", "whatsapp_business_management"]

const wordsOf = (failure: CallFailure): string => (failure._tag === "Refused" ? failure.details : "it was not reached")

const ofPhone = (failure: CallFailure): Finding => {
  if (isTokenRefused(failure)) return failed("WhatsApp refuses the token.", tokenHelp)
  const help =
    failure._tag === "Refused"
      ? "`phone` is the Phone number ID of API Setup, not the number itself; the token's system user needs that account."
      : "Look whether this machine reaches it."
  return failed(`WhatsApp does not give the number: ${wordsOf(failure)}.`, help)
}

const dayMs = 86_400_000

const ofToken = (answer: unknown, now: number): ReadonlyArray<Finding> => {
  const data = Option.getOrUndefined(readToken(answer))?.data
  if (data === undefined) return none
  const missing = data.scopes ? needed.filter((scope) => !data.scopes?.includes(scope)) : []
  const days = data.expires_at ? Math.max(0, Math.floor((data.expires_at * 1_000 - now) / dayMs)) : undefined
  return [
    ...missing.map((scope) => failed(`The token lacks ${scope}.`, tokenHelp)),
    ...(days === undefined ? [] : [warned(`The token expires in ${days} ${days === 1 ? "day" : "days"}.`, tokenHelp)])
  ]
}

const ofApps = (answer: unknown, app: string | undefined): ReadonlyArray<Finding> => {
  const apps = Option.getOrUndefined(readApps(answer))?.data
  if (apps === undefined) return none
  const isIn = apps.some(({ whatsapp_business_api_data: { id } }) => app === undefined || String(id) === app)
  if (isIn) return none
  return [
    failed(
      "The business account sends its messages to no webhook of this app.",
      "Subscribe it: POST /WABA/subscribed_apps of the Graph API, or WhatsApp → Configuration in the app."
    )
  ]
}

/** The whole check has 10 s. */
const addressMs = "4 seconds"

const challenged = (url: string, verifyToken: string, challenge: string) => {
  const address = new URL(url)
  address.searchParams.set("hub.mode", "subscribe")
  address.searchParams.set("hub.verify_token", verifyToken)
  address.searchParams.set("hub.challenge", challenge)
  return Effect.tryPromise(async (signal) => {
    const response = await fetch(address, { redirect: "manual", signal })
    const text = response.status === 200 ? (await response.text()).slice(0, 1_000) : ""
    return { status: response.status, isOurs: text === challenge }
  }).pipe(
    Effect.timeout(addressMs),
    Effect.orElseSucceed(() => undefined)
  )
}

export interface CheckOptions extends Pick<CheckedWhatsApp, "phone" | "waba" | "url" | "token" | "verifyToken"> {
  readonly client: Pick<Client, "get">
  /** When Meta posted last, in ms since 1970. */
  readonly lastPostAt: () => number | undefined
}

export const makeCheck = ({ client, phone, waba, url, token, verifyToken, lastPostAt }: CheckOptions) => {
  const address = Effect.suspend(() => {
    if (url === undefined) return Effect.succeed(none)
    const challenge = randomBytes(12).toString("hex")
    return Effect.map(challenged(url, verifyToken, challenge), (found): ReadonlyArray<Finding> => {
      if (found?.isOurs === true) return none
      const host = URL.parse(url)?.host ?? "the address"
      const message =
        found === undefined
          ? `Nothing answers at ${host}.`
          : `What answers at ${host} is not this webhook: status ${found.status}.`
      return [warned(message, "Start `reins serve`, and let the address lead to its port and path.")]
    })
  })

  const silence = Effect.map(Clock.currentTimeMillis, (now): ReadonlyArray<Finding> => {
    const last = lastPostAt()
    if (last === undefined || now - last < dayMs) return none
    const days = Math.floor((now - last) / dayMs)
    return [
      warned(
        `WhatsApp posted last ${days} ${days === 1 ? "day" : "days"} ago.`,
        "If people wrote since, the callback URL at Meta (WhatsApp → Configuration) leads elsewhere."
      )
    ]
  })

  return Effect.gen(function* () {
    const phoneAnswer = yield* Effect.result(
      client.get(`${phone}?fields=display_phone_number,verified_name,quality_rating`)
    )
    if (phoneAnswer._tag === "Failure") return [ofPhone(phoneAnswer.failure)]
    const number = Option.getOrUndefined(readPhone(phoneAnswer.success))
    if (number === undefined) return [failed("What answers is not WhatsApp.", "Look at the address (`apiRoot`).")]
    const { display_phone_number, verified_name, quality_rating } = number
    const now = yield* Clock.currentTimeMillis
    const about = yield* Effect.orElseSucceed(
      client.get(`debug_token?input_token=${encodeURIComponent(token)}`),
      () => undefined
    )
    const app = Option.getOrUndefined(readToken(about))?.data.app_id
    const apps = waba === undefined ? undefined : yield* Effect.result(client.get(`${waba}/subscribed_apps`))
    const name = withoutInvisible(`${display_phone_number ?? phone}${verified_name ? ` (${verified_name})` : ""}`)
    return [
      ok(`The number is ${name.slice(0, 120)}.`),
      ...(quality_rating === "RED"
        ? [warned("The quality of the number is low: WhatsApp may limit it.", "See WhatsApp Manager → Phone numbers.")]
        : []),
      ...ofToken(about, now),
      ...(apps === undefined
        ? none
        : apps._tag === "Success"
          ? ofApps(apps.success, app ? String(app) : undefined)
          : [warned(`The business account ${waba} cannot be asked: ${wordsOf(apps.failure)}.`, tokenHelp)]),
      ...(yield* address),
      ...(yield* silence)
    ]
  })
}
