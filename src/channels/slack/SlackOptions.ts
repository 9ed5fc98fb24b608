/** Options of the Slack channel, and their checks. No error shows a token. */
import { Result, Schema } from "effect"
import type { GroupAccess } from "../../bridge/access/AccessOptions.ts"
import { ChannelError } from "../../bridge/messages/SendError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { MaybeSecret, reveal } from "../../contract/Redacted.ts"

export interface SlackOptions {
  /** The Bot User OAuth Token of an app, `xoxb-…`. No log, span or error shows it. */
  readonly botToken: MaybeSecret
  /** An app-level token of the same app with the scope `connections:write`, `xapp-…`. Nothing shows it, either. */
  readonly appToken: MaybeSecret
  /** The address of Slack's Web API. Default: `https://slack.com/api`. */
  readonly apiRoot?: string | undefined
  /**
   * The groups of the bridge's `access`: channels by their ids, `*` for all. `check` looks for them, and only there what
   * follows in a thread of the bot is meant for it. Default: all, and none to look for.
   */
  readonly groups?: { readonly [chatId: string]: Pick<GroupAccess, "mention"> } | undefined
}

export const channelId = "slack"

const parse = makeParser(
  Schema.Struct({
    botToken: MaybeSecret,
    appToken: MaybeSecret,
    apiRoot: Schema.optional(Schema.String.check(Schema.isPattern(/^https?:\/\/[^/\s]+(?:\/[^\s]+)?$/))),
    groups: Schema.optional(Schema.Record(Schema.String, Schema.Unknown))
  }),
  "options"
)

export interface CheckedSlack {
  readonly botToken: string
  readonly appToken: string
  /** The id of the app, the second part of its app-level token. */
  readonly accountId: string
  /** Without a slash at its end. */
  readonly apiRoot: string
  /** Ids of channels. */
  readonly groups: ReadonlyArray<string>
  readonly isListed: (chatId: string) => boolean
}

const wrong = (problem: string, help: { readonly help?: string } = {}) =>
  Result.fail(new ChannelError({ channel: channelId, accountId: "?", problem, ...help }))

export const checkSlack = (options: SlackOptions): Result.Result<CheckedSlack, ChannelError> => {
  const parsed = parse(options)
  if (parsed._tag === "Failure") return wrong(`the option ${parsed.failure.option} ${parsed.failure.problem}`)
  const [botToken, appToken] = [reveal(options.botToken).trim(), reveal(options.appToken).trim()]
  if (!/^xoxb-[\w-]{10,500}$/.test(botToken))
    return wrong("the bot's token does not have the form xoxb-…", {
      help: "Copy the Bot User OAuth Token: api.slack.com/apps, your app, OAuth & Permissions."
    })
  const [, accountId] = /^xapp-\d+-(A[A-Z0-9]{2,30})-[\w-]{10,500}$/.exec(appToken) ?? []
  if (accountId === undefined)
    return wrong("the app-level token does not have the form xapp-1-A…", {
      help: "Generate one with the scope connections:write: api.slack.com/apps, your app, Basic Information, App-Level Tokens."
    })
  const { apiRoot = "https://slack.com/api", groups } = options
  return Result.succeed({
    botToken,
    appToken,
    accountId,
    apiRoot: apiRoot.replace(/\/+$/, ""),
    groups: Object.keys(groups ?? {}).filter((id) => id !== "*"),
    isListed: (chatId) => groups === undefined || Object.hasOwn(groups, chatId) || Object.hasOwn(groups, "*")
  })
}
