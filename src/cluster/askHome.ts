/** Submits a turn to its home and follows it; leaving or aborting cancels it there. */
import { Clock, Effect, Predicate, Result, Schedule } from "effect"
import { outputForm } from "../agents/answers/outputForm.ts"
import { aborted } from "../agents/engine/stop.ts"
import { Aborted, type FailureReason, InvalidParams, SessionBusy, StoreUnavailable } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { End } from "../contract/Start.ts"
import type { StoreError } from "../contract/StoreError.ts"
import { untraced } from "../contract/untraced.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { type KeyParts, keyText, subjectName } from "../conversations/turns/conversationKey.ts"
import { endOfText } from "../conversations/turns/storedEnd.ts"
import { turnDigest } from "../conversations/turns/turnRequest.ts"
import { openTurns, turnById } from "../conversations/turns/turnRows.ts"
import { packageVersion } from "../system/process/packageFile.ts"
import { askTurn, moving } from "./askTurn.ts"
import { loadAttachments } from "./attachments.ts"
import { readEvents } from "./eventLog.ts"
import { type Home, listHomes } from "./homes.ts"
import { endOfNothing, interruptedEnd, wantStopped } from "./queue.ts"
import type { Place, Routing } from "./routing.ts"
import type { StoredParams } from "./storedParams.ts"

/** Poll interval at first, and its limit while nothing comes. */
const shortest = 60
const longest = 500
/** For the last events, once the end is in the row. */
const lastMs = 5_000
/** Between checks whether the home is up. */
const askedMs = 5_000
/** For retries while the store does not answer. */
const patienceMs = 120_000

interface Followed {
  readonly turnId: string
  readonly home: Home
  readonly isFollowed: boolean
  readonly wantsAgain: boolean
}

const waiting = (home: string): AgentEvent => ({
  type: "notice",
  kind: "queued",
  message: `The turn waits for the home ${home}, which does not run now: reins serve --home ${home} on its machine`,
  data: { home }
})

/** Returns undefined while the turn is open. */
const endNow = Effect.fn(...untraced("AskHome.endNow"))(function* (store: OpenStore, { turnId, wantsAgain }: Followed) {
  const turn = yield* turnById(store, turnId)
  if (turn === undefined) {
    return endOfNothing(
      new StoreUnavailable({ problem: `the turn ${JSON.stringify(turnId)} is not in the store any more` })
    )
  }
  if (turn.state === "interrupted") {
    if (!wantsAgain || turn.isGivenUp === true) return interruptedEnd(turnId)
    // Its home could not continue it.
    return turn.result === undefined ? undefined : (endOfText(turn.result) ?? interruptedEnd(turnId))
  }
  if (turn.state !== "done") return undefined
  const end = turn.result === undefined ? undefined : endOfText(turn.result)
  if (end !== undefined) return end
  return endOfNothing(
    new StoreUnavailable({ problem: `the end of the turn ${JSON.stringify(turnId)} cannot be read` }),
    true
  )
})

/** `tell` gets each event in order, without those of the end. Fails if the store is down for two minutes. */
const followTurn = (
  store: OpenStore,
  followed: Followed,
  tell: (event: AgentEvent) => void
): Effect.Effect<End, FailureReason | StoreError> =>
  Effect.gen(function* () {
    const { turnId, isFollowed, home } = followed
    let position = 0
    let isOver = !isFollowed
    let wait = shortest
    let isTold = false
    let askedAt = yield* Clock.currentTimeMillis
    let reachedAt = askedAt
    let end: End | undefined
    let endedAt = 0
    const look = Effect.gen(function* () {
      const page = isOver ? undefined : yield* readEvents(store, turnId, position)
      if (page !== undefined) {
        position = page.next
        isOver = page.isOver
        page.events.forEach(tell)
      }
      const hasMore = page !== undefined && page.events.length > 0
      if (!hasMore && end === undefined) end = yield* endNow(store, followed)
      return hasMore
    })
    while (true) {
      const found = yield* Effect.result(look)
      const now = yield* Clock.currentTimeMillis
      if (found._tag === "Failure") {
        if (now - reachedAt > patienceMs) return yield* Effect.fail(found.failure)
      } else reachedAt = now
      if (end !== undefined) {
        if (endedAt === 0) endedAt = now
        if (isOver || now - endedAt > lastMs) return end
      }
      const isBusy = found._tag === "Success" && found.success
      wait = isBusy || end !== undefined ? shortest : Math.min(longest, wait * 1.3)
      if (!isTold && end === undefined && now - askedAt > askedMs) {
        askedAt = now
        const homes = yield* Effect.orElseSucceed(listHomes(store), () => [])
        if (homes.find(({ id }) => id === home.id)?.isUp === false) {
          isTold = true
          tell(waiting(home.name))
        }
      }
      yield* Effect.sleep(wait)
    }
  })

export interface ClusterContext {
  readonly store: OpenStore
  readonly cli: string
  readonly routing: Routing
}

export interface TurnOfHome {
  readonly turnId: string | undefined
  readonly key: KeyParts | undefined
  readonly prompt: unknown
  readonly attachments: unknown
  readonly asked: Omit<StoredParams, "attachments" | "attempt">
  readonly isPatient: boolean
  readonly signal: AbortSignal | undefined
}

/** While the session moves to another home: for a minute. */
const retries = Schedule.spaced("500 millis")

/** For a home to stop a cancelled turn. */
const stopTime = "30 seconds"
const endOfAbort = endOfNothing(new Aborted())

/** Calls `placed` with the home of the turn. `tell` gets its events, without those of its end. */
export const askHome = (
  { store, cli, routing }: ClusterContext,
  turn: TurnOfHome,
  tell: (event: AgentEvent) => void,
  placed: (place: Place, turnId: string) => void = () => {}
): Effect.Effect<End, FailureReason | StoreError> =>
  Effect.gen(function* () {
    const { key, prompt, signal } = turn
    if (typeof prompt !== "string")
      return yield* new InvalidParams({
        option: "prompt",
        problem: prompt === undefined ? "is missing" : "is not a text"
      })
    if (signal?.aborted === true) return endOfAbort
    const attachments = yield* loadAttachments(turn.attachments)
    if (!turn.isPatient && key !== undefined && (yield* openTurns(store, keyText(key))).length > 0)
      return yield* new SessionBusy({ what: "conversation", subject: subjectName(key), waitedMs: 0 })
    const turnId = turn.turnId ?? crypto.randomUUID()
    const digest = turnDigest(key, { prompt, attachments })
    const stored = { ...turn.asked, attachments: [], attempt: 0 }
    const question = { turnId, key, cli, prompt, digest, asked: stored, attachments, version: packageVersion() }
    const found = yield* Effect.retry(askTurn(store, question), {
      while: (error) => error === moving,
      schedule: retries,
      times: 120
    })
    if (found._tag === "Over") return found.end
    const place: Place = { home: found.home, cli, conversation: key === undefined ? turnId : keyText(key) }
    placed(place, turnId)
    const stop = Effect.andThen(
      Effect.ignore(wantStopped(store, turnId)),
      Effect.ignore(Effect.timeoutOption(routing.interrupt(place, turnId), "2 seconds"))
    )
    yield* Effect.forkChild(routing.wake(place, turnId, found.attempt))
    const { isFollowed, onInterrupted } = turn.asked
    const followed = { turnId, home: found.home, isFollowed, wantsAgain: onInterrupted !== "fail" }
    const stopping =
      signal === undefined
        ? Effect.never
        : Effect.andThen(aborted(signal), Effect.andThen(stop, Effect.as(Effect.sleep(stopTime), endOfAbort)))
    return yield* Effect.onInterrupt(Effect.raceFirst(followTurn(store, followed, tell), stopping), () => stop)
  })

/** Decodes the answer's JSON by the caller's schema. */
export const withOutput = ({ result, ...end }: End, outputSchema: unknown): End => {
  if (outputSchema === undefined || result.structuredOutput === undefined) return { result, ...end }
  const output = Result.flatMap(outputForm(outputSchema), ({ read }) => read(result.structuredOutput))
  const structuredOutput = Result.getOrElse(output, () => result.structuredOutput)
  return { ...end, result: { ...result, structuredOutput } }
}

export const isSignal = (input: unknown): input is AbortSignal => input instanceof AbortSignal

export const schemaIn = (params: unknown): unknown =>
  Predicate.hasProperty(params, "outputSchema") ? params.outputSchema : undefined
