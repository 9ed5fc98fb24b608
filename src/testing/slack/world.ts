/** The state of the server, and the shape of its methods. */
import type { ServerClock } from "../telegram/clock.ts"
import type { Files } from "./files.ts"
import type { Pace, PaceKind, SlackPace } from "./pace.ts"
import type { Params } from "./params.ts"
import type { Places, SlackPerson } from "./places.ts"
import type { SocketMode } from "./socketMode.ts"

export interface SlackServerOptions {
  /** Default: a made-up one, as is the app-level one. */
  readonly token?: string
  readonly appToken?: string
  /** In ms since 1970. Default: the machine's time. `advance` moves it on. */
  readonly now?: () => number
  /** The bot's name. Default: `reins`. */
  readonly username?: string
  /** Scopes of the bot's token. Default: all that the server's methods and events need. */
  readonly scopes?: ReadonlyArray<string>
  /** Names of the events that the app subscribed to. Default: all that the server knows. */
  readonly events?: ReadonlyArray<string>
  /** How often methods may be called; false: as often as the client likes. */
  readonly pace?: SlackPace | false
  /** How long after `files.completeUploadExternal` the message with the file is there, in ms. Default: 0. */
  readonly sharesAfterMs?: number
  /** Which socket gets an envelope, ≥ 0, < 1. Default: `Math.random`. */
  readonly random?: () => number
}

/** All that a person sees of a press or a command that the app has acknowledged. */
export interface SlackAcknowledgement {
  /** The id of the press. */
  readonly press: string
  /** The text that only this person sees; empty: only the waiting ends. */
  readonly text: string
  /** In ms since 1970. */
  readonly at: number
}

/** An address for answers to a press or a command. */
export interface KeptResponse {
  readonly press: string
  readonly chat: string
  readonly message: string | undefined
  readonly thread: string | undefined
  readonly until: number
  left: number
}

export interface World {
  readonly clock: ServerClock
  readonly team: { readonly id: string; readonly name: string; readonly domain: string }
  readonly me: { readonly id: string; readonly botId: string; readonly appId: string; readonly username: string }
  readonly places: Places
  readonly people: Map<string, SlackPerson>
  readonly sockets: SocketMode
  readonly pace: Pace
  readonly files: Files
  /** By the last part of their address. */
  readonly responses: Map<string, KeptResponse>
  readonly acknowledgements: Array<SlackAcknowledgement>
  readonly scopes: ReadonlyArray<string>
  readonly isGranted: (scope: string) => boolean
  readonly isSubscribed: (event: string) => boolean
  readonly socketMode: { isOn: boolean }
  /** `http://127.0.0.1:<port>`. */
  readonly root: () => string
  readonly sharesAfterMs: number
  readonly notify: () => void
  readonly violated: (method: string, detail: string) => void
}

export interface Method {
  /** `app`: needs the app-level token. */
  readonly token?: "app"
  /** One of them is enough. */
  readonly scopes?: ReadonlyArray<string>
  readonly pace: PaceKind | undefined
  /** Members of the answer; throws a refusal. */
  readonly run: (world: World, params: Params) => Params
}
