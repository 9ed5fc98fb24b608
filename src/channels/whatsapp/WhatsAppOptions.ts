/** Options of the WhatsApp channel, and their checks. No error shows a secret. */
import { Result, Schema } from "effect"
import { ChannelError } from "../../bridge/messages/SendError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { MaybeSecret, reveal } from "../../contract/Redacted.ts"

export interface WhatsAppOptions {
  /** The id of the phone number, as *API Setup* shows it: not the number itself. */
  readonly phone: string
  /** Token of a system user that does not expire. No log, span or error shows it. */
  readonly token: MaybeSecret
  /** The app's secret, by which Meta signs what it posts. */
  readonly appSecret: MaybeSecret
  /** A text of your own, which Meta repeats when the callback URL is entered there. */
  readonly verifyToken: MaybeSecret
  /** The id of the business account, for `check`. Default: it is not asked. */
  readonly waba?: string | undefined
  /** The public address of the webhook, for `check`. Default: it is not asked. */
  readonly url?: string | undefined
  /** The address of the Graph API with its version. Default: `https://graph.facebook.com/v26.0`. */
  readonly apiRoot?: string | undefined
}

export interface WhatsAppListenOptions extends WhatsAppOptions {
  /** Default: 7356; 0 for any that is free. */
  readonly port?: number | undefined
  /** The address to listen on. Default: `127.0.0.1`; whatever is public leads here. */
  readonly host?: string | undefined
  /** The only path that is answered. Default: `/whatsapp`. */
  readonly path?: string | undefined
}

export const channelId = "whatsapp"

const httpUrl = Schema.String.check(Schema.isPattern(/^https?:\/\/[^/\s]+(?:\/[^\s]*)?$/))
const id = Schema.String.check(Schema.isPattern(/^\d{5,20}$/))

const own = {
  phone: id,
  token: MaybeSecret,
  appSecret: MaybeSecret,
  verifyToken: MaybeSecret,
  waba: Schema.optional(id),
  url: Schema.optional(httpUrl),
  apiRoot: Schema.optional(httpUrl)
}
const parse = makeParser(Schema.Struct(own), "options")
const parseListen = makeParser(
  Schema.Struct({
    port: Schema.optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
    host: Schema.optional(Schema.String.check(Schema.isPattern(/^[\w.:-]{1,255}$/))),
    path: Schema.optional(Schema.String.check(Schema.isPattern(/^\/[\w./-]{0,200}$/)))
  }),
  "options"
)

export interface CheckedWhatsApp {
  readonly phone: string
  readonly token: string
  readonly appSecret: string
  readonly verifyToken: string
  readonly waba: string | undefined
  readonly url: string | undefined
  /** Without a slash at its end. */
  readonly apiRoot: string
}

const wrong = (problem: string, help?: string) =>
  Result.fail(
    new ChannelError({ channel: channelId, accountId: "?", problem, ...(help === undefined ? {} : { help }) })
  )

/** Each with its form, and where it is found. */
const secrets = [
  [
    "token",
    /^[\w|.-]{20,1000}$/,
    "Make one that does not expire: Business settings → System users → Generate token. It is one line without spaces."
  ],
  [
    "appSecret",
    /^[\w-]{16,200}$/,
    "Copy it from the app (developers.facebook.com/apps): App settings → Basic → App secret. It is one line without spaces."
  ],
  [
    "verifyToken",
    /^[\x21-\x7e]{8,200}$/,
    "Make one up, of at least 8 letters, digits and marks without spaces, and enter the same at Meta: WhatsApp → Configuration."
  ]
] as const

export const checkWhatsApp = (options: WhatsAppOptions): Result.Result<CheckedWhatsApp, ChannelError> => {
  const parsed = parse(options)
  if (parsed._tag === "Failure") return wrong(`the option ${parsed.failure.option} ${parsed.failure.problem}`)
  for (const [name, form, help] of secrets)
    if (!form.test(reveal(options[name]).trim())) return wrong(`${name} does not have the form of one`, help)
  const { phone, waba, url, apiRoot = "https://graph.facebook.com/v26.0" } = options
  return Result.succeed({
    phone,
    token: reveal(options.token).trim(),
    appSecret: reveal(options.appSecret).trim(),
    verifyToken: reveal(options.verifyToken).trim(),
    waba,
    url,
    apiRoot: apiRoot.replace(/\/+$/, "")
  })
}

/** Where the server listens. */
export const checkListen = ({
  port,
  host,
  path
}: Pick<WhatsAppListenOptions, "port" | "host" | "path">): Result.Result<
  { readonly port: number; readonly host: string; readonly path: string },
  ChannelError
> => {
  const parsed = parseListen({ port, host, path })
  if (parsed._tag === "Failure") return wrong(`the option ${parsed.failure.option} ${parsed.failure.problem}`)
  return Result.succeed({ port: port ?? 7_356, host: host ?? "127.0.0.1", path: path ?? "/whatsapp" })
}
