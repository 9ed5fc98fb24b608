/** A fake of Discord's REST API and gateway on loopback, with their limits (`discord/limits.ts`), whose people a test moves. */
import { isNodeOk, oldestNode } from "../system/process/nodeVersion.ts"
import { type DiscordFault, makeFaults } from "./discord/faults.ts"
import { makeGateway } from "./discord/gateway.ts"
import { listen } from "./discord/http.ts"
import { limits } from "./discord/limits.ts"
import { type DiscordMessage, render, shownOf } from "./discord/messages.ts"
import { type ChannelOptions, type DiscordSaying, type MessageKey, makePeople, type Who } from "./discord/people.ts"
import {
  type DiscordAcknowledgement,
  type DiscordCommand,
  type DiscordServerOptions,
  makeWorld
} from "./discord/world.ts"
import { makeCalls, makeSignal, type TelegramCall, type TelegramViolation } from "./telegram/calls.ts"

export type { Person as DiscordPerson } from "./discord/channels.ts"
export type {
  DiscordAcknowledgement,
  DiscordCommand,
  DiscordFault,
  DiscordMessage,
  DiscordSaying,
  DiscordServerOptions
}

/** A call of a route, such as `createMessage`, or a `download`; `params` has the ids of its path and its body. */
export type DiscordCall = TelegramCall
/** A call or an IDENTIFY (`gateway`) that a careful client never makes. */
export type DiscordViolation = TelegramViolation

/** An API and a gateway, and what people do and see there. Closed by `await using`; what is still open is dropped then. */
export interface DiscordServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/api`: the `apiRoot` of the channel, and the `api` of other clients. */
  readonly url: string
  readonly token: string
  readonly me: { readonly id: string; readonly username: string }

  /** A person writes. */
  readonly say: (text: string, options?: DiscordSaying) => DiscordMessage
  /** A person changes a message. */
  readonly edit: (message: MessageKey, text: string) => void
  /** Discord adds a link preview to a message: an update without a new text. */
  readonly preview: (message: MessageKey) => void
  /** The gateway tells of a message once more. */
  readonly repeat: (message: MessageKey) => void
  /** A person deletes a message of either side. */
  readonly withdraw: (message: MessageKey) => void
  /** Presses a button as a person, by its label or data; returns the id of the press. Throws for an unknown message. */
  readonly press: (
    message: MessageKey,
    label: string | { readonly data: string },
    options?: { readonly from?: Who }
  ) => string
  /** A person uses a command of the bot's menu; returns the id of the interaction. */
  readonly command: (
    name: string,
    options?: { readonly from?: Who; readonly channel?: string; readonly text?: string }
  ) => string
  /** Opens a channel of a server, or changes what the bot can do in a channel, thread or direct chat. */
  readonly open: (channel: string, options?: ChannelOptions) => void
  /** The id of the direct chat with a person. Default: Ann, 100000000000001001. */
  readonly direct: (who?: Who) => string
  /** A person opens a thread at a message, or without one in a channel; returns its id. */
  readonly thread: (
    at: MessageKey | { readonly channel: string },
    options?: { readonly name?: string; readonly from?: Who }
  ) => string
  /** A thread is archived: nothing can be written there until it is opened again. */
  readonly archive: (thread: string) => void
  /** A channel or a thread is deleted. */
  readonly close: (channel: string) => void
  /** The bot is removed from a server. Default: 300000000000000001, the one of `open`. */
  readonly removed: (guild?: string) => void
  /** Tells a made-up event of the gateway. */
  readonly hear: (event: string, data: unknown) => void

  /** Messages of a channel, a thread or a direct chat as a person sees them, in order. */
  readonly chat: (channel: string) => ReadonlyArray<DiscordMessage>
  /** The same as text. */
  readonly render: (channel: string) => string
  /** The content of a message's first file; undefined without a file. */
  readonly fileOf: (message: MessageKey) => Uint8Array | undefined
  /** The name of a channel or a thread; undefined if it is missing. */
  readonly nameOf: (channel: string) => string | undefined
  /** The commands that are offered. */
  readonly commands: () => ReadonlyArray<DiscordCommand>
  readonly acknowledgements: () => ReadonlyArray<DiscordAcknowledgement>

  /** Fails the next calls of a route (`*`: any), each once. `download`: a file hangs, is cut, or is missing. */
  readonly fail: (method: string, fault: DiscordFault, times?: number) => void
  /** From now on the token is refused, and the gateway closes. */
  readonly revoke: () => void
  /** Closes the address, and breaks all connections, until `up`. */
  readonly down: () => Promise<void>
  readonly up: () => Promise<void>
  /** Moves the server's time on: pace, nonces, presses, links, sessions, heartbeats. */
  readonly advance: (ms: number) => void
  readonly gateway: {
    /** Closes every connection with a code; without one it breaks. */
    readonly cut: (code?: number) => void
    /** Asks every client to connect anew and to resume (op 7). */
    readonly reconnect: () => void
    /** Tells every client that its session is over, or may be resumed (op 9). */
    readonly invalidate: (isResumable?: boolean) => void
    /** Asks every client for a heartbeat at once (op 1). */
    readonly askHeartbeat: () => void
    /** The connections of now stay open, and are dead. */
    readonly freeze: () => void
    /** Sessions without a connection are over. */
    readonly forget: () => void
    /** How many IDENTIFYs there were in the last day. */
    readonly identifies: () => number
    /** Open connections, with a session or without. */
    readonly connections: () => number
  }

  /** All calls, in their order. */
  readonly calls: () => ReadonlyArray<DiscordCall>
  /** Calls that a careful client never makes. */
  readonly violations: () => ReadonlyArray<DiscordViolation>
  /** Number of connections with a session. */
  readonly listeners: () => number
  /** Waits until a look at the server gives something. */
  readonly until: <A>(look: () => A | undefined) => Promise<A>
}

const botId = "200000000000000001"
const madeUp = (id: string) => `${Buffer.from(id).toString("base64url")}.TEST00.this-is-no-token-of-anybody-00`

const start = async (options: DiscordServerOptions = {}): Promise<DiscordServer> => {
  if (!isNodeOk(process.version)) throw new Error(`a DiscordServer needs Node.js ${oldestNode} or newer`)
  const id = options.botId ?? botId
  const token = options.token ?? madeUp(id)
  const world = makeWorld(options, id)
  const { channels, clock } = world
  const [signal, faults] = [makeSignal(), makeFaults()]
  const calls = makeCalls(clock.now, signal)
  const people = makePeople(world)
  let isRevoked = false
  const revoke = () => {
    isRevoked = true
    gateway.revoked()
  }
  const parts = { world, faults, calls, isRevoked: () => isRevoked, revoke, notify: signal.notify }
  const { heartbeatMs = limits.heartbeatMs } = options
  const gateway = makeGateway({ ...parts, token, heartbeatMs, guildsOf: people.guildsOf })
  const { url, down, up } = await listen(parts, token, gateway)
  /** Waiters look again after each change. */
  const noticed =
    <Arguments extends ReadonlyArray<unknown>, A>(act: (...args: Arguments) => A) =>
    (...args: Arguments): A => {
      const result = act(...args)
      signal.notify()
      return result
    }
  const visible = (channelId: string) => {
    const channel = channels.get(channelId)
    return channel === undefined ? [] : channel.messages.map((message) => shownOf(world, channel, message))
  }

  return {
    url,
    token,
    me: { id: world.me.id, username: world.me.username },
    say: noticed(people.say),
    edit: noticed(people.edit),
    preview: noticed(people.preview),
    repeat: noticed(people.repeat),
    withdraw: noticed(people.withdraw),
    press: noticed(people.press),
    command: noticed(people.command),
    open: noticed(people.open),
    direct: people.direct,
    thread: noticed(people.thread),
    archive: noticed(people.archive),
    close: noticed(people.close),
    removed: noticed(people.removed),
    hear: noticed(gateway.hear),
    chat: visible,
    render: (channel) => render(visible(channel)),
    fileOf: ({ channel: at, messageId }) => {
      const channel = channels.get(at)
      return channel === undefined ? undefined : channels.messageOf(channel, messageId)?.files[0]?.content
    },
    nameOf: (channel) => channels.get(channel)?.name,
    commands: () => world.commands.all,
    acknowledgements: () => [...world.acknowledgements],
    fail: (method, fault, times = 1) => faults.add(method, fault, times),
    revoke,
    down,
    up,
    advance: noticed(clock.advance),
    gateway: {
      cut: noticed(gateway.cut),
      reconnect: noticed(gateway.reconnect),
      invalidate: noticed(gateway.invalidate),
      askHeartbeat: noticed(gateway.askHeartbeat),
      freeze: gateway.freeze,
      forget: noticed(gateway.forget),
      identifies: gateway.identifies,
      connections: gateway.connections
    },
    calls: calls.calls,
    violations: calls.violations,
    listeners: gateway.listeners,
    until: signal.until,
    [Symbol.asyncDispose]: async () => {
      clock.close()
      await down()
    }
  }
}

/** `await using discord = await DiscordServer.start()`: its `url` and `token` are a client's, the rest is the other side. */
export const DiscordServer = { start }
