/** A turn's gate: claims its row, marks it spawned before the spawn, adds the session, writes the end before `done`. */
import { Clock, Effect, type Scope } from "effect"
import type { Gate, Permit } from "../../agents/engine/Gate.ts"
import { isSameSession } from "../../agents/guard/place.ts"
import { type FailureReason, Refused } from "../../contract/AgentError.ts"
import type { Observer } from "../../contract/Observer.ts"
import type { End, GateStart, Start, TurnStart } from "../../contract/Start.ts"
import { untraced } from "../../contract/untraced.ts"
import { refusedByStore } from "../store/problems.ts"
import type { ConversationContext } from "./context.ts"
import { type KeyParts, keyText } from "./conversationKey.ts"
import { refuseMoved } from "./lookUp.ts"
import { type OpenedSession, rememberSession, type SessionRow, titleOf } from "./sessionRows.ts"
import { type Judgement, quarantineSession, settlementOf, settleOrSpill } from "./settlement.ts"
import { claimTurn, placeTurn, spawnTurn } from "./turnRows.ts"

const name = "conversation"

export interface GatedTurns {
  readonly key: KeyParts | undefined
  /** The session to resume. */
  readonly session: SessionRow | undefined
  /** The conversation keeps its session in any case. */
  readonly isAside: boolean
  /** Default: false. */
  readonly mayReset?: boolean
  /** The turn of a start, whose row exists; in the scope of the gate. */
  readonly turnOf: (start: GateStart) => Effect.Effect<string, FailureReason, Scope.Scope>
  readonly onEnd?: (judged: Judgement) => void
  /** Runs when nothing of the run or live session is left. */
  readonly onLeft: Effect.Effect<void>
}

/** Starts of a run or a session, without those of turns. */
type ProcessStart = Exclude<Start, TurnStart>

const processOf = (start: Start): ProcessStart => (start.type === "turn" ? start.session : start)

const taken = new Refused({ gate: name, problem: "another process has taken the turn", retryable: true })

/** One for each run or live session. The observer goes with the gate. */
export const makeTurnGate = (
  { store, agent: { cli }, areTurnsOfOthers }: ConversationContext,
  { key, session: resumed, isAside, mayReset = false, turnOf, onEnd = () => {}, onLeft }: GatedTurns
): { readonly gate: Gate; readonly observer: Observer } => {
  const conversation = key === undefined ? undefined : keyText(key)
  let opened: OpenedSession | undefined
  let sessionKey: string | undefined
  let model: string | undefined
  let runId: string | undefined
  let prompt: string | undefined
  let isHealthy = false

  /** Requested, or made by another gate: then the CLI opens another session than the resumed one. */
  const isFork = (start: Start, sessionId: string | undefined) => {
    if (processOf(start).params.forkSession === true) return true
    return resumed !== undefined && sessionId !== undefined && !isSameSession(resumed.sessionId, sessionId)
  }

  /** True unless the conversation was to continue in the fork. */
  const keepsSession = (start: Start, sessionId: string | undefined) =>
    isAside || (isFork(start, sessionId) && resumed?.isToBeForked !== true)

  /** Without the store the run continues: its end contains what could not be written. */
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

  /** A CLI killed after its result may not have saved its session. */
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
          mayReset,
          mayForget: !areTurnsOfOthers
        },
        at
      )
      isHealthy = judged.settlement.session?.verdict === "healthy"
      onEnd(judged)
      yield* settleOrSpill(store, judged.settlement)
    })

  const claiming = Effect.fn(...untraced("TurnGate.claiming"))(function* (start: GateStart) {
    const turnId = yield* turnOf(start)
    const now = yield* Clock.currentTimeMillis
    if (!(yield* refusedByStore(claimTurn(store, { turnId, runId: start.id, cli }, now)))) return yield* taken
    runId = start.id
    let isSpawned = false
    return {
      starting: Effect.gen(function* () {
        if (!(yield* refusedByStore(spawnTurn(store, start.id)))) return yield* taken
        isSpawned = true
        if (sessionKey !== undefined) yield* Effect.ignore(placeTurn(store, start.id, sessionKey))
      }),
      // An unspawned turn is not written, as if it had not been requested.
      settle: (end) => (isSpawned ? settling(start, turnId)(end) : Effect.void)
    } satisfies Permit
  })

  const gate: Gate = {
    name,
    admit: Effect.fn(...untraced("TurnGate.admit"))(function* (start) {
      if (start.type !== "turn") yield* Effect.addFinalizer(() => onLeft)
      // Only now: it may have moved during the wait.
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
