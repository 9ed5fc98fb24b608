/** Performs a turn of the queue, by a run or the live session of its conversation, and writes its events for its caller. */
import { realpath } from "node:fs/promises"
import { Effect, Exit, Result, Stream } from "effect"
import { aborted } from "../agents/engine/stop.ts"
import { Aborted, type AgentError, AgentFailed, type FailureReason, Refused } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { ConversationOpenParams, TurnParams } from "../contract/AgentOpenParams.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import { present } from "../contract/present.ts"
import type { End } from "../contract/Start.ts"
import { plural } from "../contract/text/amounts.ts"
import { untraced } from "../contract/untraced.ts"
import type { Sessions } from "../conversations/Sessions.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { keyOfText } from "../conversations/turns/conversationKey.ts"
import type { Places } from "../conversations/turns/places.ts"
import type { TurnRow } from "../conversations/turns/turnRows.ts"
import { takeAttachments } from "./attachments.ts"
import { isBelow } from "./chooseHome.ts"
import { type EventWriter, makeEventWriter } from "./eventLog.ts"
import type { LiveSessions } from "./liveSessions.ts"
import { endOfNothing } from "./queue.ts"
import { type StoredParams, storedParamsOf } from "./storedParams.ts"

/** A link counts as its target. */
const real = (path: string) => Effect.promise(() => realpath(path).catch(() => path))

const textsOf = (input: unknown): ReadonlyArray<string> =>
  typeof input === "string" ? [input] : Array.isArray(input) ? input.filter((one) => typeof one === "string") : []

/** Fails with `Refused` for a directory outside of those of the home, whatever a caller or the database says. */
const checkPlaces = Effect.fn(...untraced("PerformTurn.checkPlaces"))(function* (
  params: Readonly<Record<string, unknown>>,
  directories: ReadonlyArray<string>
) {
  const stored = ["workingDirectory", "additionalDirectories"].flatMap((name) => textsOf(params[name]))
  if (stored.length === 0) return
  const allowed = yield* Effect.forEach(directories, real)
  for (const directory of stored) {
    const place = yield* real(directory)
    if (allowed.some((above) => isBelow(place, above))) continue
    const problem = `its home does not let agents work in ${JSON.stringify(directory.slice(0, 200))}: add it to [directories] of its configuration`
    return yield* new Refused({ gate: "cluster", problem, retryable: false })
  }
})

export interface PerformOptions {
  readonly store: OpenStore
  readonly live: LiveSessions
  readonly places: Pick<Places, "claim" | "most">
  /** Completes when the home starts no more turns. */
  readonly leaving: Effect.Effect<void>
  /** Absolute paths; agents may work in them and below. */
  readonly directories: ReadonlyArray<string>
  /** Returns undefined if the CLI is not served here. */
  readonly sessionsOf: (cli: string) => Effect.Effect<Sessions["Service"]> | undefined
}

/** The conversation of a turn, whose turns go one after the other; the turn itself without one. */
const laneOf = ({ conversation, turnId }: { readonly conversation: string; readonly turnId: string }) =>
  conversation === "" ? turnId : conversation

const unreadable = new Refused({
  gate: "cluster",
  problem: "what the turn is asked with cannot be read by the version of its home",
  retryable: false
})

const leaves = new Refused({ gate: "cluster", problem: "the home of the conversation ends", retryable: true })

/** Waits for a place among the agents of this home. Returns the reason if the turn does not start. */
const admit = Effect.fn(...untraced("PerformTurn.admit"))(function* (
  { places, leaving }: PerformOptions,
  lane: string,
  signal: AbortSignal,
  writer: EventWriter | undefined
) {
  const claim = yield* Effect.acquireRelease(
    Effect.sync(() => places.claim(lane)),
    ({ leave }) => leave
  )
  if (claim.isReady()) return undefined
  const message = `The home of the conversation has no more than ${plural(places.most, "agent")} at once (limits.total)`
  writer?.push({ type: "notice", kind: "queued", message, data: { limit: "total" } })
  return yield* Effect.raceAllFirst([
    Effect.as(claim.ready, undefined),
    Effect.as(aborted(signal), new Aborted()),
    Effect.as(leaving, leaves)
  ])
})

const placeProblem = ({ params }: StoredParams, { directories }: PerformOptions) =>
  Effect.match(checkPlaces(params, directories), { onFailure: (refused) => refused, onSuccess: () => undefined })

const endOfError = ({ result, reason, hadOutput }: AgentError): End => ({ result, failure: reason, hadOutput })

/** Folds the end of a live session's turn from its events. */
const endOfEvents = () => {
  let failure: FailureReason | undefined
  let hadOutput = false
  let result: AgentRunResult | undefined
  return {
    push: (event: AgentEvent) => {
      if (event.type === "error")
        failure = new AgentFailed({ code: event.code, category: event.category, detail: event.message })
      if (event.type === "text" || event.type === "tool_use") hadOutput = true
      if (event.type === "turn_done" && event.parentToolId === undefined) result = event.result
    },
    end: (): End | undefined => (result === undefined ? undefined : { result, failure, hadOutput })
  }
}

/** A follower reads the end from the turn's row, once. */
const isEnd = ({ type }: AgentEvent) => type === "error" || type === "done" || type === "turn_done"

const passing = (writer: EventWriter | undefined) => {
  /** An error that may not be the end, as when the turn restarts in a new session. */
  let held: AgentEvent | undefined
  return (event: AgentEvent) => {
    if (held !== undefined && !isEnd(event)) writer?.push(held)
    held = event.type === "error" ? event : undefined
    if (!isEnd(event)) writer?.push(event)
  }
}

const performing = Effect.fn(...untraced("PerformTurn.performing"))(function* (
  { live }: PerformOptions,
  sessions: Sessions["Service"],
  turn: TurnRow,
  stored: StoredParams,
  attachments: TurnParams["attachments"],
  signal: AbortSignal,
  listen: (event: AgentEvent) => void
) {
  const { turnId, prompt = "" } = turn
  const conversation = keyOfText(turn.conversation)
  const files = attachments === undefined || attachments.length === 0 ? {} : { attachments }
  const { onInterrupted, onMissing, fresh, params } = stored
  if (!stored.isLive || conversation === undefined) {
    const own = { ...params, ...files, prompt, turnId, onInterrupted, abortSignal: signal }
    const placed = conversation === undefined ? {} : { conversation, onMissing, ...(fresh ? { fresh } : {}) }
    // The agent checks the parameters.
    return yield* sessions.run({ ...own, ...placed } as TurnParams, { onEvent: listen }).pipe(
      Effect.match({
        onFailure: endOfError,
        onSuccess: (result): End => ({ result, failure: undefined, hadOutput: true })
      })
    )
  }
  const opened = { ...params, conversation, ...(fresh ? { fresh } : {}) } as ConversationOpenParams // checked when it is opened
  const session = yield* Effect.result(live.get(turn.conversation, { sessions, params: opened }))
  if (Result.isFailure(session)) return endOfError(session.failure)
  const fold = endOfEvents()
  yield* Effect.forkScoped(Effect.andThen(aborted(signal), session.success.interrupt))
  yield* Stream.runForEach(
    session.success.turn(prompt, { ...present(stored.turn), ...files, turnId, onInterrupted }),
    (event) =>
      Effect.sync(() => {
        fold.push(event)
        listen(event)
      })
  )
  return fold.end()
})

/** The store was down before the start: the turn is retried. */
export const isToBeTried = (end: End | undefined) => end?.failure?._tag === "StoreUnavailable" && !end.hadOutput

/** Returns the end, which may be in the store already, or undefined if the turn broke off. `begun` is called at its start. */
export const performTurn = Effect.fn(...untraced("Cluster.performTurn"))(function* (
  options: PerformOptions,
  turn: TurnRow,
  signal: AbortSignal,
  begun: () => void
) {
  const { store, sessionsOf } = options
  const stored = storedParamsOf(turn.params)
  if (stored === undefined) return endOfNothing(unreadable)
  const sessions = sessionsOf(turn.cli)
  if (sessions === undefined) {
    const problem = `${turn.cli} is not served by this home any more`
    return endOfNothing(new Refused({ gate: "cluster", problem, retryable: true }))
  }
  const writer = stored.isFollowed ? yield* makeEventWriter(store, turn.turnId) : undefined
  // Directories are checked at the start: a link may lead elsewhere by then.
  const refusal = (yield* admit(options, laneOf(turn), signal, writer)) ?? (yield* placeProblem(stored, options))
  if (refusal !== undefined) {
    if (writer !== undefined) yield* writer.end(refusal !== leaves)
    return endOfNothing(refusal)
  }
  begun()
  const attachments = yield* Effect.result(takeAttachments(store, stored.attachments))
  if (Result.isFailure(attachments)) {
    const { failure } = attachments
    return failure._tag === "AttachmentRefused" ? endOfNothing(failure) : undefined
  }
  const exit = yield* Effect.exit(
    performing(options, yield* sessions, turn, stored, attachments.success, signal, passing(writer))
  )
  if (writer !== undefined) yield* writer.end(!(Exit.isSuccess(exit) && isToBeTried(exit.value)))
  if (Exit.isSuccess(exit)) return exit.value
  yield* Effect.logWarning("a turn of the cluster broke off", exit.cause)
  return undefined
}, Effect.scoped)
