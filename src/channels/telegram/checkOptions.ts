/** The options of the channel, checked; what is wrong is told without the token. */
import { Result, Schema } from "effect"
import { ChannelError } from "../../bridge/messages/SendError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { MaybeSecret, reveal } from "../../contract/Redacted.ts"
import type { TelegramOptions } from "./TelegramOptions.ts"

export const channelId = "telegram"

const parse = makeParser(
  Schema.Struct({
    token: MaybeSecret,
    apiRoot: Schema.optional(Schema.String.check(Schema.isPattern(/^https?:\/\/[^/\s]+(?:\/[^\s]+)?$/))),
    groups: Schema.optional(
      Schema.Record(
        Schema.String,
        Schema.Struct({
          mention: Schema.optional(Schema.Boolean),
          users: Schema.optional(Schema.Unknown),
          approvers: Schema.optional(Schema.Unknown)
        })
      )
    ),
    menu: Schema.optional(Schema.Boolean)
  }),
  "options"
)

export interface CheckedTelegram {
  readonly token: string
  /** The id of the bot, which every token begins with. */
  readonly accountId: string
  /** Without a slash at its end. */
  readonly apiRoot: string
  readonly groups: ReadonlyMap<string, { readonly mention: boolean }>
  readonly menu: boolean
}

const form = /^(\d{1,20}):[\w-]{10,100}$/

const refused = (problem: string, help?: string) =>
  new ChannelError({ channel: channelId, accountId: "?", problem, ...(help === undefined ? {} : { help }) })

export const checkTelegram = (options: TelegramOptions): Result.Result<CheckedTelegram, ChannelError> => {
  const parsed = parse(options)
  if (parsed._tag === "Failure") {
    return Result.fail(refused(`the option ${parsed.failure.option} ${parsed.failure.problem}`))
  }
  const token = reveal(options.token).trim()
  const [, accountId] = form.exec(token) ?? []
  if (accountId === undefined) {
    return Result.fail(
      refused(
        "the token does not have the form of a bot's token: digits, a colon, and letters",
        "Copy it from BotFather (https://t.me/BotFather, /mybots, API Token): it is one line without spaces."
      )
    )
  }
  const { apiRoot = "https://api.telegram.org", groups = {}, menu = true } = options
  return Result.succeed({
    token,
    accountId,
    apiRoot: apiRoot.replace(/\/+$/, ""),
    groups: new Map(Object.entries(groups).map(([id, { mention = true }]) => [id, { mention }])),
    menu
  })
}
