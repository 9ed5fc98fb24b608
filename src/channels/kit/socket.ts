/** One WebSocket to a service: what it hears goes into a queue. Closed with its scope. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { Deferred, Effect, Queue, type Scope } from "effect"

export type Heard =
  | { readonly _tag: "Text"; readonly text: string }
  /** The service asks whether this end is there; the answer is given already. */
  | { readonly _tag: "Ping" }
  /** Undefined if the connection broke. */
  | { readonly _tag: "Closed"; readonly code: number | undefined }

export interface Socket {
  readonly inbox: Queue.Dequeue<Heard>
  readonly send: (text: string) => void
  /** False as soon as one end has closed it: `Closed` follows when the connection has ended, perhaps much later. */
  readonly isOpen: () => boolean
}

export interface SocketOptions {
  readonly url: string
  /** Code with which this end closes. */
  readonly closeCode: number
}

const connectMs = 15_000
/** In UTF-16 units: frames of services have some thousands, few of them millions. */
const longestFrame = 20_000_000
const mostWaiting = 10_000
const noStatus = 1_005
const broken = 1_006

/** Node's socket answers pings by itself, and tells of them here alone. */
const pings = "undici:websocket:ping"

/** Fails if the address does not answer in time. */
export const openSocket = ({ url, closeCode }: SocketOptions): Effect.Effect<Socket, "unreached", Scope.Scope> =>
  Effect.gen(function* () {
    const inbox = yield* Queue.unbounded<Heard>()
    const opened = yield* Deferred.make<void, "unreached">()
    const socket = yield* Effect.acquireRelease(
      Effect.try({ try: () => new WebSocket(url), catch: () => "unreached" as const }),
      (own) => Effect.sync(() => own.close(closeCode))
    )
    const hear = (heard: Heard) => {
      // Whoever sends faster than it is read is cut off.
      if (Queue.sizeUnsafe(inbox) >= mostWaiting && heard._tag !== "Closed") return socket.close(closeCode)
      Queue.offerUnsafe(inbox, heard)
    }
    socket.addEventListener("open", () => Deferred.doneUnsafe(opened, Effect.void))
    // Programs are not told the reason of an error; `close` follows.
    socket.addEventListener("error", () => Deferred.doneUnsafe(opened, Effect.fail("unreached")))
    socket.addEventListener("close", ({ code }) => {
      Deferred.doneUnsafe(opened, Effect.fail("unreached"))
      hear({ _tag: "Closed", code: code === noStatus || code === broken ? undefined : code })
    })
    socket.addEventListener("message", ({ data }: { readonly data: unknown }) => {
      if (typeof data !== "string" || data.length > longestFrame) return socket.close(closeCode)
      hear({ _tag: "Text", text: data })
    })
    const onPing = (message: unknown) => {
      if ((message as { readonly websocket?: unknown }).websocket === socket) hear({ _tag: "Ping" })
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => subscribe(pings, onPing)),
      () => Effect.sync(() => void unsubscribe(pings, onPing))
    )
    yield* Effect.timeoutOrElse(Deferred.await(opened), {
      duration: connectMs,
      orElse: () => Effect.fail("unreached" as const)
    })
    return {
      inbox,
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text)
      },
      isOpen: () => socket.readyState === WebSocket.OPEN
    }
  })
