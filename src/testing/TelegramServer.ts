/** A fake of Telegram's Bot API on loopback, with its limits (`telegram/limits.ts`), whose people a test moves. */
import { isNodeOk, oldestNode } from "../system/process/nodeVersion.ts"
import { makeCalls, makeSignal, type TelegramCall, type TelegramViolation } from "./telegram/calls.ts"
import type { TelegramDraft } from "./telegram/drafts.ts"
import { makeFaults, type TelegramFault } from "./telegram/faults.ts"
import { type ChatOptions, type Happening, makeHappenings, type TopicState } from "./telegram/happenings.ts"
import { listen } from "./telegram/http.ts"
import { limits } from "./telegram/limits.ts"
import { render, shownOf, type TelegramMessage } from "./telegram/messages.ts"
import { commandScope } from "./telegram/methods/account.ts"
import { type MessageKey, makePeople, type TelegramSaying, type Who } from "./telegram/people.ts"
import { unauthorized } from "./telegram/refusal.ts"
import type { Entity } from "./telegram/wire.ts"
import {
  makeWorld,
  type TelegramAcknowledgement,
  type TelegramCommand,
  type TelegramServerOptions
} from "./telegram/world.ts"

export type { Person as TelegramPerson } from "./telegram/chats.ts"
export type {
  TelegramAcknowledgement,
  TelegramCall,
  TelegramCommand,
  TelegramDraft,
  TelegramFault,
  TelegramMessage,
  TelegramSaying,
  TelegramServerOptions,
  TelegramViolation
}

/** A Bot API, and what its people do and see. Closed by `await using`; what is still open is dropped then. */
export interface TelegramServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`: the `apiRoot` of a client. */
  readonly url: string
  readonly token: string
  readonly me: { readonly id: number; readonly username: string }

  /** A person writes. */
  readonly say: (text: string, options?: TelegramSaying) => TelegramMessage
  /** A person changes a message. */
  readonly edit: (message: MessageKey, text: string, entities?: ReadonlyArray<Entity>) => void
  /** A person deletes a message of either side; Telegram tells a bot nothing of it. */
  readonly withdraw: (message: MessageKey) => void
  /** Presses a button as a person, by its label or data; returns the id of the press. Throws for an unknown message. */
  readonly press: (
    message: MessageKey,
    label: string | { readonly data: string },
    options?: { readonly from?: Who }
  ) => string
  /** Presses the button below the draft of a private chat, or of a topic there. Throws without such a button. */
  readonly stopDraft: (chat: number, thread?: number) => void
  /** Opens a chat in which the bot may write or, by `bot`, may not. */
  readonly open: (chat: number, options?: ChatOptions) => void
  /** Changes the state of the bot in a chat, or of the person `who`. */
  readonly member: (chat: number, happening: Happening, options?: { readonly who?: Who; readonly by?: Who }) => void
  /** A group becomes a supergroup; gives its new id. */
  readonly migrate: (chat: number) => number
  /** A topic is opened, closed or deleted. */
  readonly topic: (chat: number, thread: number, state: TopicState, name?: string) => void
  /**
   * Delivers a made-up update of any kind; returns its id. Later ones are counted from its `update_id`: far below the
   * others it is as after a week of silence, when Telegram begins anew.
   */
  readonly hear: (update: Readonly<Record<string, unknown>>) => number

  /** Messages of a chat, or of one of its topics, as a person sees them, in order. */
  readonly chat: (id: number, thread?: number) => ReadonlyArray<TelegramMessage>
  /** The draft in a private chat, or in one of its topics, as a person sees it now. */
  readonly draft: (id: number, thread?: number) => TelegramDraft | undefined
  /** The messages as text. */
  readonly render: (id: number, thread?: number) => string
  /** The content of a message's file; undefined without a file. */
  readonly fileOf: (message: MessageKey) => Uint8Array | undefined
  /** The commands that are offered. `scope`: as in `setMyCommands`. */
  readonly commands: (scope?: Readonly<Record<string, unknown>>, language?: string) => ReadonlyArray<TelegramCommand>
  readonly acknowledgements: () => ReadonlyArray<TelegramAcknowledgement>

  /** Fails the next calls of a method (`*`: any), each once. `download`: a file hangs, is cut, or is missing. */
  readonly fail: (method: string, fault: TelegramFault, times?: number) => void
  /** From now on the token is refused, in open calls as well. */
  readonly revoke: () => void
  /** Closes the address until `up`. */
  readonly down: () => Promise<void>
  readonly up: () => Promise<void>
  /** Moves the server's time on: pace, expiry of updates, links and presses, polls. */
  readonly advance: (ms: number) => void

  /** All calls, in their order. */
  readonly calls: () => ReadonlyArray<TelegramCall>
  /** Calls that a careful client never makes. */
  readonly violations: () => ReadonlyArray<TelegramViolation>
  /** The updates that wait to be confirmed, and how many are. */
  readonly pending: () => ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly confirmed: () => number
  /** Number of pending polls. */
  readonly listeners: () => number
  /** Waits until a look at the server gives something. */
  readonly until: <A>(look: () => A | undefined) => Promise<A>
}

const madeUp = "123456:TEST-this-is-no-token-of-anybody-00"

const start = async (options: TelegramServerOptions = {}): Promise<TelegramServer> => {
  if (!isNodeOk(process.version)) throw new Error(`a TelegramServer needs Node.js ${oldestNode} or newer`)
  const token = options.token ?? madeUp
  const world = makeWorld(options, token, limits.acknowledgementMs)
  const { chats, updates, clock } = world
  const [signal, faults] = [makeSignal(), makeFaults()]
  const calls = makeCalls(clock.now, signal)
  let isRevoked = false
  const revoke = () => {
    isRevoked = true
    updates.refuse(unauthorized())
  }
  const parts = { world, faults, calls, isRevoked: () => isRevoked, revoke, notify: signal.notify }
  const { url, down, up } = await listen(parts, token)
  /** Waiters look again after each change. */
  const noticed =
    <Arguments extends ReadonlyArray<unknown>, A>(act: (...args: Arguments) => A) =>
    (...args: Arguments): A => {
      const result = act(...args)
      signal.notify()
      return result
    }
  const people = makePeople(world)
  const happenings = makeHappenings(world)
  const visible = (id: number, thread?: number) => {
    const chat = chats.get(id)
    const all = chat === undefined ? [] : chat.messages.map((message) => shownOf(chat, message))
    return thread === undefined ? all : all.filter((message) => message.thread === thread)
  }

  return {
    url,
    token,
    me: { id: world.me.id, username: world.me.username },
    say: noticed(people.say),
    edit: noticed(people.edit),
    withdraw: noticed(people.withdraw),
    press: noticed(people.press),
    stopDraft: noticed(people.stopDraft),
    open: noticed(happenings.open),
    member: noticed(happenings.member),
    migrate: noticed(happenings.migrate),
    topic: noticed(happenings.topic),
    hear: noticed((update) => updates.push(update, true)),
    chat: visible,
    draft: (id, thread) => world.drafts.of({ id }, thread),
    render: (id, thread) => render(visible(id, thread)),
    fileOf: ({ chat: id, messageId }) => {
      const chat = chats.get(id)
      const file = chat === undefined ? undefined : chats.messageOf(chat, messageId)?.file
      return file === undefined ? undefined : world.files.contentOf(file.fileId)
    },
    commands: (scope, language = "") => world.commands.get(commandScope(scope, language)) ?? [],
    acknowledgements: () => [...world.acknowledgements],
    fail: (method, fault, times = 1) => faults.add(method, fault, times),
    revoke,
    down,
    up,
    advance: noticed(clock.advance),
    calls: calls.calls,
    violations: calls.violations,
    pending: updates.pending,
    confirmed: updates.confirmed,
    listeners: () =>
      calls.calls().filter((call) => call.outcome === "open" && call.method.toLowerCase() === "getupdates").length,
    until: signal.until,
    [Symbol.asyncDispose]: async () => {
      clock.close()
      await down()
    }
  }
}

/** `await using tg = await TelegramServer.start()`: its `url` and `token` are a client's, the rest is the other side. */
export const TelegramServer = { start }
