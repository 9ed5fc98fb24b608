/** Options of the Discord channel, and their checks. No error shows the token. */
import { Result, Schema } from "effect"
import { ChannelError } from "../../bridge/messages/SendError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { MaybeSecret, reveal } from "../../contract/Redacted.ts"

/** A channel of a server. */
export interface DiscordGroup {
  /**
   * `true`: a thread is heard once the bot is mentioned in it, or has opened it; `"always"`: each message needs a mention;
   * `false`: everything is heard. Default: true.
   */
  readonly mention?: boolean | "always" | undefined
}

export interface DiscordOptions {
  /** Token of a bot, as the developer portal gives it. No log, span or error shows it. */
  readonly token: MaybeSecret
  /** The address of the API. Default: `https://discord.com/api`. */
  readonly apiRoot?: string | undefined
  /**
   * The groups of the bridge's `access`: channels of servers by their ids, `*` for all. Messages in others are dropped.
   * Default: all.
   */
  readonly groups?: { readonly [channelId: string]: DiscordGroup } | undefined
  /**
   * Whether the bot has the message content intent. Without it only direct messages, mentions and replies have a text.
   * Default: true.
   */
  readonly content?: boolean | undefined
  /** Offers the commands of the bridge in the menu of the chat. Default: true. */
  readonly menu?: boolean | undefined
}

export const channelId = "discord"

const parse = makeParser(
  Schema.Struct({
    token: MaybeSecret,
    apiRoot: Schema.optional(Schema.String.check(Schema.isPattern(/^https?:\/\/[^/\s]+(?:\/[^\s]+)?$/))),
    groups: Schema.optional(
      Schema.Record(
        Schema.String,
        Schema.Struct({
          mention: Schema.optional(Schema.Union([Schema.Boolean, Schema.Literal("always")])),
          users: Schema.optional(Schema.Unknown),
          approvers: Schema.optional(Schema.Unknown)
        })
      )
    ),
    content: Schema.optional(Schema.Boolean),
    menu: Schema.optional(Schema.Boolean)
  }),
  "options"
)

export type Mention = boolean | "always"

export interface CheckedDiscord {
  readonly token: string
  /** The id of the bot, which every token begins with. */
  readonly accountId: string
  /** Without a slash at its end. */
  readonly apiRoot: string
  /** All channels if it is undefined. */
  readonly groups: ReadonlyMap<string, Mention> | undefined
  readonly content: boolean
  readonly menu: boolean
}

const wrong = (problem: string, help: { readonly help?: string } = {}) =>
  Result.fail(new ChannelError({ channel: channelId, accountId: "?", problem, ...help }))

/** Ids of Discord; people, channels, messages and roles have the same form. */
export const isSnowflake = (id: string | undefined): id is string => id !== undefined && /^\d{15,20}$/.test(id)

/** The first part of a token is the bot's id in base64. */
const botOf = (token: string): string | undefined => {
  const [, first = ""] = /^(?:Bot\s+)?([\w-]{16,40}={0,2})\.[\w-]{4,40}\.[\w-]{20,100}$/.exec(token) ?? []
  const id = Buffer.from(first, "base64").toString("latin1")
  return isSnowflake(id) ? id : undefined
}

export const checkDiscord = (options: DiscordOptions): Result.Result<CheckedDiscord, ChannelError> => {
  const parsed = parse(options)
  if (parsed._tag === "Failure") return wrong(`the option ${parsed.failure.option} ${parsed.failure.problem}`)
  const token = reveal(options.token).trim()
  const accountId = botOf(token)
  if (accountId === undefined)
    return wrong("the token does not have the form of a bot's token: three parts with dots between them", {
      help: "Take it from https://discord.com/developers/applications, Bot, Reset Token; not the client secret, nor the public key."
    })
  const { apiRoot = "https://discord.com/api", groups, content = true, menu = true } = options
  return Result.succeed({
    token: token.replace(/^Bot\s+/, ""),
    accountId,
    apiRoot: apiRoot.replace(/\/+$/, ""),
    groups:
      groups === undefined
        ? undefined
        : new Map(Object.entries(groups).map(([id, { mention = true }]) => [id, mention])),
    content,
    menu
  })
}
