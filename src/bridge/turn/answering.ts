/** Answers one turn, by a live session or a run. A retryable failure without output is retried once. Never fails. */
import { Deferred, Effect, Exit, Fiber, type Scope, Stream } from "effect"
import { errorEvent, failedRun } from "../../agents/engine/result.ts"
import { aborted } from "../../agents/engine/stop.ts"
import { Aborted, type AgentError, type InvalidParams } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { Attachment } from "../../contract/Attachment.ts"
import type { OnInterrupted } from "../../contract/Sessions.ts"
import { untraced } from "../../contract/untraced.ts"
import type { Sessions } from "../../conversations/Sessions.ts"
import { type Conversation, conversationParts } from "../messages/Conversation.ts"
import type { LiveSession } from "./live.ts"
import { makeOutcome, type Outcome } from "./outcome.ts"

const isEnd = ({ type, parentToolId }: AgentEvent) =>
  parentToolId === undefined && (type === "error" || type === "turn_done" || type === "done")

export type HeldEnds = ReturnType<typeof makeHeldEnds>

const isStopped = (event: AgentEvent): boolean =>
  event.type === "error"
    ? event.category === "aborted"
    : (event.type === "turn_done" || event.type === "done") && event.result.outcome === "aborted"

/**
 * Holds failures and ends back until no other attempt can follow: listeners see one turn. After output only the end of a turn
 * that was stopped is held, until nothing of it is left.
 */
export const makeHeldEnds = (listen: (event: AgentEvent) => Effect.Effect<void>) => {
  let held: Array<AgentEvent> = []
  const release = Effect.suspend(() => {
    const events = held
    held = []
    return Effect.forEach(events, listen, { discard: true })
  })
  return {
    /** `hadOutput`: whether there was output up to this event. */
    push: (event: AgentEvent, hadOutput: boolean): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (hadOutput && !(isEnd(event) && isStopped(event))) return Effect.andThen(release, listen(event))
        if (!isEnd(event)) return listen(event)
        held.push(event)
        return Effect.void
      }),
    /** To be run if no other attempt follows. */
    release,
    /** To be run if another attempt follows. */
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

export interface Answerer {
  readonly sessions: Sessions["Service"]
  /** Params of a run; their resources live until the scope closes. */
  readonly params: Effect.Effect<Omit<AgentExecuteParams, "prompt">, InvalidParams, Scope.Scope>
  /** Undefined for runs. */
  readonly live: Effect.Effect<LiveSession, AgentError, Scope.Scope> | undefined
}

export interface Running {
  /** Returns false if it has ended by itself. */
  readonly interrupt: Effect.Effect<boolean>
  readonly live: LiveSession | undefined
}

/** Events of a session that could not be opened. */
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
  hasStopped: () => boolean
): Stream.Stream<AgentEvent> =>
  Stream.suspend(() => {
    if (hasStopped()) return failed(stoppedBefore)
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

/** Awaits `listen` for each event. `running` gets the running turn, then undefined. `isLast`: no account is left. */
export const answer = Effect.fn(...untraced("Answering.answer"))(function* (
  question: Question,
  answerer: Answerer,
  { push: listen, drop }: HeldEnds,
  running: (running: Running | undefined) => void,
  isLast: boolean,
  exits: Exits
): Effect.fn.Return<Outcome, never, Scope.Scope> {
  const { signal } = question
  let current: Running | undefined
  let session: LiveSession | undefined
  const stopping = Deferred.makeUnsafe<void>()
  const hasStopped = () => Deferred.isDoneUnsafe(stopping)
  const stop = Effect.suspend(() => current?.interrupt ?? Deferred.succeed(stopping, undefined))
  /** The running turn until it has a session or process. */
  const opening: Running = { interrupt: stop, live: undefined }
  const setRunning = (now: Running | undefined) => {
    current = now
    session = now?.live ?? session
    running(now ?? opening)
  }
  const interrupting = signal && Effect.andThen(aborted(signal), stop)
  const once = Effect.suspend(() => {
    const { push, hadOutput, outcome } = makeOutcome()
    const events =
      answerer.live === undefined
        ? runTurn(question, answerer, setRunning, hasStopped)
        : liveTurn(question, answerer.live, setRunning, Deferred.await(stopping))
    const each = (event: AgentEvent) =>
      Effect.andThen(
        Effect.sync(() => push(event)),
        Effect.suspend(() => listen(event, hadOutput()))
      )
    const idle = Effect.sync(() => setRunning(undefined))
    return Effect.ensuring(Effect.map(exits.upToDone(events, each), outcome), idle)
  })
  running(opening)
  yield* Effect.addFinalizer(() => Effect.sync(() => running(undefined)))
  if (interrupting !== undefined) yield* Effect.forkScoped(interrupting)
  const isRetried = (outcome: Outcome) =>
    outcome.failure?.retryable === true && !outcome.hadOutput && (isLast || !mayRotate(outcome))
  const first = yield* once
  const outcome = isRetried(first) ? yield* Effect.andThen(Effect.andThen(drop, exits.wait), once) : first
  // "Stopped." says that nothing works any more: an agent that does not obey is killed, which takes seconds.
  if (outcome.result.outcome === "aborted") {
    yield* exits.wait
    if (session?.session.isOver === true) yield* session.gone
  }
  return outcome
}, Effect.scoped)

// Processes that outlive their turn: it is over at `done`, but they may take seconds to save their state and exit.

export type Exits = ReturnType<typeof makeExits>

/** Remaining processes end with the scope. */
export const makeExits = (scope: Scope.Scope) => {
  let exiting: Array<Fiber.Fiber<void>> = []
  return {
    /** Completes at `done`, or when the events end. */
    upToDone: (
      events: Stream.Stream<AgentEvent>,
      each: (event: AgentEvent) => Effect.Effect<void>
    ): Effect.Effect<void> =>
      Effect.suspend(() => {
        const done = Deferred.makeUnsafe<void>()
        const reading = Stream.runForEach(events, (event) =>
          Effect.andThen(each(event), event.type === "done" ? Deferred.succeed(done, undefined) : Effect.void)
        )
        return Effect.flatMap(Effect.forkIn(reading, scope), (fiber) => {
          exiting.push(fiber)
          return Effect.raceFirst(Deferred.await(done), Fiber.join(fiber))
        })
      }),
    wait: Effect.suspend(() => {
      const fibers = exiting
      exiting = []
      return Effect.asVoid(Fiber.awaitAll(fibers))
    })
  }
}

/** Completes when `work` settles; the rest continues in the scope. Before that, it is interrupted with its caller. */
export const answerBeforeExit = <A, R>(
  scope: Scope.Scope,
  work: (settle: (value: A) => void) => Effect.Effect<A, never, R>
): Effect.Effect<A, never, R> =>
  // Uninterruptible between the fork and the wait: the fork would lose its caller.
  Effect.uninterruptibleMask((restore) => {
    const settled = Deferred.makeUnsafe<A>()
    return work((value) => Deferred.doneUnsafe(settled, Exit.succeed(value))).pipe(
      Effect.onExit((exit) => Deferred.done(settled, exit)),
      Effect.forkIn(scope),
      Effect.flatMap((fiber) => Effect.onInterrupt(restore(Deferred.await(settled)), () => Fiber.interrupt(fiber)))
    )
  })
