/** A live session that holds its conversation; its turns are rows, too. Closes if it is idle and others wait. */
import { Clock, Effect, Exit, Schedule, Scope } from "effect"
import { OwnGates, OwnObservers } from "../../agents/engine/ownSeams.ts"
import type { AgentError } from "../../contract/AgentError.ts"
import type { NoticeEvent } from "../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { untraced } from "../../contract/untraced.ts"
import { refusedByStore } from "../store/problems.ts"
import { type ConversationContext, type Held, patienceOf } from "./context.ts"
import { enterConversation } from "./conversationEntry.ts"
import { keyText } from "./conversationKey.ts"
import { type IdentifiedTurns, makeIdentifiedTurns } from "./identifiedTurns.ts"
import { inWorktree } from "./inWorktree.ts"
import { findSession, paramsWith } from "./lookUp.ts"
import { refused } from "./runTurn.ts"
import { type GatedTurns, makeTurnGate } from "./turnGate.ts"
import { type TurnRequest, turnDigest, turnRequest } from "./turnRequest.ts"
import { enqueueTurn, forgetTurn } from "./turnRows.ts"

type Request = TurnRequest<AgentOpenParams>

const looks = Schedule.spaced("250 millis")

/** Closes the session when it is idle and another caller waits for the conversation. */
const closingForOthers = (session: AgentSession, held: Held, close: Effect.Effect<unknown>) =>
  Effect.andThen(
    session.idle,
    Effect.sync(() => held.isWanted())
  ).pipe(
    Effect.repeat({ schedule: looks, until: (isWanted) => isWanted }),
    Effect.andThen(Effect.logInfo("a live session was idle and is closed, since another asks for its conversation")),
    Effect.andThen(close)
  )

/** Enqueues the turn of a start, unless its caller gave it an id: then it has its row. */
const enteredTurn = (
  { store, agent }: ConversationContext,
  { key }: Request,
  identified: IdentifiedTurns | undefined
): GatedTurns["turnOf"] =>
  Effect.fnUntraced(function* (start) {
    const entered = identified?.take(start.id)
    if (entered !== undefined) return yield* entered
    const now = yield* Clock.currentTimeMillis
    const prompt = start.type === "turn" ? start.prompt : ""
    const conversation = key === undefined ? "" : keyText(key)
    const turn = { turnId: start.id, conversation, cli: agent.cli, prompt, digest: turnDigest(key, { prompt }) }
    yield* refusedByStore(enqueueTurn(store, turn, now))
    yield* Effect.addFinalizer(() => Effect.ignore(forgetTurn(store, start.id)))
    return start.id
  })

const opening = Effect.fn(...untraced("OpenConversation.opening"))(function* (
  context: ConversationContext,
  request: Request,
  /** `locks` closes after `inner`, the scope of the session. */
  {
    outer,
    locks,
    inner
  }: { readonly outer: Scope.Scope; readonly locks: Scope.Closeable; readonly inner: Scope.Closeable }
) {
  const { agent, store } = context
  const { key, whenBusy } = request
  const waiting = { ...patienceOf(agent, whenBusy), queued: () => {} }
  const entered =
    key === undefined
      ? undefined
      : yield* Scope.provide(refusedByStore(enterConversation(context, key, undefined, waiting)), locks)
  const now = yield* Clock.currentTimeMillis
  const { session: requested } = yield* refusedByStore(findSession(store, agent.cli, request, now))
  const notices: Array<NoticeEvent> = []
  const own = yield* inWorktree(context, request, { session: requested, locks, tell: (notice) => notices.push(notice) })
  for (const { message } of notices) yield* Effect.logWarning(message)
  const params = requested === undefined ? own : yield* paramsWith(context, own, requested)
  const isAside = request.params.forkSession === true
  const resumed = isAside ? undefined : params.sessionId
  const identified = key === undefined ? undefined : makeIdentifiedTurns(context, { key, whenBusy, resumed })
  const { gate, observer } = makeTurnGate(context, {
    ...{ key, session: requested, isAside, turnOf: enteredTurn(context, request, identified) },
    onLeft: Scope.close(locks, Exit.void)
  })
  const session = yield* agent
    .open(params)
    .pipe(
      Effect.provideService(OwnGates, [gate]),
      Effect.provideService(OwnObservers, [observer, ...context.observers]),
      Scope.provide(inner)
    )
  if (entered !== undefined) {
    // Not in the polling fiber, which ends with the locks.
    const close = Effect.forkIn(Scope.close(inner, Exit.void), outer)
    yield* Effect.forkIn(closingForOthers(session, entered.held, close), locks)
  }
  return identified?.of(session) ?? session
})

/** Fails like `open` of the agent, and as `session_busy` while another has the conversation. */
export const openConversation = (
  context: ConversationContext,
  input: unknown
): Effect.Effect<AgentSession, AgentError, Scope.Scope> =>
  Effect.fromResult(turnRequest<AgentOpenParams>(input ?? {})).pipe(
    Effect.flatMap((request) =>
      Effect.gen(function* () {
        const outer = yield* Scope.Scope
        const scopes = { outer, locks: yield* Scope.fork(outer), inner: yield* Scope.fork(outer) }
        const close = Effect.andThen(Scope.close(scopes.inner, Exit.void), Scope.close(scopes.locks, Exit.void))
        return yield* Effect.onError(opening(context, request, scopes), () => close)
      })
    ),
    Effect.mapError((error) => (error._tag === "AgentError" ? error : refused(context.agent.cli, error)))
  )
