/** One WebSocket: what it hears goes into a queue. Closed with its scope, so that the session can be resumed. */
import { Deferred, Effect, Queue, type Scope } from "effect"

export type Heard =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Closed"; readonly code: number | undefined }

export interface Socket {
  readonly inbox: Queue.Dequeue<Heard>
  readonly send: (text: string) => void
}

const connectMs = 15_000
/** A frame of Discord has a few thousand; that of a large server some millions. */
const longestFrame = 20_000_000
/** Any code but 1000 and 1001 keeps the session. */
export const keepingCode = 4_900
const noStatus = 1_005
const broken = 1_006

/** Fails where the address does not answer in time. */
export const openSocket = (url: string): Effect.Effect<Socket, "unreached", Scope.Scope> =>
  Effect.gen(function* () {
    const inbox = yield* Queue.unbounded<Heard>()
    const opened = yield* Deferred.make<void, "unreached">()
    const socket = yield* Effect.acquireRelease(
      Effect.try({ try: () => new WebSocket(url), catch: () => "unreached" as const }),
      (own) => Effect.sync(() => own.close(keepingCode))
    )
    socket.addEventListener("open", () => Deferred.doneUnsafe(opened, Effect.void))
    // The reason of an error is not told to programs; `close` follows.
    socket.addEventListener("error", () => Deferred.doneUnsafe(opened, Effect.fail("unreached")))
    socket.addEventListener("close", ({ code }) => {
      Deferred.doneUnsafe(opened, Effect.fail("unreached"))
      Queue.offerUnsafe(inbox, { _tag: "Closed", code: code === noStatus || code === broken ? undefined : code })
    })
    socket.addEventListener("message", ({ data }: { readonly data: unknown }) => {
      if (typeof data !== "string" || data.length > longestFrame) return socket.close(keepingCode)
      Queue.offerUnsafe(inbox, { _tag: "Text", text: data })
    })
    yield* Effect.timeoutOrElse(Deferred.await(opened), {
      duration: connectMs,
      orElse: () => Effect.fail("unreached" as const)
    })
    return {
      inbox,
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text)
      }
    }
  })
