/**
 * The gate for sessions: two processes that write to one session can lose a turn in silence, or interleave their
 * histories. Runs of this process enter in their order, and a lock keeps other processes out. A new session is locked as
 * soon as its id is known, before any caller sees it.
 */
import { Effect, Exit, Scope } from "effect"
import { type FailureReason, LimitReached, SessionBusy } from "../../contract/AgentError.ts"
import { hostWide } from "../../contract/acrossCopies.ts"
import { toMillis } from "../../contract/Input.ts"
import type { GateStart } from "../../contract/Start.ts"
import { hold } from "../guard/hold.ts"
import { askFor, isSameSession, lockingProblem, type SessionSubject, subjectName } from "../guard/place.ts"
import type { Gate } from "./Gate.ts"
import { makeStartQueue, newQueue, type ProcessStart } from "./startQueue.ts"

const defaultBusyWait = "30 seconds"

const subjectOf = (cli: string, sessionId: string): SessionSubject => ({ what: "session", cli, sessionId })

/** The session that a start resumes. */
const resumed = ({ cli, params: { sessionId } }: ProcessStart) =>
  sessionId === undefined ? undefined : subjectOf(cli, sessionId)

/** Sessions of this start have locks between processes. */
export const isGuarded = ({ limits: { guard = "locks" } }: Pick<ProcessStart, "limits">) => guard === "locks"

const inOrder = (queue = newQueue()): Gate =>
  makeStartQueue(queue, {
    name: "session guard",
    obstacleOf: ({ cli, sessionId }, active) => {
      if (sessionId === undefined) return undefined
      const isIt = (other: string | undefined) => other !== undefined && isSameSession(other, sessionId)
      const isUsed = active.some((other) => other.cli === cli && (isIt(other.sessionId) || isIt(other.opened)))
      return isUsed ? { limit: "session", problem: "another run uses the session" } : undefined
    },
    refusal: (start) => {
      const subject = resumed(start)
      if (subject === undefined || (start.params.whenBusy ?? "wait") === "wait") return undefined
      return new SessionBusy({ what: "session", subject: subjectName(subject), waitedMs: 0 })
    },
    meanwhile: (start) => {
      const subject = resumed(start)
      return subject === undefined || !isGuarded(start) ? Effect.never : askFor(subject)
    }
  })

/** Whether this call is to warn that processes cannot lock each other out: once per host, however many runs it has. */
export const takeGuardWarning = (): boolean => {
  const reported = hostWide("guard-warning@1", () => ({ isTold: false }))
  const isFirst = !reported.isTold
  reported.isTold = true
  return isFirst
}

const warnOnce = ({ notice }: ProcessStart, problem: string) => {
  if (!takeGuardWarning()) return
  const risk = "sessions are guarded within this process only: another process can use the same one at the same time"
  notice({ kind: "warning", message: `${problem}. Until then ${risk}` })
}

/** The shorter of the two limits gives the reason. */
const patienceOf = ({ limits: { busyWait = defaultBusyWait, maxWait = "Infinity" }, waitedMs }: ProcessStart) => {
  const [busyMs, maxWaitMs] = [toMillis(busyWait), toMillis(maxWait)]
  const leftMs = Math.max(0, maxWaitMs - waitedMs())
  const reasonOf = (busy: SessionBusy): FailureReason => {
    if (busyMs <= leftMs) return busy
    return new LimitReached({ limit: "session", problem: `another process uses the ${busy.what}`, maxWaitMs })
  }
  return { patienceMs: Math.min(busyMs, leftMs), reasonOf }
}

/** A new session needs its lock only when the CLI has started. */
const startUp = "20 millis"

const lookAhead = (start: ProcessStart) =>
  Effect.andThen(
    Effect.sleep(startUp),
    Effect.map(lockingProblem, (problem) => {
      if (problem !== undefined) warnOnce(start, problem)
    })
  )

const asFork = (start: ProcessStart): ProcessStart =>
  start.type === "run"
    ? { ...start, params: { ...start.params, forkSession: true } }
    : { ...start, params: { ...start.params, forkSession: true } }

/** An attempt that fails leaves neither a place in the order nor a lock. */
const trying = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    return yield* Effect.onError(Scope.provide(effect, scope), (cause) => Scope.close(scope, Exit.failCause(cause)))
  })

export const makeSessionGuard = (queue = newQueue()): Gate => {
  const order = inOrder(queue)

  /** For a session that is resumed or forked: the parent is held while the CLI reads it. */
  const enter = Effect.fnUntraced(function* (start: ProcessStart, subject: SessionSubject | undefined) {
    const permit = yield* order.admit(start)
    if (subject === undefined) return { permit, held: undefined }
    const { whenBusy = "wait", forkSession } = start.params
    const { patienceMs, reasonOf } = patienceOf(start)
    const held = yield* hold({
      subject,
      runId: start.id,
      use: forkSession === true ? "read" : "write",
      patienceMs: whenBusy === "wait" ? patienceMs : 0,
      queued: start.queued
    }).pipe(Effect.mapError((busy) => (whenBusy === "wait" ? reasonOf(busy) : busy)))
    if (!("problem" in held)) return { permit, held }
    if (held.problem !== undefined) warnOnce(start, held.problem)
    return { permit, held: undefined }
  })

  /** Continues the prompt in a fork, which waits for no lock. */
  const goOnInFork = Effect.fnUntraced(function* (start: ProcessStart, busy: SessionBusy) {
    start.notice({ kind: "info", message: `${busy.message}: the ${start.type} goes on in a fork of it` })
    return { permit: yield* order.admit(asFork(start)), held: undefined, isFork: true }
  })

  const admit = Effect.fnUntraced(function* (start: GateStart) {
    if (start.type === "turn") return {}
    const { id: runId, cli, params } = start
    const parent = resumed(start)
    const isLocked = isGuarded(start)
    const scope = yield* Effect.scope
    if (isLocked && parent === undefined) yield* Effect.forkIn(lookAhead(start), scope)
    const entering = trying(enter(start, isLocked ? parent : undefined)).pipe(
      Effect.map((entered) => ({ ...entered, isFork: params.forkSession === true }))
    )
    const {
      permit,
      held: parentHeld,
      isFork
    } = yield* params.whenBusy === "fork"
      ? Effect.catchTag(entering, "SessionBusy", (busy) => goOnInFork(start, busy))
      : entering

    const opened = Effect.fnUntraced(function* (sessionId: string) {
      yield* permit.opened?.(sessionId) ?? Effect.void
      if (!isLocked || (parent !== undefined && isSameSession(parent.sessionId, sessionId))) return
      const subject = subjectOf(cli, sessionId)
      const now = hold({ subject, runId, use: "opened", patienceMs: 0, queued: () => {} })
      const held = yield* Scope.provide(now, scope)
      if ("problem" in held && held.problem !== undefined) warnOnce(start, held.problem)
      if (isFork && parentHeld !== undefined) yield* parentHeld.release
    })
    const amend = isFork && params.forkSession !== true ? { amend: { forkSession: true } } : {}
    return { ...amend, opened }
  })

  return { name: "session guard", concerns: ["run", "session"], admit }
}
