/** One turn: its row, conversation, session and run; and a run in a new session if the old one is lost unused. */
import { Clock, Effect, Exit, Scope } from "effect"
import type { Gate } from "../../agents/engine/Gate.ts"
import { aborted } from "../../agents/engine/stop.ts"
import { Aborted, type FailureReason, InvalidParams, type SessionBusy } from "../../contract/AgentError.ts"
import type { AgentEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { Observer } from "../../contract/Observer.ts"
import type { End } from "../../contract/Start.ts"
import { untraced } from "../../contract/untraced.ts"
import { refusedByStore } from "../store/problems.ts"
import { type ConversationContext, patienceOf } from "./context.ts"
import { enterConversation } from "./conversationEntry.ts"
import { keyText } from "./conversationKey.ts"
import { inWorktree } from "./inWorktree.ts"
import { type Found, findSession, paramsWith, type ResetReason } from "./lookUp.ts"
import { isUsable, type SessionRow, sessionOfConversation } from "./sessionRows.ts"
import { enterTurn, goOn, queuedNotice } from "./turnEntry.ts"
import { makeTurnGate } from "./turnGate.ts"
import type { TurnRequest } from "./turnRequest.ts"
import { forgetTurn, releaseTurn } from "./turnRows.ts"

type Request = TurnRequest<AgentExecuteParams>

export interface Attempt {
  readonly params: AgentExecuteParams
  readonly gates: ReadonlyArray<Gate>
  readonly observers: ReadonlyArray<Observer>
  /** Known before `done`: the reason why the turn is repeated. */
  readonly again: () => NoticeEvent | undefined
}

/** A finished turn has its end; any other has its runs, in order. */
export type TurnCourse =
  | { readonly _tag: "Over"; readonly end: End }
  | { readonly _tag: "Runs"; readonly next: Effect.Effect<Attempt, FailureReason> }

const resetWords: { readonly [Reason in ResetReason]: string } = {
  expired: "it was not used for longer than it is kept",
  dead: "the agent no longer has it",
  quarantined: "it can no longer be used",
  archived: "it was put away"
}

const resetNotice = (because: ResetReason, sessionId: string | undefined): NoticeEvent => ({
  type: "notice",
  kind: "session_reset",
  message: `The conversation begins a new session, without what was said before: ${resetWords[because]}`,
  data: { because, ...(sessionId === undefined ? {} : { sessionId }) }
})

const interruptedNotice = (turnIds: ReadonlyArray<string>): NoticeEvent => ({
  type: "notice",
  kind: "warning",
  message:
    "The turn before was interrupted: its host died while the agent was at work, and what it has done is not known",
  data: { turnIds }
})

interface Place extends Found {
  /** The turn continues in a fork, and the conversation keeps its session. */
  readonly isAside: boolean
}

/** The session of a busy conversation, to be forked; fails if that is impossible. */
const besideConversation = Effect.fn(...untraced("TurnCourse.besideConversation"))(function* (
  { store, facts, agent }: ConversationContext,
  conversation: string,
  busy: SessionBusy
) {
  const now = yield* Clock.currentTimeMillis
  const session = facts.canFork ? yield* sessionOfConversation(store, conversation, agent.cli) : undefined
  if (session === undefined || session.home !== store.home || !isUsable(session, now)) return yield* busy
  return { session, reset: undefined, isAside: true } satisfies Place
})

const placeOf = Effect.fn(...untraced("TurnCourse.placeOf"))(function* (
  context: ConversationContext,
  request: Request,
  turnId: string,
  tell: (event: AgentEvent) => void
) {
  const { store, agent } = context
  const { key, whenBusy } = request
  if (key !== undefined) {
    const conversation = keyText(key)
    const waiting = { ...patienceOf(agent, whenBusy), queued: queuedNotice(tell) }
    const entered = yield* enterConversation(context, key, turnId, waiting).pipe(
      Effect.catchTag("SessionBusy", (busy) =>
        whenBusy === "fork" && !request.fresh && request.params.sessionId === undefined
          ? besideConversation(context, conversation, busy)
          : Effect.fail(busy)
      )
    )
    if ("isAside" in entered) return entered
    if (entered.interrupted.length > 0) tell(interruptedNotice(entered.interrupted))
  }
  const found = yield* findSession(store, agent.cli, request, yield* Clock.currentTimeMillis)
  return { ...found, isAside: request.params.forkSession === true } satisfies Place
})

const paramsFor = Effect.fn(...untraced("TurnCourse.paramsFor"))(function* (
  context: ConversationContext,
  params: AgentExecuteParams,
  { session, isAside }: Place,
  continues: boolean
) {
  if (session === undefined) {
    // There is nothing to fork.
    const { forkSession: _, ...others } = params
    return params.sessionId === undefined ? others : params
  }
  return {
    ...(yield* paramsWith(context, params, session)),
    ...(isAside ? { forkSession: true } : {}),
    ...(continues ? { prompt: goOn, attachments: undefined } : {})
  } satisfies AgentExecuteParams
})

/** `tell` gets the notices before the first run. The scope releases everything, at the latest. */
export const beginTurn = (
  context: ConversationContext,
  request: Request,
  tell: (event: AgentEvent) => void
): Effect.Effect<TurnCourse, FailureReason, Scope.Scope> =>
  Effect.gen(function* () {
    const { store } = context
    const { key } = request
    const { prompt } = request.params
    if (typeof prompt !== "string") {
      const problem = prompt === undefined ? "is missing" : "is not a text"
      return yield* new InvalidParams({ option: "prompt", problem })
    }
    // Released when nothing of the last run is left, even if a consumer is still reading.
    const locks = yield* Scope.fork(yield* Scope.Scope)
    const left = Effect.suspend(() => Scope.close(locks, Exit.void))
    const entry = yield* Scope.provide(enterTurn(context, request, { queued: queuedNotice(tell) }), locks)
    if (entry._tag === "Over") {
      yield* left
      return { _tag: "Over", end: entry.end } satisfies TurnCourse
    }
    const { turnId, continues } = entry
    // Removes the row if nothing was started.
    yield* Scope.addFinalizer(
      locks,
      Effect.ignore(context.areTurnsOfOthers ? releaseTurn(store, turnId) : forgetTurn(store, turnId))
    )
    let place = yield* Scope.provide(placeOf(context, request, turnId, tell), locks)
    if (continues !== undefined) place = { ...place, session: continues, reset: undefined }
    const { session } = place
    const params = yield* inWorktree(context, request, { session, locks, tell })
    if (place.reset !== undefined) tell(resetNotice(place.reset, undefined))
    let mayReset = key !== undefined && !place.isAside && request.onMissing === "fresh"
    const next = Effect.gen(function* () {
      const own = yield* paramsFor(context, params, place, continues !== undefined && place.session !== undefined)
      const present: SessionRow | undefined = place.session
      let notice: NoticeEvent | undefined
      const { gate, observer } = makeTurnGate(context, {
        ...{ key, session: present, isAside: place.isAside, mayReset },
        turnOf: () => Effect.succeed(turnId),
        onEnd: ({ again }) => {
          if (again === undefined) return
          notice = resetNotice(again, present?.sessionId)
          place = { session: undefined, reset: undefined, isAside: false }
          mayReset = false
        },
        onLeft: Effect.suspend(() => (notice === undefined ? left : Effect.void))
      })
      return {
        params: own,
        gates: [gate],
        observers: [observer, ...context.observers],
        again: () => notice
      } satisfies Attempt
    })
    return { _tag: "Runs", next: refusedByStore(next) } satisfies TurnCourse
  }).pipe(refusedByStore, (begin) =>
    request.params.abortSignal instanceof AbortSignal
      ? Effect.raceFirst(begin, Effect.andThen(aborted(request.params.abortSignal), new Aborted()))
      : begin
  )
