/** Options of the Slack channel, and their checks. No error shows a token. */
import { Result, Schema } from "effect"
import type { GroupAccess } from "../../bridge/access/AccessOptions.ts"
import { ChannelError } from "../../bridge/messages/SendError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { MaybeSecret, reveal } from "../../contract/Redacted.ts"

export interface SlackOptions {
  /** The *Bot User OAuth Token*, `xoxb-…`. No log, span or error shows it. */
  readonly botToken: MaybeSecret
  /** The app-level token with the scope `connections:write`, `xapp-…`. */
  readonly appToken: MaybeSecret
  /** The address of the Web API. Default: `https://slack.com/api`. */
  readonly apiRoot?: string | undefined
  /** The groups of the bridge's `access` by their ids, for `check`. Default: none. */
  readonly groups?: { readonly [chatId: string]: Pick<GroupAccess, "mention"> } | undefined
}

export const channelId = "slack"

const parse = makeParser(
  Schema.Struct({
    botToken: MaybeSecret,
    appToken: MaybeSecret,
    apiRoot: Schema.optional(Schema.String.check(Schema.isPattern(/^https?:\/\/[^/\s]+(?:\/[^\s]*)?$/))),
    groups: Schema.optional(
      Schema.Record(
        Schema.String,
        Schema.Struct({
          mention: Schema.optional(Schema.Boolean),
          users: Schema.optional(Schema.Unknown),
          approvers: Schema.optional(Schema.Unknown)
        })
      )
    )
  }),
  "options"
)

export interface CheckedSlack {
  readonly botToken: string
  readonly appToken: string
  /** Undefined if the app-level token does not name it. */
  readonly appId: string | undefined
  /** Without a slash at its end. */
  readonly apiRoot: string
  readonly groups: ReadonlyMap<string, { readonly mention: boolean }>
}

const wrong = (problem: string, help?: string) =>
  Result.fail(
    new ChannelError({ channel: channelId, accountId: "?", problem, ...(help === undefined ? {} : { help }) })
  )

/** Each with its form, and where it is found. */
export const tokens = {
  botToken: {
    form: /^xoxb-[\w.-]{10,500}$/,
    help: "Copy the Bot User OAuth Token from the app (https://api.slack.com/apps): OAuth & Permissions. It begins with xoxb-."
  },
  appToken: {
    form: /^xapp-[\w.-]{10,500}$/,
    help: "Make one in the app (https://api.slack.com/apps): Basic Information → App-Level Tokens, with connections:write. It begins with xapp-."
  }
} as const

export const checkSlack = (options: SlackOptions): Result.Result<CheckedSlack, ChannelError> => {
  const parsed = parse(options)
  if (parsed._tag === "Failure") return wrong(`the option ${parsed.failure.option} ${parsed.failure.problem}`)
  for (const name of ["botToken", "appToken"] as const) {
    const { form, help } = tokens[name]
    if (!form.test(reveal(options[name]).trim())) return wrong(`${name} does not have the form of one`, help)
  }
  const { apiRoot = "https://slack.com/api", groups = {} } = options
  const appToken = reveal(options.appToken).trim()
  return Result.succeed({
    botToken: reveal(options.botToken).trim(),
    appToken,
    appId: /^xapp-\d+-(A[A-Z0-9]+)-/.exec(appToken)?.[1],
    apiRoot: apiRoot.replace(/\/+$/, ""),
    groups: new Map(Object.entries(groups).map(([id, { mention = true }]) => [id, { mention }]))
  })
}
