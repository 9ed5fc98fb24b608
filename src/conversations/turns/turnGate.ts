/**
 * A turn's part in the engine: a gate for its run alone. It claims the turn's row, makes it spawned immediately before the
 * process is started, adds the session before its event is given, and writes the end before `done`.
 */
import { Clock, Effect, type Scope } from "effect"
import type { Gate, Permit } from "../../agents/engine/Gate.ts"
import { isSameSession } from "../../agents/guard/subject.ts"
import { type FailureReason, Refused } from "../../contract/AgentError.ts"
import type { Observer } from "../../contract/Observer.ts"
import type { End, GateStart, Start, TurnStart } from "../../contract/Start.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { refusedByStore, storeFailure } from "../store/storeFailure.ts"
import { refuseMoved } from "./movedAway.ts"
import { type OpenedSession, rememberSession, type SessionRow, titleOf } from "./sessionRows.ts"
import { type Judged, quarantineSession, settlementOf } from "./settlement.ts"
import { claimTurn, placeTurn, spawnTurn } from "./turnRows.ts"

const name = "conversation"

export interface TurnGateOptions {
  readonly store: OpenStore
  readonly cli: string
  /** The text of its key. */
  readonly conversation: string | undefined
  /** The session to go on with. */
  readonly asked: SessionRow | undefined
  /** The conversation keeps its session, whatever comes of this one. */
  readonly isAside: boolean
  readonly mayReset: boolean
  /** A turn that failed before it did anything, and may be asked again, leaves no row. */
  readonly mayForget: boolean
  /** The turn that a run or a turn of a live session performs; its row is there. Its scope is that of the gate. */
  readonly turnOf: (start: GateStart) => Effect.Effect<string, FailureReason, Scope.Scope>
  /** Writes it, or keeps it until it can be written. */
  readonly settle: (judged: Judged["settlement"]) => Effect.Effect<void>
  /** Called when an end is judged, before it is written. */
  readonly onEnd: (judged: Judged, end: End) => void
  /** Nothing of the run or the live session is left. */
  readonly onLeft: Effect.Effect<void>
}

/** Starts of a run or a session, without those of turns. */
type ProcessStart = Exclude<Start, TurnStart>

const processOf = (start: Start): ProcessStart => (start.type === "turn" ? start.session : start)

const asReason = <A>(work: Effect.Effect<A, StoreError>): Effect.Effect<A, FailureReason> =>
  Effect.mapError(work, storeFailure)

const taken = new Refused({ gate: name, problem: "another process has taken the turn", retryable: true })

/** One for each run or live session. The observer goes with the gate. */
export const makeTurnGate = (options: TurnGateOptions): { readonly gate: Gate; readonly observer: Observer } => {
  const { store, cli, conversation, asked: resumed } = options
  let opened: OpenedSession | undefined
  let sessionKey: string | undefined
  let model: string | undefined
  let runId: string | undefined
  let prompt: string | undefined
  /** As the last end says. */
  let isHealthy = false

  /** Asked for, or made of a resume by another gate: then its CLI opens another session than the one to go on with. */
  const isFork = (start: Start, sessionId: string | undefined) => {
    if (processOf(start).params.forkSession === true) return true
    return resumed !== undefined && sessionId !== undefined && !isSameSession(resumed.sessionId, sessionId)
  }

  /** The conversation does, unless it was to go on in the fork. */
  const keepsSession = (start: Start, sessionId: string | undefined) =>
    options.isAside || (isFork(start, sessionId) && resumed?.isToBeForked !== true)

  /** Without the store the run goes on: what could not be written is a part of its end. */
  const remember = (start: ProcessStart, sessionId: string) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      opened = {
        cli,
        sessionId,
        directory: start.workingDirectory,
        conversation: conversation ?? null,
        model: model ?? start.params.model ?? null,
        title: prompt === undefined ? null : titleOf(prompt),
        parentKey: isFork(start, sessionId) ? (resumed?.key ?? null) : null,
        runId: runId ?? start.id
      }
      sessionKey = yield* rememberSession(store, opened, now)
      if (runId !== undefined) yield* placeTurn(store, runId, sessionKey)
    }).pipe(
      Effect.catch((error) => Effect.logWarning(`the session is written with the end of its run: ${error.message}`))
    )

  /** A CLI that had to be killed after its result may not have saved what it said. */
  const left: Permit["left"] = (exit) => {
    if (!isHealthy || sessionKey === undefined || !("signal" in exit) || exit.signal !== "SIGKILL") return Effect.void
    const key = sessionKey
    return Clock.currentTimeMillis.pipe(
      Effect.flatMap((now) => quarantineSession(store, key, now)),
      Effect.andThen(
        Effect.logWarning("the process was killed after its result: the conversation goes on in a new session")
      ),
      Effect.catch((error) => Effect.logWarning(`a session could not be quarantined: ${error.message}`))
    )
  }

  const opening = (start: ProcessStart): Permit => ({ opened: (sessionId) => remember(start, sessionId), left })

  const settling = (start: Start, turnId: string) => (end: End) =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const judged = settlementOf(
        {
          runId: start.id,
          turnId,
          cli,
          end,
          asked: resumed,
          isFork: isFork(start, opened?.sessionId),
          opened,
          isRemembered: sessionKey !== undefined,
          model: model ?? Object.keys(end.result.modelUsage ?? {})[0],
          conversation: keepsSession(start, opened?.sessionId) ? undefined : conversation,
          mayReset: options.mayReset,
          mayForget: options.mayForget
        },
        at
      )
      isHealthy = judged.settlement.session?.verdict === "healthy"
      options.onEnd(judged, end)
      yield* options.settle(judged.settlement)
    })

  const claiming = Effect.fnUntraced(function* (start: GateStart) {
    const turnId = yield* options.turnOf(start)
    const now = yield* Clock.currentTimeMillis
    if (!(yield* asReason(claimTurn(store, { turnId, runId: start.id, cli }, now)))) return yield* taken
    runId = start.id
    let isSpawned = false
    const permit: Permit = {
      starting: Effect.gen(function* () {
        if (!(yield* asReason(spawnTurn(store, start.id)))) return yield* taken
        isSpawned = true
        if (sessionKey !== undefined) yield* Effect.ignore(placeTurn(store, start.id, sessionKey))
      }),
      // A turn that was not spawned is not written: it is as if it had not been requested.
      settle: (end) => (isSpawned ? settling(start, turnId)(end) : Effect.void)
    }
    return permit
  })

  const gate: Gate = {
    name,
    admit: Effect.fnUntraced(function* (start) {
      if (start.type !== "turn") yield* Effect.addFinalizer(() => options.onLeft)
      // Only now: it may have left while it was waited for.
      const { sessionId } = processOf(start).params
      if (start.type !== "turn" && sessionId !== undefined) yield* refusedByStore(refuseMoved(store, cli, sessionId))
      if (start.type === "session") return opening(start)
      prompt = start.type === "turn" ? start.prompt : start.params.prompt
      const permit = yield* claiming(start)
      return start.type === "turn" ? permit : { ...permit, ...opening(start) }
    })
  }

  const observer: Observer = {
    name,
    begin: ({ type }) =>
      type === "turn"
        ? undefined
        : {
            events: ({ events }) => {
              for (const event of events) {
                if (event.type === "session" && event.parentToolId === undefined) model = event.model ?? model
              }
            }
          }
  }
  return { gate, observer }
}
