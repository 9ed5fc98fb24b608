/**
 * Socket Mode: one socket after the other, without a gap where Slack asks for the next one. Envelopes of events are
 * acknowledged by whoever has taken them in; presses and commands come once, and are acknowledged at once.
 */
import { Clock, Deferred, Effect, Exit, Option, Queue, Scope, Stream } from "effect"
import { ChannelError } from "../../../bridge/messages/SendError.ts"
import { monotonicMillisOf } from "../../../system/hostClock.ts"
import { makeOutage } from "../../kit/outage.ts"
import { openSocket } from "../../kit/socket.ts"
import type { Client } from "../calls/client.ts"
import { channelId } from "../SlackOptions.ts"
import { type Envelope, readFrame, readOpened } from "./wire.ts"

export type SocketEvent =
  /** A socket is open. `isGap`: something may have been missed before. */
  | { readonly _tag: "Connected"; readonly isGap: boolean }
  | { readonly _tag: "Envelope"; readonly envelope: Envelope; readonly acknowledge: Effect.Effect<void> }

/** Slack pings every few seconds. */
const silentMs = 60_000
const helloMs = 15_000

type Unreached = "unreached"
const unreached: Unreached = "unreached"

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
  const outage = makeOutage("Slack", monotonicMillisOf(clock))

  /** One attempt. */
  const attempt = Effect.fnUntraced(function* (scope: Scope.Closeable) {
    const answer = yield* Effect.mapError(client.call("apps.connections.open", {}, { token: "app" }), (failure) => {
      const refusal = failure._tag === "Refused" ? refusals[failure.error]?.(accountId) : undefined
      return refusal ?? unreached
    })
    const opened = Option.getOrUndefined(readOpened(answer))
    if (opened === undefined || !/^wss?:\/\//.test(opened.url)) return yield* Effect.fail(unreached)
    const socket = yield* Effect.mapError(
      Scope.provide(openSocket({ url: opened.url, silentMs }), scope),
      () => unreached
    )
    const hello = yield* Deferred.make<void, Unreached | ChannelError>()
    const over = yield* Deferred.make<Over, ChannelError>()
    let isAlive = true

    const hear = (text: string) =>
      Effect.gen(function* () {
        const frame = Option.getOrUndefined(readFrame(text))
        if (frame === undefined) return
        if ("envelope_id" in frame) {
          const { envelope_id } = frame
          const acknowledge = Effect.ignore(socket.send(JSON.stringify({ envelope_id })))
          if (frame.type !== "events_api") yield* acknowledge
          yield* Queue.offer(events, { _tag: "Envelope", envelope: frame, acknowledge })
        } else if (frame.type === "hello") {
          onHello(frame.num_connections ?? undefined)
          yield* Deferred.succeed(hello, undefined)
        } else if (frame.reason === "link_disabled") {
          yield* Deferred.fail(hello, socketModeOff(accountId))
          yield* Deferred.fail(over, socketModeOff(accountId))
        } else yield* Deferred.succeed(over, frame.reason === "too_many_websockets" ? "closed" : "refresh")
      })

    const reading = Stream.runForEach(socket.texts, hear).pipe(
      Effect.ignore,
      Effect.ensuring(
        Effect.suspend(() => {
          isAlive = false
          return Effect.andThen(Deferred.fail(hello, unreached), Deferred.succeed(over, "closed"))
        })
      )
    )
    yield* Effect.forkIn(reading, scope)
    yield* Effect.timeoutOrElse(Deferred.await(hello), { duration: helloMs, orElse: () => Effect.fail(unreached) })
    return { over, isAlive: () => isAlive, scope } satisfies Connection
  })

  /** Until it succeeds. */
  const connect: Effect.Effect<Connection, ChannelError> = Effect.gen(function* () {
    for (;;) {
      const scope = yield* Scope.fork(outer)
      const made = yield* Effect.result(attempt(scope))
      if (made._tag === "Success") {
        const line = outage.reached(monotonicMillisOf(clock))
        if (line !== undefined) yield* Effect.logInfo(line)
        return made.success
      }
      yield* Scope.close(scope, Exit.void)
      if (made.failure !== unreached) return yield* made.failure
      const { waitMs, line } = outage.failed(monotonicMillisOf(clock))
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
