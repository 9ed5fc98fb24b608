/**
 * Socket Mode: one socket after the other, without a gap where Slack asks for the next one. Envelopes of events are
 * acknowledged by whoever has taken them in; presses and commands come once, and are acknowledged at once.
 */
import { Clock, Deferred, Effect, Exit, Option, Queue, Scope } from "effect"
import { ChannelError } from "../../../bridge/messages/SendError.ts"
import { monotonicMillisOf } from "../../../system/hostClock.ts"
import { makeBackOff } from "../../kit/backOff.ts"
import { openSocket, type Socket } from "../../kit/socket.ts"
import type { Client } from "../calls/client.ts"
import { channelId } from "../SlackOptions.ts"
import { type Envelope, readFrame, readOpened } from "./wire.ts"

export type SocketEvent =
  /** A socket is open. `isGap`: something may have been missed before. */
  | { readonly _tag: "Connected"; readonly isGap: boolean }
  | { readonly _tag: "Envelope"; readonly envelope: Envelope; readonly acknowledge: Effect.Effect<void> }

/** Slack pings every few seconds. */
const deafMs = 60_000
/** Slack closes a socket, and leaves the connection to this end. */
const lookMs = 2_000
const helloMs = 15_000
const normalClosure = 1_000

/** `refresh`: it is to be replaced, and still works. */
type Over = "refresh" | "closed"

interface Connection {
  readonly over: Deferred.Deferred<Over, ChannelError>
  readonly isAlive: () => boolean
  readonly scope: Scope.Closeable
}

const socketModeOff = (accountId: string) =>
  new ChannelError({
    channel: channelId,
    accountId,
    problem: "Socket Mode of the app is off",
    help: "Turn it on (https://api.slack.com/apps, the app, Socket Mode), and start again."
  })

/** Fails where Slack refuses sockets for good. */
const refusals: Readonly<Record<string, (accountId: string) => ChannelError>> = {
  link_disabled: socketModeOff,
  not_allowed_token_type: (accountId) =>
    new ChannelError({
      channel: channelId,
      accountId,
      problem: "appToken is not an app-level token",
      help: "Make one with the scope connections:write (https://api.slack.com/apps, Basic Information, App-Level Tokens): it begins with xapp-."
    }),
  missing_scope: (accountId) =>
    new ChannelError({
      channel: channelId,
      accountId,
      problem: "the app-level token lacks the scope connections:write",
      help: "Add it (https://api.slack.com/apps, Basic Information, App-Level Tokens), or make another token."
    })
}

export interface SocketsOptions {
  readonly client: Pick<Client, "call">
  readonly accountId: string
  readonly events: Queue.Queue<SocketEvent>
  /** Of how many sockets of the app Slack told. */
  readonly onHello: (connections: number | undefined) => void
}

/** Never ends by itself. */
export const runSockets = Effect.fnUntraced(function* ({
  client,
  accountId,
  events,
  onHello
}: SocketsOptions): Effect.fn.Return<never, ChannelError, Scope.Scope> {
  const outer = yield* Effect.scope
  const clock = yield* Clock.Clock
  const backOff = makeBackOff("Slack", monotonicMillisOf(clock))

  const acknowledgeBy = (socket: Socket, { envelope_id }: Envelope) =>
    Effect.sync(() => socket.send(JSON.stringify({ envelope_id })))

  const hear = (socket: Socket, over: Connection["over"], text: string) =>
    Effect.gen(function* () {
      const frame = Option.getOrUndefined(readFrame(text))
      if (frame === undefined) return
      if ("envelope_id" in frame) {
        const acknowledge = acknowledgeBy(socket, frame)
        if (frame.type !== "events_api") yield* acknowledge
        yield* Queue.offer(events, { _tag: "Envelope", envelope: frame, acknowledge })
      } else if (frame.type === "disconnect") {
        if (frame.reason === "link_disabled") yield* Deferred.fail(over, socketModeOff(accountId))
        else yield* Deferred.succeed(over, frame.reason === "too_many_websockets" ? "closed" : "refresh")
      }
    })

  /** Ends with the socket: closed, or deaf. */
  const read = (socket: Socket, over: Connection["over"]) =>
    Effect.gen(function* () {
      for (let silentMs = 0; silentMs < deafMs; ) {
        const heard = yield* Effect.timeoutOption(Queue.take(socket.inbox), lookMs)
        silentMs = Option.isSome(heard) ? 0 : silentMs + lookMs
        if (Option.isNone(heard)) {
          if (!socket.isOpen()) return
        } else if (heard.value._tag === "Closed") return
        else if (heard.value._tag === "Text") yield* hear(socket, over, heard.value.text)
      }
    })

  const helloOf = (socket: Socket) =>
    Effect.gen(function* () {
      for (;;) {
        const heard = yield* Queue.take(socket.inbox)
        if (heard._tag === "Closed") return yield* Effect.fail("unreached" as const)
        const frame = heard._tag === "Text" ? Option.getOrUndefined(readFrame(heard.text)) : undefined
        if (frame !== undefined && "type" in frame && frame.type === "hello") return frame
        if (frame !== undefined && "reason" in frame && frame.reason === "link_disabled")
          return yield* socketModeOff(accountId)
        if (frame !== undefined && "reason" in frame) return yield* Effect.fail("unreached" as const)
      }
    }).pipe(Effect.timeoutOrElse({ duration: helloMs, orElse: () => Effect.fail("unreached" as const) }))

  /** One attempt. */
  const attempt = Effect.fnUntraced(function* (scope: Scope.Closeable) {
    const answer = yield* Effect.mapError(client.call("apps.connections.open", {}, { token: "app" }), (failure) => {
      const refusal = failure._tag === "Refused" ? refusals[failure.error]?.(accountId) : undefined
      return refusal ?? ("unreached" as const)
    })
    const opened = Option.getOrUndefined(readOpened(answer))
    if (opened === undefined || !/^wss?:\/\//.test(opened.url)) return yield* Effect.fail("unreached" as const)
    const socket = yield* Scope.provide(openSocket({ url: opened.url, closeCode: normalClosure }), scope)
    onHello((yield* helloOf(socket)).num_connections ?? undefined)
    const over = yield* Deferred.make<Over, ChannelError>()
    let isAlive = true
    const reading = Effect.ensuring(
      read(socket, over),
      Effect.suspend(() => {
        isAlive = false
        return Deferred.succeed(over, "closed")
      })
    )
    yield* Effect.forkIn(reading, scope)
    return { over, isAlive: () => isAlive, scope } satisfies Connection
  })

  /** Until it succeeds. */
  const connect: Effect.Effect<Connection, ChannelError> = Effect.gen(function* () {
    for (;;) {
      const scope = yield* Scope.fork(outer)
      const made = yield* Effect.result(attempt(scope))
      if (made._tag === "Success") {
        const line = backOff.reached(monotonicMillisOf(clock))
        if (line !== undefined) yield* Effect.logInfo(line)
        return made.success
      }
      yield* Scope.close(scope, Exit.void)
      if (made.failure !== "unreached") return yield* made.failure
      const { waitMs, line } = backOff.failed(monotonicMillisOf(clock))
      if (line !== undefined) yield* Effect.logWarning(line)
      yield* Effect.sleep(waitMs)
    }
  })

  let current: Connection | undefined
  for (;;) {
    const next: Connection = yield* connect
    const isGap = current?.isAlive() !== true
    if (current !== undefined) yield* Scope.close(current.scope, Exit.void)
    current = next
    yield* Queue.offer(events, { _tag: "Connected", isGap })
    yield* Deferred.await(next.over)
  }
})
