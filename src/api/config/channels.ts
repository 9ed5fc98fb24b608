/**
 * The channels that `reins.toml` can name beside the page, one row each: the secrets of its table, and what people, groups and
 * chats look like there. `program/serve/channels.ts` says how each is opened.
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

export const channelIds = ["telegram"] as const
export type ChannelId = (typeof channelIds)[number]
export type ChannelConfiguration = Pick<Configuration, ChannelId>

export const isChannel = (id: string): id is ChannelId => channelIds.some((each) => each === id)

export interface ChannelKind {
  readonly id: ChannelId
  /** As its makers write it. */
  readonly name: string
  readonly secrets: readonly [SecretKind, ...ReadonlyArray<SecretKind>]
  readonly person: {
    readonly isRight: (text: string) => boolean
    /** As it stands in the file. */
    readonly example: string
    /** True for what people take for an id, and which can change hands. */
    readonly isName: (text: string) => boolean
    /** The problem of another text that looks like an id. */
    readonly problem?: (text: string) => string | undefined
  }
  readonly chat: { readonly isRight: (text: string) => boolean; readonly example: string }
  /** Default: it has no groups. */
  readonly group?: { readonly isRight: (text: string) => boolean; readonly example: string }
  /** The docs of `apiRoot`. */
  readonly server: string
}

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
    isName: (text) => /^(?:@|https?:|t\.me\/)|[a-z]/i.test(text),
    problem: (text) =>
      /^-?\d{1,16}$/.test(text)
        ? "is not a person's id: those are above 0; groups belong below [telegram.groups]"
        : undefined
  },
  chat: { isRight: (text) => /^-?\d{1,16}$/.test(text), example: "-1001234567890" },
  group: { isRight: (text) => /^-\d{1,19}$/.test(text), example: "-1001234567890" },
  server: "A Bot API server of one's own (default: `https://api.telegram.org`)"
}

export const channels: ReadonlyArray<ChannelKind> = [telegram]

export const channelOf = (id: unknown): ChannelKind | undefined => channels.find((channel) => channel.id === id)

/** Such as `[telegram] or [slack]`. */
export const tablesOfChannels: string = channels.map(({ id }) => `[${id}]`).join(" or ")
