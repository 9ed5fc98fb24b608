/**
 * One turn of a conversation: by its live session, or by a run of its own. A failure that may pass is tried once more,
 * unless the agent had said or done anything. Never fails.
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
import type { LiveSession } from "./live.ts"
import { makeOutcome, type Outcome } from "./outcome.ts"
import type { Rests } from "./rests.ts"

/**
 * Failures and ends of an attempt are held back until it is known that there is no other one: whoever listens hears of one
 * turn. After any output there never is another, and nothing is held.
 */
const isEnd = ({ type, parentToolId }: AgentEvent) =>
  parentToolId === undefined && (type === "error" || type === "turn_done" || type === "done")

export interface HeldEnds {
  /** `hadOutput`: with this event. */
  readonly push: (event: AgentEvent, hadOutput: boolean) => Effect.Effect<void>
  /** There is no other attempt. */
  readonly release: Effect.Effect<void>
  /** There is another one. */
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
  /** In place of the chat's: by a run of its own. */
  readonly agent?: string | undefined
  /** Run when the turns before it are over. */
  readonly onBegin?: Effect.Effect<void>
  /** Stops the turn, also before it has begun. */
  readonly signal?: AbortSignal | undefined
}

/** How a conversation is answered: an agent, and whether by a live session. */
export interface Answerer {
  readonly sessions: Sessions["Service"]
  /** Those of a run; what they need is there until the scope closes. */
  readonly params: Effect.Effect<Omit<AgentExecuteParams, "prompt">, InvalidParams, Scope.Scope>
  /** Undefined: by runs. */
  readonly live: Effect.Effect<LiveSession, AgentError, Scope.Scope> | undefined
}

/** A turn under way. */
export interface Running {
  /** False: it has ended by itself. */
  readonly interrupt: Effect.Effect<boolean>
  readonly live: LiveSession | undefined
}

/** What a failure to open a session says as events. */
const failed = ({ reason, result }: Pick<AgentError, "reason" | "result">): Stream.Stream<AgentEvent> =>
  Stream.make(errorEvent(reason), { type: "turn_done", result })

/** @param stopping Happens when the turn is stopped before there is a session that could be. */
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
          onSuccess: (given) => sessions.execute({ ...given, ...own, attachments, onInterrupted })
        })
      )
    )
  })

/** Of a turn that was stopped before it began. */
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

/** As long as it has not begun, `signal` ends it at once; `begun` says that it has. */
export const unlessStopped = <R>(
  signal: AbortSignal | undefined,
  asked: (begun: () => void) => Effect.Effect<Outcome, never, R>
): Effect.Effect<Outcome, never, R> => {
  if (signal === undefined) return asked(() => {})
  let hasBegun = false
  const waiting = Effect.flatMap(aborted(signal), () => (hasBegun ? Effect.never : Effect.succeed(stopped)))
  return Effect.raceFirst(
    asked(() => {
      hasBegun = true
    }),
    waiting
  )
}

/** The provider refuses this account, or has enough of it: another one may be taken. */
const isOfAccount: ReadonlySet<string> = new Set(["auth", "billing", "rate_limit"])

/** Nothing was said or done, and with another account it may be. */
export const mayRotate = ({ failure, hadOutput }: Outcome): boolean =>
  failure !== undefined && !hadOutput && isOfAccount.has(failure.category)

/**
 * `listen` gets each event, and is waited for. `running` is told how the turn can be stopped, and that it is over.
 * `isLast`: there is no other account to take. `rests` get what goes on after the turn.
 */
export const answer = Effect.fnUntraced(function* (
  question: Question,
  answerer: Answerer,
  { push: listen, drop }: HeldEnds,
  running: (running: Running | undefined) => void,
  isLast: boolean,
  rests: Rests
): Effect.fn.Return<Outcome, never, Scope.Scope> {
  const { signal } = question
  let current: Running | undefined
  const stopping = Deferred.makeUnsafe<void>()
  const isStopped = () => Deferred.isDoneUnsafe(stopping)
  const stop = Effect.suspend(() => current?.interrupt ?? Deferred.succeed(stopping, undefined))
  /** Until there is a session, or a process, that can be stopped. */
  const opening: Running = { interrupt: stop, live: undefined }
  const tell = (now: Running | undefined) => {
    current = now
    running(now ?? opening)
  }
  const interrupting = signal && Effect.andThen(aborted(signal), stop)
  const once = Effect.suspend(() => {
    const { push, hadOutput, outcome } = makeOutcome()
    const events =
      answerer.live === undefined
        ? runTurn(question, answerer, tell, isStopped)
        : liveTurn(question, answerer.live, tell, Deferred.await(stopping))
    const each = (event: AgentEvent) =>
      Effect.andThen(
        Effect.sync(() => push(event)),
        Effect.suspend(() => listen(event, hadOutput()))
      )
    return rests.upToDone(events, each).pipe(Effect.map(outcome), Effect.ensuring(Effect.sync(() => tell(undefined))))
  })
  running(opening)
  yield* Effect.addFinalizer(() => Effect.sync(() => running(undefined)))
  if (interrupting !== undefined) yield* Effect.forkScoped(interrupting)
  const first = yield* once
  if (first.failure?.retryable !== true || first.hadOutput || (!isLast && mayRotate(first))) return first
  yield* Effect.andThen(drop, rests.wait)
  return yield* once
}, Effect.scoped)
