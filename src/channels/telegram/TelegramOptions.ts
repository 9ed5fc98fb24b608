/** Options of the Telegram channel, and their checks. No error shows the token. */

import { Result, Schema } from "effect"
import type { GroupAccess } from "../../bridge/access/AccessOptions.ts"
import { ChannelError } from "../../bridge/messages/SendError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { MaybeSecret, reveal } from "../../contract/Redacted.ts"

export interface TelegramOptions {
  /** Token of a bot, as BotFather gives it. No log, span or error shows it. */
  readonly token: MaybeSecret
  /** The address of the Bot API, such as of a server of one's own. Default: `https://api.telegram.org`. */
  readonly apiRoot?: string | undefined
  /** The groups of the bridge's `access` by their ids, for `check`. Default: none. */
  readonly groups?: { readonly [chatId: string]: Pick<GroupAccess, "mention"> } | undefined
  /** Offers the commands of the bridge in the menu of the chat. Default: true. */
  readonly menu?: boolean | undefined
}

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

const tokenForm = /^(\d{1,20}):[\w-]{10,100}$/
const wrong = (problem: string, help: { readonly help?: string } = {}) =>
  Result.fail(new ChannelError({ channel: channelId, accountId: "?", problem, ...help }))

export const checkTelegram = (options: TelegramOptions): Result.Result<CheckedTelegram, ChannelError> => {
  const parsed = parse(options)
  if (parsed._tag === "Failure") return wrong(`the option ${parsed.failure.option} ${parsed.failure.problem}`)
  const token = reveal(options.token).trim()
  const [, accountId] = tokenForm.exec(token) ?? []
  if (accountId === undefined)
    return wrong("the token does not have the form of a bot's token: digits, a colon, and letters", {
      help: "Copy it from BotFather (https://t.me/BotFather, /mybots, API Token): it is one line without spaces."
    })
  const { apiRoot = "https://api.telegram.org", groups = {}, menu = true } = options
  return Result.succeed({
    token,
    accountId,
    apiRoot: apiRoot.replace(/\/+$/, ""),
    groups: new Map(Object.entries(groups).map(([id, { mention = true }]) => [id, { mention }])),
    menu
  })
}
