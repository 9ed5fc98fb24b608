/** A fake of Slack on loopback, Web API and Socket Mode, with its limits (`slack/limits.ts`), whose people a test moves. */
import { isNodeOk, oldestNode } from "../system/process/nodeVersion.ts"
import { tellEvent } from "./slack/events.ts"
import type { SlackFault } from "./slack/faults.ts"
import { makeHappenings, type SlackHappening, type SlackPlaceOptions } from "./slack/happenings.ts"
import { listen } from "./slack/http.ts"
import { makeWorld } from "./slack/makeWorld.ts"
import { render, type SlackMessage, shownOf } from "./slack/messages.ts"
import { makePeople, type SlackMessageKey, type SlackSaying, type SlackWho } from "./slack/people.ts"
import type { SlackPerson } from "./slack/places.ts"
import type { DisconnectReason } from "./slack/socketMode.ts"
import type { SlackAcknowledgement, SlackServerOptions } from "./slack/world.ts"
import { makeCalls, makeSignal, type TelegramCall, type TelegramViolation } from "./telegram/calls.ts"
import { makeFaults } from "./telegram/faults.ts"
import type { ServerWebSocket } from "./webSocket/serverWebSocket.ts"

export type {
  ServerWebSocket,
  SlackAcknowledgement,
  SlackFault,
  SlackMessage,
  SlackPerson,
  SlackSaying,
  SlackServerOptions
}
/** A call of a method; `download`, `upload` and `response_url` are the other addresses. */
export type SlackCall = TelegramCall
/** A call that a careful client never makes; a press that was not acknowledged within 3 s is one (`limit`). */
export type SlackViolation = TelegramViolation

/** A workspace with one app, and what its people do and see. Closed by `await using`; what is still open is dropped then. */
export interface SlackServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/api`: the root of the Web API. */
  readonly url: string
  /** The bot's, `xoxb-…`. */
  readonly token: string
  /** The app-level one, `xapp-…`. */
  readonly appToken: string
  readonly me: { readonly id: string; readonly botId: string; readonly appId: string; readonly username: string }
  readonly team: { readonly id: string; readonly name: string; readonly domain: string }

  /** A person writes. `@name` is a mention. */
  readonly say: (text: string, options?: SlackSaying) => SlackMessage
  /** A person changes a message. */
  readonly edit: (message: SlackMessageKey, text: string) => void
  /** Slack adds the preview of a link to a message: a change without another text. */
  readonly preview: (message: SlackMessageKey, url: string) => void
  /** A person deletes a message of either side. */
  readonly withdraw: (message: SlackMessageKey) => void
  /** Presses a button as a person, by its label or value; returns the id of the press. Throws for an unknown message. */
  readonly press: (
    message: SlackMessageKey,
    label: string | { readonly data: string },
    options?: { readonly from?: SlackWho }
  ) => string
  /** A person calls a slash command; returns its id, as of a press. */
  readonly command: (text: string, options?: { readonly from?: SlackWho; readonly chat?: string }) => string
  /** Opens a chat in which the bot may write or, by `isMember` and `isArchived`, may not. */
  readonly open: (chat: string, options?: SlackPlaceOptions) => void
  /** The bot is removed from a channel or invited, or the channel is archived. */
  readonly member: (chat: string, happening: SlackHappening, options?: { readonly by?: SlackPerson }) => void
  /** Delivers a made-up event of any kind; `payload` has other members of what is around it, such as `team_id`. */
  readonly hear: (event: Readonly<Record<string, unknown>>, payload?: Readonly<Record<string, unknown>>) => void

  /** Messages of a chat, or of one of its threads with its root, as a person sees them, in order. */
  readonly chat: (id: string, thread?: string) => ReadonlyArray<SlackMessage>
  /** The same as text. */
  readonly render: (id: string, thread?: string) => string
  /** The content of a message's first file; undefined without a file. */
  readonly fileOf: (message: SlackMessageKey) => Uint8Array | undefined
  readonly acknowledgements: () => ReadonlyArray<SlackAcknowledgement>

  /** Fails the next calls of a method (`*`: any), each once; also `download`, `upload`, `response_url`. */
  readonly fail: (method: string, fault: SlackFault, times?: number) => void
  /** From now on the bot's token is refused; the app is told so. */
  readonly revoke: () => void
  /** The app is told that it was uninstalled, and both tokens are refused. */
  readonly uninstall: () => void
  /** Says to all sockets that they end. `refresh_requested`: closed in 10 s; `link_disabled`: at once, and Socket Mode is off. */
  readonly disconnect: (reason: DisconnectReason) => void
  /** Turns Socket Mode off, as `link_disabled` does, or on again. */
  readonly socketMode: (isOn: boolean) => void
  /** The open sockets: each can be cut, hang, and be sent any frame. */
  readonly sockets: () => ReadonlyArray<ServerWebSocket>
  /** Closes the address until `up`. */
  readonly down: () => Promise<void>
  readonly up: () => Promise<void>
  /** Moves the server's time on: pace, repeated events, expiry, pings. */
  readonly advance: (ms: number) => void

  /** All calls, in their order. */
  readonly calls: () => ReadonlyArray<SlackCall>
  /** Calls that a careful client never makes. */
  readonly violations: () => ReadonlyArray<SlackViolation>
  /** The events that wait to be acknowledged or sent again, and how many envelopes were acknowledged. */
  readonly pending: () => ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly confirmed: () => number
  /** Number of open sockets. */
  readonly listeners: () => number
  /** Waits until a look at the server gives something. */
  readonly until: <A>(look: () => A | undefined) => Promise<A>
}

const madeUp = {
  bot: "xoxb-1000000000-2000000000-TESTtokenOfNobody",
  app: "xapp-1-A0TESTAPP-3000000000-TESTtokenOfNobody"
}

const start = async (options: SlackServerOptions = {}): Promise<SlackServer> => {
  if (!isNodeOk(process.version)) throw new Error(`a SlackServer needs Node.js ${oldestNode} or newer`)
  const { token = madeUp.bot, appToken = madeUp.app } = options
  const signal = makeSignal()
  let root = ""
  const faults = makeFaults<SlackFault>()
  const world = makeWorld(options, appToken, {
    root: () => root,
    notify: signal.notify,
    violated: (method, message) => calls.violate(method, { broken: "limit", message })
  })
  const { places, clock, sockets } = world
  const calls = makeCalls(clock.now, signal)
  const people = makePeople(world)
  const happenings = makeHappenings(world)
  let isRevoked = false
  const revoke = () => {
    isRevoked = true
    happenings.tokensRevoked()
  }
  const disconnect = (reason: DisconnectReason) => {
    if (reason === "link_disabled") world.socketMode.isOn = false
    sockets.disconnect(reason)
  }
  const parts = { world, faults, calls, token, appToken, isRevoked: () => isRevoked, revoke, notify: signal.notify }
  const { host, down, up } = await listen(parts, sockets)
  root = `http://${host}`
  /** Waiters look again after each change. */
  const noticed =
    <Arguments extends ReadonlyArray<unknown>, A>(act: (...args: Arguments) => A) =>
    (...args: Arguments): A => {
      const result = act(...args)
      signal.notify()
      return result
    }
  const visible = (id: string, thread?: string) => {
    const place = places.get(id)
    const all = place === undefined ? [] : place.messages.map((message) => shownOf(world, place, message))
    return thread === undefined
      ? all
      : all.filter((message) => message.thread === thread || message.messageId === thread)
  }

  return {
    url: `${root}/api`,
    token,
    appToken,
    me: world.me,
    team: world.team,
    say: noticed(people.say),
    edit: noticed(people.edit),
    preview: noticed(people.preview),
    withdraw: noticed(people.withdraw),
    press: noticed(people.press),
    command: noticed(people.command),
    open: noticed(happenings.open),
    member: noticed(happenings.member),
    hear: noticed((event, payload = {}) => {
      tellEvent(world, event, payload)
    }),
    chat: visible,
    render: (id, thread) => render(visible(id, thread)),
    fileOf: ({ chat: id, messageId }) => {
      const place = places.get(id)
      const [file] = (place === undefined ? undefined : places.messageOf(place, messageId))?.files ?? []
      return file === undefined ? undefined : world.files.contentOf(file.id)
    },
    acknowledgements: () => [...world.acknowledgements],
    fail: (method, fault, times = 1) => faults.add(method, fault, times),
    revoke: noticed(revoke),
    uninstall: noticed(() => {
      isRevoked = true
      world.socketMode.isOn = false
      happenings.uninstalled()
    }),
    disconnect: noticed(disconnect),
    socketMode: noticed((isOn) => {
      if (isOn) world.socketMode.isOn = true
      else disconnect("link_disabled")
    }),
    sockets: sockets.open,
    down,
    up,
    advance: noticed(clock.advance),
    calls: calls.calls,
    violations: calls.violations,
    pending: sockets.pending,
    confirmed: sockets.confirmed,
    listeners: () => sockets.open().length,
    until: signal.until,
    [Symbol.asyncDispose]: async () => {
      clock.close()
      await down()
    }
  }
}

/** `await using slack = await SlackServer.start()`: its `url` and tokens are a client's, the rest is the other side. */
export const SlackServer = { start }
