/**
 * Socket Mode → updates. A socket that Slack refreshes is closed once the next one has said hello; after a time without a
 * socket, histories are read before what is new is given. An envelope is confirmed once its message is in the journal;
 * presses and commands at once, since Slack sends those once.
 */
import { type Cause, Clock, Deferred, Effect, Exit, Latch, Option, Queue, Result, Scope, Stream } from "effect"
import type { Heard } from "../../../bridge/messages/Channel.ts"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"
import { ChannelError } from "../../../bridge/messages/SendError.ts"
import { monotonicMillisOf } from "../../../system/hostClock.ts"
import { boundedMap } from "../../kit/boundedMap.ts"
import { type Marks, makeMarks, readMark } from "../../kit/marks.ts"
import { makeOnce } from "../../kit/once.ts"
import { makeOutage } from "../../kit/outage.ts"
import { type OpenSocket, openSocket } from "../../kit/socket.ts"
import type { Client } from "../calls/client.ts"
import { type CallFailure, isTokenRefused } from "../calls/failure.ts"
import { type CheckedSlack, channelId } from "../SlackOptions.ts"
import { isMentioned, makeDecode, placeOf } from "./decode.ts"
import { catchUp, everywhere } from "./history.ts"
import {
  type EventPayload,
  type Frame,
  type Me,
  messagesOf,
  readActions,
  readCommand,
  readEvent,
  readFrame,
  type WireMessage
} from "./wire.ts"

/** Slack pings more often than that. */
const silentMs = 60_000
const helloMs = 15_000
/** Updates that wait for the journal. */
const mostWaiting = 200
/** Frames of a socket that is not read yet; more of them stay with Slack. */
const mostFrames = 2_000
/** Updates that wait until histories are read; behind them, reading pauses. */
const mostHeld = 2_000
const mostThreads = 1_000

export interface ListenOptions extends Pick<CheckedSlack, "groups" | "isListed"> {
  readonly client: Client
  readonly accountId: string
  readonly me: Effect.Effect<Me, ChannelError>
  /** Fails when a token is refused. */
  readonly ended: Deferred.Deferred<never, ChannelError>
  /** Called with +1 and −1 as sockets open and close. */
  readonly onSocket: (change: 1 | -1) => void
  /** Asks Slack whether the bot's token still counts. */
  readonly verify: Effect.Effect<void>
}

/** All that cannot be mended by another attempt: Socket Mode or a scope is missing. */
const isFinal = (failure: CallFailure): boolean =>
  failure._tag === "Refused" &&
  ["missing_scope", "not_allowed_token_type", "access_denied", "no_permission"].includes(failure.error)

type Connected = OpenSocket & { readonly scope: Scope.Closeable; readonly frames: Queue.Dequeue<Frame, Cause.Done> }

export const listen = (options: ListenOptions, mark: string | undefined): Stream.Stream<Heard, ChannelError> =>
  Stream.callback<Heard, ChannelError>(
    (updates) =>
      Effect.raceFirst(
        keepListening(options, makeMarks(readMark(mark)), mark !== undefined, updates),
        Deferred.await(options.ended)
      ),
    { bufferSize: mostWaiting }
  )

const socketModeOff = (accountId: string) =>
  new ChannelError({
    channel: channelId,
    accountId,
    problem: "Slack opens no socket for this app",
    help: "Turn Socket Mode on (api.slack.com/apps, your app, Socket Mode), and give the app-level token the scope connections:write (Basic Information, App-Level Tokens)."
  })

const keepListening = Effect.fnUntraced(function* (
  { client, accountId, groups, isListed, me: askMe, ended, onSocket, verify }: ListenOptions,
  marks: Marks,
  hasMark: boolean,
  updates: Queue.Enqueue<Heard>
): Effect.fn.Return<never, ChannelError, Scope.Scope> {
  const clock = yield* Clock.Clock
  const me = yield* askMe
  const decode = makeDecode({ me, accountId })
  const listening = yield* Effect.scope
  const outage = makeOutage("Slack", monotonicMillisOf(clock))
  const { emit, emitLater, catchingUp } = makeEmit(marks, updates)
  const isOwnThread = makeThreads(client, me)
  let since: number | undefined

  /** Strangers of an unlisted channel cause no calls. */
  const isFollowed = (event: EventPayload["event"]): Effect.Effect<boolean> => {
    const question = decode.threadInQuestion(event)
    return question !== undefined && isListed(question.channel) ? isOwnThread.ask(question) : Effect.succeed(false)
  }

  const onEvent = (payload: unknown, ack: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const read = Option.getOrUndefined(readEvent(payload))
      if (read === undefined || decode.isForeign(read)) return yield* ack
      const { event } = read
      if (event.type === "app_uninstalled") {
        yield* ack
        const problem = "the app was uninstalled from the workspace"
        return yield* Deferred.fail(ended, new ChannelError({ channel: channelId, accountId, problem }))
      }
      // Tokens of people may be revoked without the bot's.
      if (event.type === "tokens_revoked") return yield* Effect.andThen(ack, verify)
      const incoming = decode.event(event, yield* isFollowed(event))
      if (incoming?._tag === "Message" && "ts" in event) {
        if (isMentioned(event.text ?? "", me.user_id))
          isOwnThread.remember({ channel: event.channel, thread: event.thread_ts ?? event.ts })
        return yield* emitLater({ incoming, ack, places: placesOf(incoming, event) })
      }
      if (incoming?._tag === "Left") marks.forget(incoming.conversation.chatId)
      yield* incoming === undefined ? ack : emitLater({ incoming, ack })
    })

  const onFrame = (frame: Frame, { send }: Pick<OpenSocket, "send">) => {
    const { type, envelope_id: id, payload } = frame
    if (typeof id !== "string") return Effect.void
    const ack = Effect.ignore(send(JSON.stringify({ envelope_id: id })))
    if (type === "events_api") return onEvent(payload, ack)
    const incoming =
      type === "interactive"
        ? Option.getOrUndefined(Option.map(readActions(payload), decode.press))
        : Option.getOrUndefined(
            Option.map(readCommand(payload), (read) => decode.command(read, clock.currentTimeMillisUnsafe()))
          )
    return Effect.andThen(ack, incoming === undefined ? Effect.void : emit({ incoming, ack: Effect.void }))
  }

  const open = Effect.gen(function* () {
    const answer = yield* client.callAsApp("apps.connections.open")
    const url = Object(answer.json)["url"]
    if (typeof url !== "string" || !client.isTrusted(url)) return yield* Effect.fail<CallFailure>({ _tag: "Unknown" })
    return url
  })

  /** Opens a socket and waits for its hello; undefined if it failed, which another attempt may mend. */
  const connect = Effect.gen(function* () {
    const scope = yield* Scope.fork(listening)
    const work = Effect.gen(function* () {
      const socket = yield* openSocket({ url: yield* open, silentMs })
      const frames = yield* Queue.bounded<Frame, Cause.Done>(mostFrames)
      const hello = yield* Deferred.make<void, "over">()
      yield* Stream.runForEach(socket.texts, (text) => {
        const frame = Option.getOrUndefined(readFrame(text))
        if (frame?.type === "hello") return Deferred.succeed(hello, undefined)
        return frame === undefined ? Effect.void : Queue.offer(frames, frame)
      }).pipe(
        Effect.ignore,
        Effect.ensuring(Effect.andThen(Deferred.fail(hello, "over"), Queue.end(frames))),
        Effect.forkScoped
      )
      yield* Effect.timeout(Deferred.await(hello), helloMs)
      yield* Effect.acquireRelease(
        Effect.sync(() => onSocket(1)),
        () => Effect.sync(() => onSocket(-1))
      )
      return { ...socket, frames, scope } satisfies Connected
    })
    const result = yield* Effect.result(Effect.provideService(work, Scope.Scope, scope))
    if (Result.isFailure(result)) yield* Scope.close(scope, Exit.void)
    return result
  })

  const connected = Effect.gen(function* () {
    for (;;) {
      const result = yield* connect
      const now = monotonicMillisOf(clock)
      if (Result.isSuccess(result)) {
        const line = outage.reached(now)
        if (line !== undefined) yield* Effect.logInfo(line)
        return result.success
      }
      const failure = result.failure
      const refusal =
        typeof failure === "object" && "_tag" in failure && failure._tag === "Refused" ? failure : undefined
      if (refusal !== undefined && isTokenRefused(refusal)) return yield* Deferred.await(ended)
      if (refusal !== undefined && isFinal(refusal)) return yield* socketModeOff(accountId)
      const retryAfterMs =
        typeof failure === "object" && "_tag" in failure && failure._tag === "TooFast"
          ? failure.retryAfterMs
          : undefined
      const { waitMs, line } = outage.failed(now, retryAfterMs)
      if (line !== undefined) yield* Effect.logWarning(line)
      yield* Effect.sleep(waitMs)
    }
  })

  /** Reads frames; ends when the socket is over, and says by `replace` when another one is wanted. */
  const readAll = (socket: Connected, replace: Deferred.Deferred<void>) =>
    Effect.gen(function* () {
      for (;;) {
        const frame = yield* Queue.take(socket.frames)
        if (frame.type !== "disconnect") yield* onFrame(frame, socket)
        else if (frame.reason === "link_disabled") yield* Deferred.fail(ended, socketModeOff(accountId))
        else yield* Deferred.succeed(replace, undefined)
      }
    }).pipe(
      Effect.ignore,
      // A fault of this code ends the channel, and is told: it would end each socket that comes.
      Effect.catchDefect((defect) => Deferred.die(ended, defect)),
      Effect.ensuring(
        Effect.andThen(
          Effect.sync(() => {
            since = clock.currentTimeMillisUnsafe()
          }),
          Deferred.succeed(replace, undefined)
        )
      )
    )

  let isFirst = true
  let last: { readonly socket: Connected; readonly isOver: () => boolean } | undefined
  for (;;) {
    const socket = yield* connected
    const isGap = last === undefined ? !isFirst || hasMark : last.isOver()
    isFirst = false
    const replace = yield* Deferred.make<void>()
    const done = isGap ? yield* catchingUp : undefined
    const fiber = yield* Effect.forkIn(readAll(socket, replace), listening)
    if (last !== undefined) yield* Scope.close(last.socket.scope, Exit.void)
    last = { socket, isOver: () => fiber.pollUnsafe() !== undefined }
    if (done !== undefined) {
      const now = clock.currentTimeMillisUnsafe()
      yield* catchUp({
        client,
        marks,
        since,
        now,
        groups,
        onMessage: (channel, message) =>
          Effect.gen(function* () {
            const event = { ...message, type: "message", channel } as const
            const incoming = decode.message(channel, message, yield* isFollowed(event))
            if (incoming !== undefined) yield* emit({ incoming, ack: Effect.void, places: placesOf(incoming, message) })
          })
      })
      yield* done
    }
    yield* Deferred.await(replace)
  }
})

/** The chat or thread of a message; what is meant for the bot in a channel begins a thread, whose mark is kept from then on. */
const placesOf = (
  incoming: Incoming,
  wire: Pick<WireMessage, "ts" | "thread_ts">
): ReadonlyArray<readonly [string, string]> => {
  if (incoming._tag !== "Message") return []
  const { conversation, addressed } = incoming.message
  const { chatId, threadId } = conversation
  const place = placeOf(chatId, wire)
  const isRoot = place === chatId && addressed && threadId !== undefined
  return isRoot
    ? [
        [place, wire.ts],
        [`${chatId}/${threadId}`, wire.ts]
      ]
    : [[place, wire.ts]]
}

interface Update {
  readonly incoming: Incoming
  readonly ack: Effect.Effect<void>
  /** Where the mark goes on. Default: nowhere. */
  readonly places?: ReadonlyArray<readonly [place: string, ts: string]>
}

/** Gives each update once; an envelope that comes again is confirmed with the first. */
const makeEmit = (marks: Marks, updates: Queue.Enqueue<Heard>) => {
  const isNew = makeOnce()
  const unconfirmed = new Map<string, Array<Effect.Effect<void>>>()
  /** Kept while histories are read: the mark would pass over what they have. */
  let held: Array<Update> | undefined
  const caughtUp = Latch.makeUnsafe(true)

  const emit = ({ incoming, ack, places = [] }: Update): Effect.Effect<void> =>
    Effect.suspend(() => {
      const id = incoming._tag === "Message" ? incoming.message.updateId : incoming.updateId
      if (!isNew(id)) {
        const waiting = unconfirmed.get(id)
        if (waiting === undefined) return ack
        waiting.push(ack)
        return Effect.void
      }
      const acks = [ack]
      unconfirmed.set(id, acks)
      const confirm = Effect.suspend(() => {
        unconfirmed.delete(id)
        return Effect.forEach(acks.splice(0), (each) => each, { discard: true })
      })
      if (places.length === 0) return Effect.asVoid(Queue.offer(updates, { incoming, confirm }))
      for (const [place, ts] of places) {
        marks.hear(place, ts)
        if (held === undefined) marks.hear(everywhere, ts)
      }
      return Effect.asVoid(Queue.offer(updates, { incoming, mark: JSON.stringify(marks.value()), confirm }))
    })

  return {
    emit,
    emitLater: (update: Update): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (held === undefined) return emit(update)
        held.push(update)
        return held.length < mostHeld ? Effect.void : caughtUp.await
      }),
    /** From now on until the inner effect, `emitLater` waits. */
    catchingUp: Effect.sync(() => {
      held ??= []
      caughtUp.closeUnsafe()
      return Effect.gen(function* () {
        for (let next = held?.shift(); next !== undefined; next = held?.shift()) yield* emit(next)
        held = undefined
        caughtUp.openUnsafe()
      })
    })
  }
}

/** Threads whose root mentions the bot or is the bot's: what follows there is for it. */
const makeThreads = ({ call }: Pick<Client, "call">, me: Me) => {
  const known = boundedMap<boolean>(mostThreads)
  const keyOf = ({ channel, thread }: { readonly channel: string; readonly thread: string }) => `${channel}/${thread}`
  return {
    remember: (place: { readonly channel: string; readonly thread: string }) => known.set(keyOf(place), true),
    ask: (place: { readonly channel: string; readonly thread: string }): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const found = known.get(keyOf(place))
        if (found !== undefined) return Effect.succeed(found)
        return call("conversations.replies", { channel: place.channel, ts: place.thread, limit: 1 }).pipe(
          Effect.map(({ json }) => {
            const root = messagesOf(json)?.messages.find(({ ts }) => ts === place.thread)
            const isOwn = root !== undefined && (root.user === me.user_id || isMentioned(root.text ?? "", me.user_id))
            known.set(keyOf(place), isOwn)
            return isOwn
          }),
          // It is asked again with the next message there.
          Effect.orElseSucceed(() => false)
        )
      })
  }
}
