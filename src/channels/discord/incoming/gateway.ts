/**
 * The gateway: connects, identifies or resumes, keeps the connection alive, and gives events with their sequence. Only what
 * Discord says is final ends it; after anything else it connects again.
 */
import { Clock, type Deferred, Effect, Option, Queue, Random, type Scope } from "effect"
import { ChannelError } from "../../../bridge/messages/SendError.ts"
import { monotonicMillisOf } from "../../../system/hostClock.ts"
import type { Client } from "../calls/client.ts"
import { channelId } from "../DiscordOptions.ts"
import { makeBackOff, makeIdentifyPace, meaningOf } from "./connecting.ts"
import type { GatewaySession } from "./mark.ts"
import { openSocket, type Socket } from "./socket.ts"
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
const mostResumes = 3
/** A connection that ends sooner is a failure, whatever Discord says. */
const soonMs = 1_000

const isSafeUrl = (url: string) => /^wss:\/\//.test(url) || /^ws:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]?/.test(url)

export const runGateway = (options: GatewayOptions): Effect.Effect<never, ChannelError> =>
  Effect.gen(function* () {
    const { client, token, accountId, intents, start, events, taken } = options
    const clock = yield* Clock.Clock
    const now = () => monotonicMillisOf(clock)
    const backOff = makeBackOff(now())
    const identifies = makeIdentifyPace()
    let { session } = start
    let lastSeq = start.seq
    /** Resumes without a success since the last one. */
    let resumes = 0

    const say = (socket: Socket, op: number, d: unknown) => socket.send(JSON.stringify({ op, d }))
    // The number of what was taken in, which is never more than what was received: nothing else may be forgotten there.
    const beat = (socket: Socket) => say(socket, ops.heartbeat, taken() > 0 ? Math.min(taken(), lastSeq) : null)

    const reached = Effect.gen(function* () {
      resumes = 0
      const line = backOff.reached(now())
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

    const open = (socket: Socket) => {
      if (session !== undefined) {
        resumes += 1
        return say(socket, ops.resume, { token, session_id: session.id, seq: lastSeq })
      }
      identifies.take(now())
      const properties = { os: process.platform, browser: "reins", device: "reins" }
      say(socket, ops.identify, { token, intents, properties })
    }

    const converse = (url: string): Effect.Effect<End> =>
      Effect.gen(function* () {
        const socket = yield* openSocket(`${url.replace(/\/+$/, "")}/?v=10&encoding=json`)
        const heard = yield* Queue.unbounded<End>()
        let isAnswered = true
        let isWelcome = false

        const beats = (intervalMs: number) =>
          Effect.gen(function* () {
            yield* Effect.sleep(Math.ceil(intervalMs * (yield* Random.next)))
            while (isAnswered) {
              isAnswered = false
              beat(socket)
              yield* Effect.sleep(intervalMs)
            }
            Queue.offerUnsafe(heard, again)
          })

        const receive = Effect.gen(function* () {
          for (;;) {
            const item = yield* Queue.take(socket.inbox)
            if (item._tag === "Closed") return item
            const frame = Option.getOrUndefined(readFrame(item.text))
            if (frame === undefined) {
              yield* Effect.logWarning("a frame of Discord could not be read, and is passed over")
              continue
            }
            const { op, d, s, t } = frame
            if (op === ops.dispatch && t != null && s != null) yield* dispatch({ t, d, s })
            else if (op === ops.heard) isAnswered = true
            else if (op === ops.heartbeat) beat(socket)
            else if (op === ops.reconnect) return again
            else if (op === ops.invalid) return { _tag: "Invalid", isResumable: d === true } as const
            else if (op === ops.hello && !isWelcome) {
              const hello = Option.getOrUndefined(readHello(d))
              if (hello === undefined) return again
              isWelcome = true
              yield* Effect.forkScoped(beats(hello.heartbeat_interval))
              open(socket)
            }
          }
        })
        const silent = Effect.andThen(
          Effect.sleep(helloMs),
          Effect.suspend(() => (isWelcome ? Effect.never : Effect.succeed(again)))
        )
        return yield* Effect.raceAllFirst<Effect.Effect<End, never, Scope.Scope>>([receive, Queue.take(heard), silent])
      }).pipe(
        Effect.scoped,
        Effect.catch(() => Effect.succeed<End>({ _tag: "Unreached" }))
      )

    const failed = Effect.gen(function* () {
      const { waitMs, line } = backOff.failed(now())
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
