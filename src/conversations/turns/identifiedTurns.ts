/** Live turns with the caller's ids: a finished one replays its end; the gate finds another's row by its start. */
import { Effect, Exit, Predicate, Scope, Semaphore, Stream } from "effect"
import { withOutput } from "../../agents/answers/answering.ts"
import { OwnTurn } from "../../agents/engine/ownSeams.ts"
import { asTurn, failedRun } from "../../agents/engine/result.ts"
import { isSameSession } from "../../agents/guard/place.ts"
import { checkTurn } from "../../agents/session/checks.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { TurnOptions } from "../../contract/AgentOpenParams.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { untraced } from "../../contract/untraced.ts"
import { refusedByStore } from "../store/problems.ts"
import type { ConversationContext } from "./context.ts"
import type { KeyParts } from "./conversationKey.ts"
import { noticesFirst } from "./noticesFirst.ts"
import { eventsOfEnd } from "./storedEnd.ts"
import { enterTurn, goOn, goOnWith, queuedNotice } from "./turnEntry.ts"
import { parseTurnIdentity, type TurnRequest } from "./turnRequest.ts"
import { forgetTurn, releaseTurn } from "./turnRows.ts"

/** A row that waits for the gate of its turn. */
interface Waiting {
  readonly turnId: string
  /** Held while a process works on the turn. */
  readonly locks: Scope.Closeable
  isTaken: boolean
}

export interface IdentifiedTurns {
  /** Hands the turn of a start to the gate; undefined if its caller gave it no id. */
  readonly take: (startId: string) => Effect.Effect<string, never, Scope.Scope> | undefined
  /** The same session, whose turns may have an id. */
  readonly of: (session: AgentSession) => AgentSession
}

export interface IdentifiedTurnsOptions extends Pick<TurnRequest<unknown>, "whenBusy"> {
  readonly key: KeyParts
  /** The resumed session, until the CLI has reported its own. */
  readonly resumed: string | undefined
}

const identityOf = (options: unknown) =>
  Predicate.isObject(options) && !Array.isArray(options)
    ? { turnId: options["turnId"], onInterrupted: options["onInterrupted"] }
    : {}

const hasIdentity = (options: unknown) => Object.values(identityOf(options)).some((input) => input !== undefined)

const eventsOf = <Output>(events: ReadonlyArray<AgentEvent>) =>
  withOutput<Output>(undefined, Stream.fromIterable(events.map(asTurn)))

export const makeIdentifiedTurns = (
  context: ConversationContext,
  { key, whenBusy, resumed }: IdentifiedTurnsOptions
): IdentifiedTurns => {
  const { store, areTurnsOfOthers } = context
  const notStarted = areTurnsOfOthers ? releaseTurn : forgetTurn
  const waiting = new Map<string, Waiting>()
  /** Turns are entered in the order of the calls. */
  const oneAtATime = Semaphore.makeUnsafe(1)
  const isPresent = (session: AgentSession, sessionId: string) => {
    const present = session.sessionId ?? resumed
    return present !== undefined && isSameSession(present, sessionId)
  }

  /** Its locks are released with the scope, unless the gate has taken them. */
  const begin = Effect.fn(...untraced("IdentifiedTurns.begin"))(function* <Output>(
    session: AgentSession,
    prompt: string,
    input: TurnOptions<Output>,
    tell: (event: AgentEvent) => void
  ) {
    const { turnId: _, onInterrupted: __, ...options } = input
    yield* Effect.fromResult(checkTurn("prompt", prompt, options))
    const { turnId, onInterrupted = "fail" } = yield* Effect.fromResult(parseTurnIdentity(identityOf(input)))
    const params = { prompt, ...(options.attachments === undefined ? {} : { attachments: options.attachments }) }
    const request = {
      key,
      turnId,
      fresh: false,
      onMissing: "fail",
      onInterrupted,
      whenBusy,
      worktree: undefined,
      params
    } as const
    const startId = crypto.randomUUID()
    const locks = yield* Scope.make()
    yield* Effect.addFinalizer((exit) => {
      const isTaken = waiting.get(startId)?.isTaken === true
      waiting.delete(startId)
      return isTaken ? Effect.void : Scope.close(locks, exit)
    })
    const entry = yield* enterTurn(context, request, { queued: queuedNotice(tell) }).pipe(
      Scope.provide(locks),
      oneAtATime.withPermits(1)
    )
    if (entry._tag === "Over") {
      yield* Scope.close(locks, Exit.void)
      return eventsOf<Output>(eventsOfEnd(entry.end))
    }
    // Removes the row if nothing was started.
    yield* Scope.addFinalizer(locks, Effect.ignore(notStarted(store, entry.turnId)))
    waiting.set(startId, { turnId: entry.turnId, locks, isTaken: false })
    const { continues } = entry
    const isHere = continues !== undefined && isPresent(session, continues.sessionId)
    const turn =
      continues === undefined
        ? session.turn(prompt, options)
        : isHere
          ? session.turn(goOn, { ...options, attachments: undefined })
          : session.turn(goOnWith(prompt), options)
    return Stream.provideService(turn, OwnTurn, startId)
  })

  return {
    take: (startId) => {
      const found = waiting.get(startId)
      if (found === undefined) return undefined
      found.isTaken = true
      return Effect.as(
        Effect.addFinalizer((exit) => Scope.close(found.locks, exit)),
        found.turnId
      )
    },
    of: (session) => ({
      ...session,
      get sessionId() {
        return session.sessionId
      },
      get isOver() {
        return session.isOver
      },
      turn: <Output>(prompt: string, options?: TurnOptions<Output>) =>
        hasIdentity(options) && options !== undefined
          ? noticesFirst<Output>((tell) =>
              refusedByStore(begin(session, prompt, options, tell)).pipe(
                Effect.catch((reason) => Effect.succeed(eventsOf<Output>(failedRun(reason))))
              )
            )
          : session.turn(prompt, options)
    })
  }
}
