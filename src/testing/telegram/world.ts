/** The state of the server, and the shape of its methods. */
import { type Chats, makeChats } from "./chats.ts"
import { makeClock, type ServerClock } from "./clock.ts"
import { type Drafts, makeDrafts } from "./drafts.ts"
import { type Files, makeFiles, type Upload } from "./files.ts"
import { makePace, type Pace, type TelegramPace } from "./pace.ts"
import type { Params } from "./params.ts"
import { makeUpdates, type Updates } from "./updates.ts"
import type { Command, User } from "./wire.ts"

export interface TelegramServerOptions {
  /** Default: a made-up one. */
  readonly token?: string
  /** In ms since 1970. Default: the machine's time. `advance` moves it on. */
  readonly now?: () => number
  /** Default: the number in front of the token. */
  readonly botId?: number
  /** Default: `test_bot`. */
  readonly username?: string
  /** In groups the bot hears commands, mentions and replies alone. Default: true, as of every new bot. */
  readonly privacyMode?: boolean
  /** How often the bot may write; false: as often as it likes. */
  readonly pace?: TelegramPace | false
  /** How long a press can be answered, in ms. Default: 15,000; Telegram publishes no figure. */
  readonly acknowledgementMs?: number
  /** Default: 100,000,001. */
  readonly firstUpdateId?: number
}

/** An answer to a press. */
export interface TelegramAcknowledgement {
  /** The id of the press. */
  readonly press: string
  /** Empty: only the waiting ends. */
  readonly text: string
  /** In a window of its own. */
  readonly isAlert: boolean
  /** In ms since 1970. */
  readonly at: number
}

/** A command that a bot offers. */
export type TelegramCommand = Readonly<Command>

export interface World {
  readonly clock: ServerClock
  readonly me: User & { readonly username: string }
  readonly privacyMode: boolean
  readonly chats: Chats
  readonly drafts: Drafts
  readonly updates: Updates
  readonly pace: Pace
  readonly files: Files
  /** By scope and language. */
  readonly commands: Map<string, ReadonlyArray<TelegramCommand>>
  readonly presses: Map<string, { readonly until: number; isAnswered: boolean }>
  readonly acknowledgements: Array<TelegramAcknowledgement>
  readonly acknowledgementMs: number
}

export interface MethodInput {
  readonly params: Params
  readonly uploads: ReadonlyMap<string, Upload>
  /** The client has gone. */
  readonly left: AbortSignal
}

/** Returns the result; throws a refusal. */
export type Method = (world: World, asked: MethodInput) => unknown

export const makeWorld = (options: TelegramServerOptions, token: string, acknowledgementMs: number): World => {
  const clock = makeClock(options.now ?? Date.now)
  const id = options.botId ?? Number(token.split(":")[0])
  return {
    clock,
    me: { id, is_bot: true, first_name: "Bot", username: options.username ?? "test_bot" },
    privacyMode: options.privacyMode ?? true,
    chats: makeChats(clock.now),
    drafts: makeDrafts(clock.now),
    updates: makeUpdates(clock, options.firstUpdateId ?? 100_000_001),
    pace: makePace(clock.now, options.pace ?? {}),
    files: makeFiles(clock.now),
    commands: new Map(),
    presses: new Map(),
    acknowledgements: [],
    acknowledgementMs: options.acknowledgementMs ?? acknowledgementMs
  }
}
