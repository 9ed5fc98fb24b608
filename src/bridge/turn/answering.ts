/**
 * Answers one turn of a conversation, by its live session or by a run. A retryable failure is retried once, unless the agent
 * had any output. Never fails.
 */
import { Deferred, Effect, type Scope, Stream } from "effect"
import { errorEvent, failedRun } from "../../agents/engine/result.ts"
import { Aborted, type AgentError, type InvalidParams } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { Attachment } from "../../contract/Attachment.ts"
import type { OnInterrupted } from "../../contract/Sessions.ts"
import type { Sessions } from "../../conversations/Sessions.ts"
import { type Conversation, conversationParts } from "../messages/Conversation.ts"
import type { Exits } from "./exits.ts"
import type { LiveSession } from "./live.ts"
import { makeOutcome, type Outcome } from "./outcome.ts"

const isEnd = ({ type, parentToolId }: AgentEvent) =>
  parentToolId === undefined && (type === "error" || type === "turn_done" || type === "done")

/**
 * Holds failures and ends of an attempt back until it is certain that no other attempt follows: listeners see one turn.
 * After any output nothing is held: further attempts are excluded.
 */
interface HeldEnds {
  /** `hadOutput`: whether there was output up to this event. */
  readonly push: (event: AgentEvent, hadOutput: boolean) => Effect.Effect<void>
  /** Passes on what is held: no other attempt follows. */
  readonly release: Effect.Effect<void>
  /** Discards what is held: another attempt follows. */
  readonly drop: Effect.Effect<void>
}

export const makeHeldEnds = (listen: (event: AgentEvent) => Effect.Effect<void>): HeldEnds => {
  let held: Array<AgentEvent> = []
  const release = Effect.suspend(() => {
    const events = held
    held = []
    return Effect.forEach(events, listen, { discard: true })
  })
  return {
    push: (event, hadOutput) =>
      Effect.suspend(() => {
        if (hadOutput) return Effect.andThen(release, listen(event))
        if (!isEnd(event)) return listen(event)
        held.push(event)
        return Effect.void
      }),
    release,
    drop: Effect.sync(() => {
      held = []
    })
  }
}

export interface Question {
  readonly conversation: Conversation
  readonly turnId: string
  readonly prompt: string
  readonly attachments?: ReadonlyArray<Attachment>
  readonly onInterrupted?: OnInterrupted
  /** Replaces the chat's agent, by a run. */
  readonly agent?: string | undefined
  /** Runs when earlier turns of the conversation are over. */
  readonly onBegin?: Effect.Effect<void>
  /** Stops the turn, also before it starts. */
  readonly signal?: AbortSignal | undefined
}

/** How a conversation is answered: an agent, and whether by a live session. */
export interface Answerer {
  readonly sessions: Sessions["Service"]
  /** Params of a run; their resources live until the scope closes. */
  readonly params: Effect.Effect<Omit<AgentExecuteParams, "prompt">, InvalidParams, Scope.Scope>
  /** Undefined for runs. */
  readonly live: Effect.Effect<LiveSession, AgentError, Scope.Scope> | undefined
}

/** A running turn. */
export interface Running {
  /** Returns false if it has ended by itself. */
  readonly interrupt: Effect.Effect<boolean>
  readonly live: LiveSession | undefined
}

/** The events of a failure to open a session. */
const failed = ({ reason, result }: Pick<AgentError, "reason" | "result">): Stream.Stream<AgentEvent> =>
  Stream.make(errorEvent(reason), { type: "turn_done", result })

/** @param stopping Completes when the turn is stopped before its session is open. */
const liveTurn = (
  { turnId, prompt, attachments, onInterrupted }: Question,
  opened: NonNullable<Answerer["live"]>,
  running: (running: Running) => void,
  stopping: Effect.Effect<void>
): Stream.Stream<AgentEvent> =>
  Stream.scoped(
    Stream.unwrap(
      Effect.match(Effect.raceFirst(Effect.andThen(stopping, Effect.fail(stoppedBefore)), opened), {
        onFailure: failed,
        onSuccess: (live) => {
          running({ interrupt: live.session.interrupt, live })
          return live.following(live.session.turn(prompt, { turnId, onInterrupted, attachments }))
        }
      })
    )
  )

const runTurn = (
  { conversation, turnId, prompt, attachments, onInterrupted }: Question,
  { sessions, params }: Answerer,
  running: (running: Running) => void,
  isStopped: () => boolean
): Stream.Stream<AgentEvent> =>
  Stream.suspend(() => {
    if (isStopped()) return failed(stoppedBefore)
    const abort = new AbortController()
    running({
      interrupt: Effect.sync(() => {
        const isFirst = !abort.signal.aborted
        abort.abort()
        return isFirst
      }),
      live: undefined
    })
    const own = { conversation: conversationParts(conversation), turnId, prompt, abortSignal: abort.signal }
    return Stream.scoped(
      Stream.unwrap(
        Effect.match(params, {
          onFailure: (problem) => Stream.fromIterable(failedRun(problem)),
          onSuccess: (shared) => sessions.execute({ ...shared, ...own, attachments, onInterrupted })
        })
      )
    )
  })

/** A turn that was stopped before it started. */
const stopped: Outcome = (() => {
  const { push, outcome } = makeOutcome()
  for (const event of failedRun(new Aborted())) push(event)
  return outcome()
})()
const stoppedBefore = { reason: new Aborted(), result: stopped.result }

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.void)
    if (signal.aborted) return done()
    signal.addEventListener("abort", done, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", done))
  })

/** Ends at once if `signal` is aborted before `work` calls `begun`. */
export const unlessStopped = <R>(
  signal: AbortSignal | undefined,
  work: (begun: () => void) => Effect.Effect<Outcome, never, R>
): Effect.Effect<Outcome, never, R> => {
  if (signal === undefined) return work(() => {})
  let hasBegun = false
  const waiting = Effect.flatMap(aborted(signal), () => (hasBegun ? Effect.never : Effect.succeed(stopped)))
  return Effect.raceFirst(
    work(() => {
      hasBegun = true
    }),
    waiting
  )
}

/** Failures of an account at its provider: another account may work. */
const accountFailures: ReadonlySet<string> = new Set(["auth", "billing", "rate_limit"])

/** Whether another account may be tried: this one was refused before any output. */
export const mayRotate = ({ failure, hadOutput }: Outcome): boolean =>
  failure !== undefined && !hadOutput && accountFailures.has(failure.category)

/**
 * `listen` gets each event, and is awaited. `running` gets the running turn, and undefined at its end. `isLast`: no other
 * account can be tried. `exits` waits for processes that outlive their turn.
 */
export const answer = Effect.fnUntraced(function* (
  question: Question,
  answerer: Answerer,
  { push: listen, drop }: HeldEnds,
  running: (running: Running | undefined) => void,
  isLast: boolean,
  exits: Exits
): Effect.fn.Return<Outcome, never, Scope.Scope> {
  const { signal } = question
  let current: Running | undefined
  const stopping = Deferred.makeUnsafe<void>()
  const isStopped = () => Deferred.isDoneUnsafe(stopping)
  const stop = Effect.suspend(() => current?.interrupt ?? Deferred.succeed(stopping, undefined))
  /** The running turn until it has a session or process. */
  const opening: Running = { interrupt: stop, live: undefined }
  const setRunning = (now: Running | undefined) => {
    current = now
    running(now ?? opening)
  }
  const interrupting = signal && Effect.andThen(aborted(signal), stop)
  const once = Effect.suspend(() => {
    const { push, hadOutput, outcome } = makeOutcome()
    const events =
      answerer.live === undefined
        ? runTurn(question, answerer, setRunning, isStopped)
        : liveTurn(question, answerer.live, setRunning, Deferred.await(stopping))
    const each = (event: AgentEvent) =>
      Effect.andThen(
        Effect.sync(() => push(event)),
        Effect.suspend(() => listen(event, hadOutput()))
      )
    return exits
      .upToDone(events, each)
      .pipe(Effect.map(outcome), Effect.ensuring(Effect.sync(() => setRunning(undefined))))
  })
  running(opening)
  yield* Effect.addFinalizer(() => Effect.sync(() => running(undefined)))
  if (interrupting !== undefined) yield* Effect.forkScoped(interrupting)
  const first = yield* once
  if (first.failure?.retryable !== true || first.hadOutput || (!isLast && mayRotate(first))) return first
  yield* Effect.andThen(drop, exits.wait)
  return yield* once
}, Effect.scoped)
