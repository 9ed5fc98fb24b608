/**
 * Live sessions of conversations: opened by the first turn, kept while they are used, closed after a while of idleness; the
 * next turn resumes by the session's id. What an agent does between the turns that it was asked for is followed, too.
 */
import { Deferred, Effect, RcMap, type Scope, Stream } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import type { Places } from "../../conversations/turns/places.ts"
import { knownConversation } from "../journal/conversations.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import { makeOutcome, type Outcome } from "./outcome.ts"

export interface LiveSession {
  readonly session: AgentSession
  /** Gives the events of a turn that was asked for. */
  readonly following: (turn: Stream.Stream<AgentEvent>) => Stream.Stream<AgentEvent>
}

export interface LiveOptions {
  readonly places: Pick<Places, "keep">
  readonly open: (conversation: Conversation) => Effect.Effect<AgentSession, AgentError, Scope.Scope>
  readonly idleMs: number
  /** Each event of a session, in order. */
  readonly onEvent: (conversation: Conversation, session: AgentSession, event: AgentEvent) => Effect.Effect<void>
  /** A turn that the agent began by itself has ended. */
  readonly onOwnTurn: (conversation: Conversation, outcome: Outcome) => Effect.Effect<void>
  readonly onEnd: (conversation: Conversation, session: AgentSession) => Effect.Effect<void>
}

/** Tells the turns that were asked for from those that an agent begins by itself: both have the same `turn_done`. */
const makeAsked = () => {
  const ends = new WeakSet<AgentEvent>()
  let underWay: Deferred.Deferred<void> | undefined
  const over = Effect.sync(() => {
    if (underWay !== undefined) Deferred.doneUnsafe(underWay, Effect.void)
    underWay = undefined
  })
  return {
    following: (turn: Stream.Stream<AgentEvent>) =>
      Stream.suspend(() => {
        underWay = Deferred.makeUnsafe<void>()
        return Stream.tap(turn, (event) =>
          Effect.sync(() => {
            if (event.type === "turn_done") ends.add(event)
          })
        )
      }).pipe(Stream.ensuring(over)),
    /** Once it is known. */
    isAsked: (end: AgentEvent): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        if (ends.has(end) || underWay === undefined) return Effect.succeed(ends.has(end))
        return Effect.as(Deferred.await(underWay), ends.has(end))
      }).pipe(Effect.map((isAsked) => isAsked || ends.has(end)))
  }
}

export const makeLive = Effect.fnUntraced(function* (options: LiveOptions) {
  const { places, open, idleMs, onEvent, onOwnTurn, onEnd } = options
  const sessions: RcMap.RcMap<string, LiveSession, AgentError> = yield* RcMap.make({
    lookup: Effect.fnUntraced(function* (text: string) {
      const conversation = knownConversation(text)
      // Left when nothing of the session is left.
      const opened = yield* places.keep(text)
      const session = yield* open(conversation)
      opened(session)
      const { following, isAsked } = makeAsked()
      let fold = makeOutcome()
      const follow = Effect.fnUntraced(function* (event: AgentEvent) {
        fold.push(event)
        yield* onEvent(conversation, session, event)
        if (event.type !== "turn_done" || event.parentToolId !== undefined) return
        const { outcome } = fold
        fold = makeOutcome()
        if (!(yield* isAsked(event))) yield* onOwnTurn(conversation, outcome())
      })
      yield* Effect.addFinalizer(() => onEnd(conversation, session))
      yield* Stream.runForEach(session.events, follow).pipe(
        Effect.andThen(RcMap.invalidate(sessions, text)),
        Effect.forkScoped({ startImmediately: true })
      )
      return { session, following }
    }),
    idleTimeToLive: idleMs
  })
  return {
    /** Until the scope closes, and then for a while. */
    get: (conversation: Conversation) => {
      const text = conversationText(conversation)
      return Effect.tapError(RcMap.get(sessions, text), () => RcMap.invalidate(sessions, text))
    },
    /** Closes it: the next turn opens another. */
    close: (conversation: Conversation) => RcMap.invalidate(sessions, conversationText(conversation))
  }
})
