/**
 * A WebSocket client as a stream of texts: Node's own `WebSocket` through Effect's `Socket`. Ended by a deadline while it
 * opens, by silence of the other side, by a message that is too large, or with its scope: at once, whatever the other side
 * does. Addresses can be secrets: no failure has one.
 */
import { randomUUID } from "node:crypto"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { Socket as Connection } from "node:net"
import { Deferred, Effect, Latch, Predicate, type Scope, Stream } from "effect"
import { Socket } from "effect/socket"

export type SocketFailure =
  /** The handshake was refused, took too long, or no one listens. */
  | { readonly _tag: "NotOpened" }
  /** `code`: that of the other side; 1006 without one. */
  | { readonly _tag: "Closed"; readonly code: number }
  /** Neither a message nor a ping came for too long. */
  | { readonly _tag: "Silent" }
  | { readonly _tag: "TooLarge" }

export interface SocketOptions {
  readonly url: string
  /** Longest time without a message or ping. */
  readonly silentMs: number
  /** Default: 15 s. */
  readonly openMs?: number
  /** Largest message. Default: 5,000,000. */
  readonly mostBytes?: number
  /** Close code with which it ends. Default: 1000. */
  readonly closeCode?: number
}

export interface OpenSocket {
  /** Texts as they come, for one reader. Messages that are not texts are dropped. */
  readonly texts: Stream.Stream<string, SocketFailure>
  readonly send: (text: string) => Effect.Effect<void, SocketFailure>
}

const notOpened: SocketFailure = { _tag: "NotOpened" }
const cut: SocketFailure = { _tag: "Closed", code: 1006 }

const failureOf = ({ reason }: Socket.SocketError): SocketFailure => {
  if (reason._tag === "SocketOpenError") return notOpened
  return reason._tag === "SocketCloseError" ? { _tag: "Closed", code: reason.code } : cut
}

/** Node reports pings, and the connection below a WebSocket, only on its diagnostics channels. */
const diagnostics = (name: string, listener: (message: unknown) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => subscribe(name, listener)),
    () => Effect.sync(() => unsubscribe(name, listener))
  )

/** By it a connection is known as that of one WebSocket. */
const idHeader = "x-connection-id"

/** For the close frame to be written; a peer that does not read would keep the connection. */
const closingMs = 1_000

const drop = (connection: Connection | undefined) => {
  connection?.destroySoon()
  setTimeout(() => connection?.destroy(), closingMs).unref()
}

/** Fails with `NotOpened`, or with `Closed` if the other side closes it at once. */
export const openSocket = Effect.fnUntraced(function* (
  options: SocketOptions
): Effect.fn.Return<OpenSocket, SocketFailure, Scope.Scope> {
  const { url, silentMs, openMs = 15_000, mostBytes = 5_000_000, closeCode = 1_000 } = options
  const ended = yield* Deferred.make<never, SocketFailure>()
  const alive = Latch.makeUnsafe(false)
  const id = randomUUID()
  let connection: Connection | undefined
  let webSocket: WebSocket | undefined
  /** Since the last message. */
  let bytes = 0

  const tooLarge = () => Deferred.doneUnsafe(ended, Effect.fail<SocketFailure>({ _tag: "TooLarge" }))
  const count = (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > mostBytes) tooLarge()
  }
  const onMessage = ({ data }: MessageEvent) => {
    bytes = 0
    alive.openUnsafe()
    // Compressed ones are larger than what was counted.
    if (Predicate.isString(data) && data.length > mostBytes) tooLarge()
  }

  yield* diagnostics("undici:client:sendHeaders", (message) => {
    if (!Predicate.hasProperty(message, "headers") || !Predicate.hasProperty(message, "socket")) return
    if (message.socket instanceof Connection && String(message.headers).includes(id)) connection = message.socket
  })
  yield* diagnostics("undici:websocket:ping", (message) => {
    if (Predicate.hasProperty(message, "websocket") && message.websocket === webSocket) alive.openUnsafe()
  })

  const acquire = Effect.acquireRelease(
    Effect.try({
      try: () => {
        webSocket = new WebSocket(url, { headers: { [idHeader]: id } })
        webSocket.addEventListener("message", onMessage)
        return webSocket
      },
      catch: (cause) => new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })
    }),
    (opened) =>
      Effect.sync(() => {
        opened.close(closeCode)
        drop(connection)
      })
  )
  const socket = yield* Socket.fromWebSocket(acquire, { openTimeout: openMs, highWaterMark: 4 * mostBytes })
  const { pull } = yield* Effect.mapError(socket.reader, failureOf)
  const { write } = yield* socket.writer
  connection?.on("data", count)

  yield* Effect.suspend(() => {
    alive.closeUnsafe()
    return alive.await
  }).pipe(
    Effect.timeoutOrElse({ duration: silentMs, orElse: () => Effect.fail<SocketFailure>({ _tag: "Silent" }) }),
    Effect.forever,
    Effect.catch((silent) => Deferred.fail(ended, silent)),
    Effect.forkScoped
  )

  return {
    texts: Stream.fromPull(Effect.succeed(pull)).pipe(
      Stream.mapError(failureOf),
      Stream.filter(Predicate.isString),
      Stream.interruptWhen(Deferred.await(ended))
    ),
    send: (text) =>
      Effect.suspend(() =>
        // Effect's socket would wait for the next connection.
        webSocket?.readyState === WebSocket.OPEN ? Effect.mapError(write(text), failureOf) : Effect.fail(cut)
      )
  }
})
