/** Live sessions of conversations: closed when idle, resumed by the next turn. An agent's own turns are followed. */
import { Deferred, Effect, Latch, type Scope, Stream } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { untraced } from "../../contract/untraced.ts"
import { makeLiveSessions } from "../../conversations/turns/liveSessions.ts"
import type { Places } from "../../conversations/turns/places.ts"
import { type Conversation, conversationText, knownConversation } from "../messages/Conversation.ts"
import { makeOutcome, type Outcome } from "./outcome.ts"

export interface LiveSession {
  readonly session: AgentSession
  /** Marks a turn as requested; returns its events. */
  readonly following: (turn: Stream.Stream<AgentEvent>) => Stream.Stream<AgentEvent>
  /** Completes when nothing of the session is left. */
  readonly gone: Effect.Effect<void>
}

interface LiveOptions {
  readonly places: Pick<Places, "keep">
  readonly open: (conversation: Conversation) => Effect.Effect<AgentSession, AgentError, Scope.Scope>
  readonly idleMs: number
  /** Called with each event of a session, in order. */
  readonly onEvent: (conversation: Conversation, session: AgentSession, event: AgentEvent) => Effect.Effect<void>
  /** Called at the end of a turn that the agent began by itself. */
  readonly onOwnTurn: (conversation: Conversation, outcome: Outcome) => Effect.Effect<void>
  readonly onEnd: (conversation: Conversation, session: AgentSession) => Effect.Effect<void>
}

/** Distinguishes requested turns from those that an agent begins by itself: both have the same `turn_done`. */
const makeRequestedTurns = () => {
  const ends = new WeakSet<AgentEvent>()
  let current: Deferred.Deferred<void> | undefined
  const over = Effect.sync(() => {
    if (current !== undefined) Deferred.doneUnsafe(current, Effect.void)
    current = undefined
  })
  return {
    following: (turn: Stream.Stream<AgentEvent>) =>
      Stream.suspend(() => {
        current = Deferred.makeUnsafe<void>()
        return Stream.tap(turn, (event) =>
          Effect.sync(() => {
            if (event.type === "turn_done") ends.add(event)
          })
        )
      }).pipe(Stream.ensuring(over)),
    /** Whether a `turn_done` ends a requested turn; waits until that is known. */
    isRequested: (end: AgentEvent): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        if (ends.has(end) || current === undefined) return Effect.succeed(ends.has(end))
        return Effect.as(Deferred.await(current), ends.has(end))
      }).pipe(Effect.map((isKnown) => isKnown || ends.has(end)))
  }
}

export const makeLive = Effect.fn(...untraced("Live.makeLive"))(function* (options: LiveOptions) {
  const { places, open, idleMs, onEvent, onOwnTurn, onEnd } = options
  const sessions = yield* makeLiveSessions<LiveSession>({
    open: Effect.fn(...untraced("Live.open"))(function* (text, forget) {
      const conversation = knownConversation(text)
      // The place is released when nothing of the session is left.
      const opened = yield* places.keep(text)
      const session = yield* open(conversation)
      opened(session)
      const { following, isRequested } = makeRequestedTurns()
      const gone = Latch.makeUnsafe()
      let fold = makeOutcome()
      const follow = Effect.fn(...untraced("Live.follow"))(function* (event: AgentEvent) {
        fold.push(event)
        yield* onEvent(conversation, session, event)
        if (event.type !== "turn_done" || event.parentToolId !== undefined) return
        const { outcome } = fold
        fold = makeOutcome()
        if (!(yield* isRequested(event))) yield* onOwnTurn(conversation, outcome())
      })
      yield* Effect.addFinalizer(() => onEnd(conversation, session))
      yield* Stream.runForEach(session.events, follow).pipe(
        Effect.ensuring(gone.open),
        Effect.andThen(forget),
        Effect.forkScoped({ startImmediately: true })
      )
      return { session, following, gone: gone.await }
    }),
    idleTimeToLive: idleMs
  })
  return {
    /** Keeps the session open until the scope closes, and then for the idle time. */
    get: (conversation: Conversation) => sessions.get(conversationText(conversation)),
    /** Closes the session: the next turn opens another. */
    close: (conversation: Conversation) => sessions.close(conversationText(conversation))
  }
})
