/**
 * The channels that `reins.toml` can name beside the page and the webhooks, one row each: the keys and secrets of its table, and what people,
 * groups and chats look like there. `program/serve/channels.ts` says how each is opened.
 */
import type { Configuration } from "../../contract/Configuration.ts"
import { isPersonOn } from "../../contract/peopleOfChannels.ts"

/** A text that only `reins serve` may know, such as the token of a bot. */
export interface SecretKind {
  /** Such as `token`. */
  readonly key: string
  readonly isRight: (text: string) => boolean
  /** A description of a valid one, such as `a token as @BotFather gives it`. */
  readonly what: string
  /** A name for its variable. */
  readonly variable: string
  /** For the docs. */
  readonly about: string
}

export const channelIds = ["telegram", "slack", "discord", "whatsapp"] as const
export type ChannelId = (typeof channelIds)[number]
export type ChannelConfiguration = Pick<Configuration, ChannelId>

export const isChannel = (id: string): id is ChannelId => channelIds.some((each) => each === id)

interface Ids {
  readonly isRight: (text: string) => boolean
  /** As it stands in the file. */
  readonly example: string
}

export interface ChannelKind {
  readonly id: ChannelId
  /** As its makers write it. */
  readonly name: string
  readonly secrets: readonly [SecretKind, ...ReadonlyArray<SecretKind>]
  readonly person: Ids & {
    /** True for what people take for an id, and which can change hands. */
    readonly isName: (text: string) => boolean
    /** The problem of another text that looks like an id. */
    readonly problem?: (text: string) => string | undefined
  }
  readonly chat: Ids
  /** Default: it has no groups. */
  readonly group?: Ids
  /** Further keys. `example`: the key is required, and this is how it is written. */
  readonly keys?: ReadonlyArray<{
    readonly name: string
    readonly form: "phone" | "port" | "host" | "switch" | "server"
    readonly about: string
    readonly example?: string
  }>
  /** For `apiRoot`. */
  readonly server: string
}

const hasLetters = (text: string) => /^@|^https?:|[a-z]/i.test(text)
const anyGroup = "*"

const telegram: ChannelKind = {
  id: "telegram",
  name: "Telegram",
  secrets: [
    {
      key: "token",
      isRight: (text) => /^\d{1,20}:[\w-]{30,200}$/.test(text),
      what: "a token as @BotFather gives it: digits, a colon, and 30 letters, digits, - and _ or more",
      variable: "TELEGRAM_BOT_TOKEN",
      about: "The token of a bot"
    }
  ],
  person: {
    isRight: isPersonOn.telegram,
    example: "123456789",
    isName: hasLetters,
    problem: (text) =>
      /^-?\d{1,16}$/.test(text)
        ? "is not a person's id: those are above 0; groups belong below [telegram.groups]"
        : undefined
  },
  chat: { isRight: (text) => /^-?\d{1,16}$/.test(text), example: '"-1001234567890"' },
  group: { isRight: (text) => /^-\d{1,19}$/.test(text), example: '"-1001234567890"' },
  server: "A Bot API server of one's own (default: `https://api.telegram.org`)"
}

const isSlackChat = (text: string) => /^[CDG][A-Z0-9]{2,30}$/.test(text)

const slack: ChannelKind = {
  id: "slack",
  name: "Slack",
  secrets: [
    {
      key: "botToken",
      isRight: (text) => /^xoxb-[\w-]{10,250}$/.test(text),
      what: "the token of a bot, which begins with xoxb-: OAuth & Permissions, Bot User OAuth Token",
      variable: "SLACK_BOT_TOKEN",
      about: "The token of a bot"
    },
    {
      key: "appToken",
      isRight: (text) => /^xapp-[\w-]{10,300}$/.test(text),
      what: "an app-level token, which begins with xapp-: Basic Information, App-Level Tokens",
      variable: "SLACK_APP_TOKEN",
      about: "The app-level token for Socket Mode"
    }
  ],
  person: {
    isRight: isPersonOn.slack,
    example: '"U012ABCDEF"',
    isName: (text) => /^@|[a-z]/.test(text),
    problem: (text) =>
      isSlackChat(text) ? "is not a person's id but that of a chat: channels belong below [slack.groups]" : undefined
  },
  chat: { isRight: isSlackChat, example: '"C0123ABCD"' },
  group: { isRight: (text) => text === anyGroup || /^[CG][A-Z0-9]{2,30}$/.test(text), example: '"C0123ABCD"' },
  server: "Another server with Slack's Web API (default: `https://slack.com/api`)"
}

const isSnowflake = (text: string) => /^\d{15,20}$/.test(text)

const discord: ChannelKind = {
  id: "discord",
  name: "Discord",
  secrets: [
    {
      key: "token",
      isRight: (text) => /^[\w-]{15,60}\.[\w-]{4,20}\.[\w-]{15,100}$/.test(text),
      what: "the token of a bot, three parts with dots between them: Developer Portal, Bot, Reset Token",
      variable: "DISCORD_BOT_TOKEN",
      about: "The token of a bot"
    }
  ],
  person: {
    isRight: isPersonOn.discord,
    example: '"102030405060708090"',
    isName: hasLetters
  },
  chat: { isRight: isSnowflake, example: '"304050607080901020"' },
  group: { isRight: (text) => text === anyGroup || isSnowflake(text), example: '"304050607080901020"' },
  keys: [
    {
      name: "content",
      form: "switch",
      about: "Whether the bot has the Message Content Intent; without it, it reads mentions alone (default: true)"
    }
  ],
  server: "Another server with Discord's API (default: `https://discord.com/api`)"
}

const whatsapp: ChannelKind = {
  id: "whatsapp",
  name: "WhatsApp",
  secrets: [
    {
      key: "token",
      isRight: (text) => /^[\w|.-]{20,1000}$/.test(text),
      what: "an access token of a system user: Business settings, System users",
      variable: "WHATSAPP_TOKEN",
      about: "The token of a system user"
    },
    {
      key: "appSecret",
      isRight: (text) => /^[\w-]{16,200}$/.test(text),
      what: "the secret of the app, which App settings, Basic shows",
      variable: "WHATSAPP_APP_SECRET",
      about: "The secret of the app, which signs what comes in"
    },
    {
      key: "verifyToken",
      isRight: (text) => /^[\x21-\x7e]{8,200}$/.test(text),
      what: "a word of your own of at least 8 letters, digits and marks, the same as in the settings of the webhook",
      variable: "WHATSAPP_VERIFY_TOKEN",
      about: "The word by which Meta and this host know each other when the webhook is set"
    }
  ],
  person: {
    isRight: isPersonOn.whatsapp,
    example: '"15551234567"',
    isName: hasLetters,
    problem: (text) =>
      /^\+[\d ()-]+$/.test(text)
        ? "has more than digits: write the number with its country code, digits alone"
        : undefined
  },
  chat: { isRight: isPersonOn.whatsapp, example: '"15551234567"' },
  keys: [
    {
      name: "phone",
      form: "phone",
      about: "The id of the phone number, which API Setup shows; not the number itself",
      example: "106540352242922"
    },
    { name: "port", form: "port", about: "Port of the webhook (default: 7356)" },
    { name: "host", form: "host", about: "Address at which it listens (default: `127.0.0.1`)" },
    { name: "waba", form: "phone", about: "The id of the business account, for `reins doctor` (default: not asked)" },
    { name: "url", form: "server", about: "The public address of the webhook, for `reins doctor` (default: not asked)" }
  ],
  server: "Another server with the Graph API (default: `https://graph.facebook.com/v26.0`)"
}

export const webhookSignatures = ["github", "gitlab", "hmac", "bearer"] as const

export const webhookSecret: SecretKind = {
  key: "secret",
  isRight: (text) => /^[\x21-\x7e]{16,512}$/.test(text),
  what: "a secret of 16 letters, digits and marks or more, without spaces: `openssl rand -hex 32` makes one",
  variable: "WEBHOOK_SECRET",
  about: "The secret that a webhook shares with its sender"
}

export const channels: ReadonlyArray<ChannelKind> = [telegram, slack, discord, whatsapp]

export const channelOf = (id: unknown): ChannelKind | undefined => channels.find((channel) => channel.id === id)

/** Such as `[telegram] or [slack]`. */
export const tablesOfChannels: string = channels.map(({ id }) => `[${id}]`).join(" or ")
