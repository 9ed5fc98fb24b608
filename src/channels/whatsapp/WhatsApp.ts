/** WhatsApp as a channel of the bridge: one phone number of the Cloud API, whose news come to a webhook. */
import { Clock, Deferred, Effect, type Scope, Stream } from "effect"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { ChannelError, SendError } from "../../bridge/messages/SendError.ts"
import { isPersonOn } from "../../contract/peopleOfChannels.ts"
import { untraced } from "../../contract/untraced.ts"
import { httpServer, type ListenRefused, type PortTaken } from "../kit/HttpServer.ts"
import { makeClient } from "./calls/client.ts"
import { isTokenRefused } from "./calls/failure.ts"
import { makeCheck, tokenHelp } from "./check.ts"
import { makeDecode } from "./incoming/decode.ts"
import { makeDownload } from "./incoming/download.ts"
import { makeInbox } from "./incoming/inbox.ts"
import { makeHandler } from "./incoming/webhook.ts"
import { limits, render } from "./outgoing/render.ts"
import { makeChats, makeWrite } from "./outgoing/write.ts"
import {
  channelId,
  checkListen,
  checkWhatsApp,
  type WhatsAppListenOptions,
  type WhatsAppOptions
} from "./WhatsAppOptions.ts"

export interface WhatsApp {
  /** For `serve` of the bridge. */
  readonly channel: Channel
  /** For the path of the callback URL in an application's own server. Never rejects. */
  readonly handler: (request: Request) => Promise<Response>
}

/** A send cannot be looked for: its receipt may come for so long. */
const unknown = new SendError({ reason: { _tag: "Unknown" } })

/** Fails if the token is refused. While WhatsApp cannot be reached, sends are repeated. */
const make = Effect.fn(...untraced("WhatsApp.make"))(function* (
  options: WhatsAppOptions
): Effect.fn.Return<WhatsApp, ChannelError> {
  const checked = yield* Effect.fromResult(checkWhatsApp(options))
  const { phone } = checked
  const ended = yield* Deferred.make<never, ChannelError>()
  const tokenRefused = new ChannelError({
    channel: channelId,
    accountId: phone,
    problem: "WhatsApp refuses the token",
    help: `${tokenHelp} Then start again.`
  })
  const client = makeClient(checked, Effect.asVoid(Deferred.fail(ended, tokenRefused)))
  yield* Effect.catch(client.get(`${phone}?fields=display_phone_number`), (failure) =>
    isTokenRefused(failure)
      ? Effect.fail(tokenRefused)
      : Effect.logWarning("WhatsApp does not give the number yet; `reins doctor` says more")
  )
  const [inbox, chats] = [makeInbox(), makeChats()]
  const clock = yield* Clock.Clock
  let lastPostAt: number | undefined
  const handler = yield* makeHandler({
    ...checked,
    inbox,
    decode: makeDecode(phone),
    onPost: Effect.sync(() => {
      lastPostAt = clock.currentTimeMillisUnsafe()
    })
  })
  const channel: Channel = {
    id: channelId,
    accountId: phone,
    limits,
    isPerson: isPersonOn.whatsapp,
    incoming: () =>
      inbox.incoming.pipe(
        Stream.tap((update) => Effect.sync(() => chats.hear(update))),
        Stream.interruptWhen(Deferred.await(ended))
      ),
    render,
    ...makeWrite({ phone, client, chats }),
    find: () => Effect.fail(unknown),
    // Nothing waits for it there.
    acknowledge: () => Effect.void,
    check: makeCheck({ ...checked, client, lastPostAt: () => lastPostAt }),
    download: makeDownload({ ...checked, client, mostBytes: limits.downloadBytes })
  }
  return { channel, handler }
})

export interface ListeningWhatsApp extends Channel {
  readonly port: number
}

const mostConnections = 200
const requestMs = 30_000

/** A channel with a server of its own, which answers one path and nothing else, until the scope closes. */
const listen = Effect.fn(...untraced("WhatsApp.listen"))(function* (
  options: WhatsAppListenOptions
): Effect.fn.Return<ListeningWhatsApp, ChannelError | PortTaken | ListenRefused, Scope.Scope> {
  const { port: requested, host: address, path: place, ...own } = options
  const { port, host, path } = yield* Effect.fromResult(checkListen({ port: requested, host: address, path: place }))
  const { channel, handler } = yield* make(own)
  const bound = yield* httpServer({ host, port, mostConnections, requestMs }, async (request) =>
    new URL(request.url).pathname === path ? handler(request) : new Response(null, { status: 404 })
  )
  return { ...channel, port: bound }
})

/** `make` for an application's own server, `listen` for one of its own. Both need a public address that leads there. */
export const WhatsApp = { make, listen }
