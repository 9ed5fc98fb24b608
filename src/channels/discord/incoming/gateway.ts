/**
 * The gateway: connects, identifies or resumes, keeps the connection alive, and gives events with their sequence. Only what
 * Discord says is final ends it; after anything else it connects again.
 */
import { Clock, Deferred, Effect, Option, Queue, Random, type Scope, Stream } from "effect"
import { ChannelError } from "../../../bridge/messages/SendError.ts"
import { monotonicMillisOf } from "../../../system/hostClock.ts"
import { makeOutage } from "../../kit/outage.ts"
import { type OpenSocket, openSocket, type SocketFailure } from "../../kit/socket.ts"
import type { Client } from "../calls/client.ts"
import { channelId } from "../DiscordOptions.ts"
import { makeIdentifyPace, meaningOf } from "./connecting.ts"
import type { GatewaySession } from "./mark.ts"
import { readFrame, readGateway, readHello, readReady } from "./wire.ts"

export interface GatewayEvent {
  readonly t: string
  readonly d: unknown
  readonly seq: number
  readonly session: GatewaySession
}

export interface GatewayOptions {
  readonly client: Client
  readonly token: string
  readonly accountId: string
  readonly intents: number
  /** A session to resume, with the sequence of the last event that was taken in. */
  readonly start: { readonly session: GatewaySession | undefined; readonly seq: number }
  readonly events: Queue.Enqueue<GatewayEvent>
  /** The sequence up to which everything was taken in. */
  readonly taken: () => number
  /** Fails when the token is refused. */
  readonly ended: Deferred.Deferred<never, ChannelError>
}

/** How a connection ended. */
type End =
  | { readonly _tag: "Closed"; readonly code: number | undefined }
  /** Discord asks for it, or no heartbeat was answered. */
  | { readonly _tag: "Again" }
  | { readonly _tag: "Invalid"; readonly isResumable: boolean }
  | { readonly _tag: "Unreached" }

const again: End = { _tag: "Again" }

const endOf = (failure: SocketFailure): End => {
  if (failure._tag === "NotOpened") return { _tag: "Unreached" }
  return failure._tag === "Closed" ? failure : again
}

const ops = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  heard: 11
} as const
const helloMs = 20_000
/** Heartbeats notice a dead connection long before. */
const silentMs = 300_000
/** The list of a large server has some millions. */
const mostBytes = 20_000_000
/** Any code but 1000 and 1001 keeps the session. */
const keepingCode = 4_900
const mostResumes = 3
/** A connection that ends sooner is a failure, whatever Discord says. */
const soonMs = 1_000

const isSafeUrl = (url: string) => /^wss:\/\//.test(url) || /^ws:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]?/.test(url)

export const runGateway = (options: GatewayOptions): Effect.Effect<never, ChannelError> =>
  Effect.gen(function* () {
    const { client, token, accountId, intents, start, events, taken } = options
    const clock = yield* Clock.Clock
    const now = () => monotonicMillisOf(clock)
    const outage = makeOutage("Discord", now())
    const identifies = makeIdentifyPace()
    let { session } = start
    let lastSeq = start.seq
    /** Resumes without a success since the last one. */
    let resumes = 0

    /** A failure is ignored: the end of the connection tells it. */
    const say = (socket: OpenSocket, op: number, d: unknown) => Effect.ignore(socket.send(JSON.stringify({ op, d })))
    // The number of what was taken in, which is never more than what was received: nothing else may be forgotten there.
    const beat = (socket: OpenSocket) => say(socket, ops.heartbeat, taken() > 0 ? Math.min(taken(), lastSeq) : null)

    const reached = Effect.gen(function* () {
      resumes = 0
      const line = outage.reached(now())
      if (line !== undefined) yield* Effect.logInfo(line)
    })

    const dispatch = ({ t, d, s }: { readonly t: string; readonly d: unknown; readonly s: number }) =>
      Effect.gen(function* () {
        if (t === "READY") {
          const ready = Option.getOrUndefined(readReady(d))
          if (ready === undefined) return
          const { session_id: id, resume_gateway_url: url } = ready
          session = { id, url }
          lastSeq = 0
        }
        if (session === undefined || s <= lastSeq) return
        lastSeq = s
        if (t === "READY" || t === "RESUMED") yield* reached
        yield* Queue.offer(events, { t, d, seq: s, session })
      })

    const open = (socket: OpenSocket) => {
      if (session !== undefined) {
        resumes += 1
        return say(socket, ops.resume, { token, session_id: session.id, seq: lastSeq })
      }
      identifies.take(now())
      const properties = { os: process.platform, browser: "reins", device: "reins" }
      return say(socket, ops.identify, { token, intents, properties })
    }

    const converse = (url: string): Effect.Effect<End> =>
      Effect.gen(function* () {
        const socket = yield* openSocket({
          url: `${url.replace(/\/+$/, "")}/?v=10&encoding=json`,
          silentMs,
          mostBytes,
          closeCode: keepingCode
        })
        const ended = yield* Deferred.make<End>()
        const end = (how: End) => Effect.asVoid(Deferred.succeed(ended, how))
        let isAnswered = true
        let isWelcome = false

        const beats = (intervalMs: number) =>
          Effect.gen(function* () {
            yield* Effect.sleep(Math.ceil(intervalMs * (yield* Random.next)))
            while (isAnswered) {
              isAnswered = false
              yield* beat(socket)
              yield* Effect.sleep(intervalMs)
            }
            yield* end(again)
          })

        const welcome = (d: unknown) =>
          Effect.gen(function* () {
            const hello = Option.getOrUndefined(readHello(d))
            if (hello === undefined || isWelcome) return
            isWelcome = true
            yield* Effect.forkScoped(beats(hello.heartbeat_interval))
            yield* open(socket)
          })

        const take = (text: string) =>
          Effect.gen(function* () {
            const frame = Option.getOrUndefined(readFrame(text))
            if (frame === undefined)
              return yield* Effect.logWarning("a frame of Discord could not be read, and is passed over")
            const { op, d, s, t } = frame
            if (op === ops.dispatch && t != null && s != null) yield* dispatch({ t, d, s })
            else if (op === ops.heard) isAnswered = true
            else if (op === ops.heartbeat) yield* beat(socket)
            else if (op === ops.reconnect) yield* end(again)
            else if (op === ops.invalid) yield* end({ _tag: "Invalid", isResumable: d === true })
            else if (op === ops.hello) yield* welcome(d)
          })

        const received = Stream.runForEach(socket.texts, take).pipe(
          Effect.as<End>({ _tag: "Closed", code: undefined }),
          Effect.catch((failure) => Effect.succeed(endOf(failure)))
        )
        const unwelcome = Effect.andThen(
          Effect.sleep(helloMs),
          Effect.suspend(() => (isWelcome ? Effect.never : Effect.succeed(again)))
        )
        return yield* Effect.raceAllFirst<Effect.Effect<End, never, Scope.Scope>>([
          received,
          Deferred.await(ended),
          unwelcome
        ])
      }).pipe(
        Effect.scoped,
        Effect.catch((failure) => Effect.succeed(endOf(failure)))
      )

    const failed = Effect.gen(function* () {
      const { waitMs, line } = outage.failed(now())
      if (line !== undefined) yield* Effect.logWarning(line)
      yield* Effect.sleep(waitMs)
    })

    /** The address for a new session; waits where the day's sessions are used up. Undefined where it was not given. */
    const gateway = Effect.gen(function* () {
      const answer = yield* Effect.result(client.call({ method: "GET", path: "/gateway/bot" }))
      const info = answer._tag === "Failure" ? undefined : Option.getOrUndefined(readGateway(answer.success))
      if (info === undefined) return undefined
      const { remaining, reset_after } = info.session_start_limit
      if (session === undefined && remaining <= 0) {
        yield* Effect.logError("Discord takes no new session of this bot today: something identifies again and again")
        yield* Effect.sleep(Math.min(86_400_000, Math.max(60_000, reset_after)))
      }
      return info.url
    })

    const forgetSession = () => {
      session = undefined
      lastSeq = 0
      resumes = 0
    }

    for (let unreached = 0; ; ) {
      if (resumes >= mostResumes) forgetSession()
      const known = session !== undefined && unreached < mostResumes ? session.url : undefined
      const url = known ?? (yield* gateway)
      if (url === undefined || !isSafeUrl(url)) {
        if (url !== undefined)
          yield* Effect.logWarning("Discord named an address that is not encrypted; it is not used")
        if (known !== undefined) unreached = mostResumes
        yield* failed
        continue
      }
      if (session === undefined) yield* Effect.sleep(identifies.waitMs(now()))
      const begun = now()
      const end = yield* converse(url)
      if (end._tag === "Unreached") {
        unreached += 1
        yield* failed
        continue
      }
      unreached = 0
      const meaning = end._tag === "Closed" ? meaningOf(end.code) : "resume"
      if (typeof meaning === "object")
        return yield* Effect.fail(new ChannelError({ channel: channelId, accountId, ...meaning }))
      if (meaning === "identify" || (end._tag === "Invalid" && !end.isResumable)) forgetSession()
      // Discord asks for one to five seconds behind an invalid session.
      if (end._tag === "Invalid") yield* Effect.sleep(1_000 + Math.ceil(4_000 * (yield* Random.next)))
      else if (end._tag === "Closed" || now() - begun < soonMs) yield* failed
    }
  })
