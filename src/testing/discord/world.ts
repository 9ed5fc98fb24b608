/** The state of the server, and the shape of its routes. */
import { makeClock, type ServerClock } from "../telegram/clock.ts"
import { type Channels, type KeptFile, makeChannels } from "./channels.ts"
import { makeIds } from "./ids.ts"
import { limits } from "./limits.ts"
import { type DiscordPace, makePace, type Pace } from "./pace.ts"
import { makeSessions, type Sessions } from "./sessions.ts"
import type { User } from "./wire.ts"

export interface DiscordServerOptions {
  /** Default: a made-up one, of the bot. */
  readonly token?: string
  /** In ms since 1970. Default: the machine's time. `advance` moves it on. */
  readonly now?: () => number
  /** Default: 200000000000000001. */
  readonly botId?: string
  /** Default: `test_bot`. */
  readonly username?: string
  /** Whether the bot has the message content intent in the developer portal. Default: true. */
  readonly content?: boolean
  /** How often the bot may write; false: as often as it likes. */
  readonly pace?: DiscordPace | false
  /** How long a nonce makes a second message the first one, in ms. Default: 300,000; Discord publishes no figure. */
  readonly nonceMs?: number
  /** How long a session can be resumed, in ms. Default: 180,000; Discord publishes no figure. */
  readonly resumeMs?: number
  /** How long the first answer to a press can take, in ms. Default: 3,000. */
  readonly interactionMs?: number
  /** In ms. Default: 41,250. */
  readonly heartbeatMs?: number
}

/** An answer to a press or a command. */
export interface DiscordAcknowledgement {
  /** The id of the interaction. */
  readonly press: string
  /** Empty: only the waiting ends. */
  readonly text: string
  /** Only the person sees it. */
  readonly isEphemeral: boolean
  /** In ms since 1970. */
  readonly at: number
}

/** A command that a bot offers. */
export interface DiscordCommand {
  readonly name: string
  readonly description: string
}

export interface World {
  readonly clock: ServerClock
  readonly nextId: () => string
  readonly me: User
  /** In the developer portal. */
  readonly hasContent: boolean
  readonly channels: Channels
  readonly sessions: Sessions
  readonly pace: Pace
  readonly nonceMs: number
  /** The servers of the bot. */
  readonly guilds: Set<string>
  readonly commands: { all: ReadonlyArray<DiscordCommand> }
  readonly interactions: Map<string, { readonly token: string; readonly until: number; isAnswered: boolean }>
  readonly interactionMs: number
  readonly acknowledgements: Array<DiscordAcknowledgement>
  /** A person who was seen, or one without a name. */
  readonly userOf: (id: string) => User
  readonly meet: (user: User) => User
  /** The link of a file; gone with `advance` of a day. */
  readonly linkOf: (channel: string, message: string, file: KeptFile) => string
  readonly fileAt: (path: string) => KeptFile | undefined
  /** Where the server listens; known once it does. */
  readonly address: { url: string }
}

const linkMs = 86_400_000

export const makeWorld = (options: DiscordServerOptions, botId: string): World => {
  const clock = makeClock(options.now ?? Date.now)
  const nextId = makeIds(clock.now)
  const users = new Map<string, User>()
  const meet = (user: User) => {
    users.set(user.id, user)
    return user
  }
  const username = options.username ?? "test_bot"
  const me = meet({ id: botId, username, global_name: null, discriminator: "0", avatar: null, bot: true })
  const files = new Map<string, KeptFile>()
  const address = { url: "" }
  return {
    clock,
    nextId,
    me,
    hasContent: options.content ?? true,
    channels: makeChannels(clock.now, nextId),
    sessions: makeSessions(clock.now, nextId, options.resumeMs ?? limits.resumeMs),
    pace: makePace(clock.now, options.pace ?? {}),
    nonceMs: options.nonceMs ?? limits.nonceMs,
    guilds: new Set(),
    commands: { all: [] },
    interactions: new Map(),
    interactionMs: options.interactionMs ?? limits.interactionMs,
    acknowledgements: [],
    userOf: (id) =>
      users.get(id) ?? { id, username: `person${id}`, global_name: `Person ${id}`, discriminator: "0", avatar: null },
    meet,
    linkOf: (channel, message, file) => {
      const until = clock.now() + linkMs
      const path = `/attachments/${channel}/${message}/${file.id}/${encodeURIComponent(file.name)}`
      files.set(`${path}?ex=${until}`, file)
      return `${address.url}${path}?ex=${until}`
    },
    fileAt: (path) => {
      const until = Number(/\?ex=(\d+)$/.exec(path)?.[1] ?? 0)
      return until > clock.now() ? files.get(path) : undefined
    },
    address
  }
}
