/** Changes at the end of a run, as plain data: written in one transaction, or kept in a file until then. Idempotent. */
import { Effect, Schema } from "effect"
import type { ErrorCategory } from "../../contract/ErrorCategory.ts"
import type { End } from "../../contract/Start.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { makeSpill } from "../store/spill.ts"
import { expiryAfter, OpenedSession, rememberSession, type SessionRow } from "./sessionRows.ts"
import { endText } from "./storedEnd.ts"

/**
 * - `healthy`: it can be gone on with. `unchanged`: the end says nothing of it.
 * - `dead`: its CLI no longer has it. `failing`: nothing came of it, and the failure may be its own.
 * - `quarantined`: to go on with it would give the same again.
 */
const sessionVerdicts = ["healthy", "unchanged", "dead", "failing", "quarantined"] as const
type SessionVerdict = (typeof sessionVerdicts)[number]
/** Failures in a row without output after which a session is left alone. */
const mostFailures = 3

/** Failures of the model's server, the account, the machine or the caller: no fault of a session. */
const ofOthers: ReadonlySet<ErrorCategory> = new Set([
  "auth", "billing", "rate_limit", "overloaded", "network", "not_installed", "spawn", "aborted", "permission", "busy"
]) // biome-ignore format: one list

/** Success without a turn, model time or text. */
const isEmpty = ({ result: { numTurns, apiDurationMs = 0, text, structuredOutput }, hadOutput }: End) =>
  numTurns === 0 && apiDurationMs === 0 && text.trim() === "" && structuredOutput === undefined && !hadOutput

/** `failures`: in a row, so far. `isResumed`: the run continued an existing session. */
const verdictOf = (
  end: End,
  { isResumed, failures }: { readonly isResumed: boolean; readonly failures: number }
): SessionVerdict => {
  const { failure, hadOutput, result } = end
  if (failure === undefined) return isEmpty(end) ? "quarantined" : "healthy"
  if (!isResumed || failure._tag === "SessionChanged") return "unchanged"
  if (failure.category === "session_not_found") return "dead"
  if (hadOutput || ofOthers.has(failure.category) || failure._tag === "Refused") return "unchanged"
  // The CLI refuses the session before its first turn.
  if (failure._tag === "AgentFailed" && result.numTurns === 0) return "quarantined"
  return failures + 1 >= mostFailures ? "quarantined" : "failing"
}

/** Also stored as JSON in a file, which is checked on reading. */
export const Settlement = Schema.Struct({
  at: Schema.Finite,
  runId: Schema.String,
  turnId: Schema.String,
  cli: Schema.String,
  outcome: Schema.String,
  reason: Schema.String,
  /** `queued`: continues in another session. `none`: nothing came of it, and the same id may be repeated. */
  turn: Schema.Struct({ state: Schema.Literals(["done", "queued", "none"]), result: Schema.NullOr(Schema.String) }),
  /** The session that the end is about, by the CLI's own id. */
  session: Schema.optionalKey(
    Schema.Struct({
      sessionId: Schema.String,
      verdict: Schema.Literals(sessionVerdicts),
      model: Schema.NullOr(Schema.String)
    })
  ),
  /** A session that its CLI has opened, if that could not be written at once. */
  opened: Schema.optionalKey(OpenedSession),
  /** The conversation's session from now on, by the CLI's own id; null for none. */
  conversation: Schema.optionalKey(Schema.Struct({ key: Schema.String, sessionId: Schema.NullOr(Schema.String) }))
})
export type Settlement = typeof Settlement.Type

export interface EndedRun {
  readonly runId: string
  readonly turnId: string
  readonly cli: string
  readonly end: End
  /** The session to resume. */
  readonly asked: SessionRow | undefined
  /** Whether it continued in a fork of `asked`. */
  readonly isFork: boolean
  readonly opened: OpenedSession | undefined
  /** Whether it is in the store. */
  readonly isRemembered: boolean
  readonly model: string | undefined
  /** The text of its key; undefined if it keeps its session, as for a fork. */
  readonly conversation: string | undefined
  /** Whether the turn may be repeated in a new session, if nothing had run. */
  readonly mayReset: boolean
  /** Whether a turn that did nothing leaves no row, if the same may be repeated. */
  readonly mayForget: boolean
}

export interface Judgement {
  readonly settlement: Settlement
  /** Reason to repeat the turn in a new session. */
  readonly again: Extract<SessionVerdict, "dead" | "quarantined"> | undefined
}

export const settlementOf = (run: EndedRun, at: number): Judgement => {
  const { end, asked: resumed, isFork, opened, conversation, runId, turnId, cli } = run
  const isResumed = resumed !== undefined && !isFork
  const verdict = verdictOf(end, { isResumed, failures: resumed?.failures ?? 0 })
  const isLost = verdict === "dead" || verdict === "quarantined"
  const again = isLost && isResumed && run.mayReset && !end.hadOutput ? verdict : undefined
  // A failed session stays that of its conversation; a new one only gets a row.
  const judged = verdict === "healthy" || !isResumed ? opened?.sessionId : resumed.sessionId
  const mapped = verdict === "healthy" ? opened?.sessionId : isLost && isResumed ? null : undefined
  const mayAskAgain = run.mayForget && end.failure?.retryable === true && !end.hadOutput
  const settlement: Settlement = {
    at,
    runId,
    turnId,
    cli,
    outcome: end.result.outcome,
    reason: end.result.reason,
    turn:
      again !== undefined
        ? { state: "queued", result: null }
        : mayAskAgain
          ? { state: "none", result: null }
          : { state: "done", result: endText(end) ?? null },
    ...(judged === undefined ? {} : { session: { sessionId: judged, verdict, model: run.model ?? null } }),
    ...(opened === undefined || run.isRemembered ? {} : { opened }),
    ...(conversation === undefined || mapped === undefined
      ? {}
      : { conversation: { key: conversation, sessionId: mapped } })
  }
  return { settlement, again }
}

const settleTurn = ({ sql }: OpenStore, { turn, runId, turnId, at }: Settlement) => {
  if (turn.state === "queued") {
    return sql`update turns set state = 'queued', run_id = null where turn_id = ${turnId} and run_id = ${runId}
      and state in ('claimed', 'spawned')`
  }
  if (turn.state === "none") {
    return sql`delete from turns where turn_id = ${turnId} and run_id = ${runId} and state in ('claimed', 'spawned')`
  }
  // Also if interrupted: its host lived, but could not write. If its home was given up, the result is late.
  return sql`update turns set state = case when given_up = 1 then state else 'done' end, result = ${turn.result},
    ended = ${at} where turn_id = ${turnId} and run_id = ${runId} and state in ('claimed', 'spawned', 'interrupted')`
}

/** Robust against a clock that is set back. */
const use = ({ sql, keep }: OpenStore, at: number) => {
  const expires = expiryAfter(at, keep.sessionsMs)
  const later = expires === null ? sql`null` : sql`case when expires < ${expires} then ${expires} else expires end`
  return sql`used = case when used < ${at} then ${at} else used end, expires = ${later}`
}

const settleSession = (store: OpenStore, { session, cli, at, runId }: Settlement) => {
  if (session === undefined) return Effect.void
  const { sql, home } = store
  const { sessionId, verdict, model } = session
  const used = use(store, at)
  const which = sql`where home = ${home} and cli = ${cli} and session_id = ${sessionId}`
  switch (verdict) {
    case "healthy":
      return sql`update sessions set ${used}, state = 'live', failures = 0, turns = turns + 1,
        model = coalesce(${model}, model), last_run = ${runId} ${which}`
    case "dead":
      return sql`update sessions set state = 'dead' ${which}`
    case "quarantined":
      return sql`update sessions set state = 'quarantined', failures = failures + 1,
        expires = ${at + quarantineMs} ${which}`
    case "failing":
      return sql`update sessions set ${used}, failures = failures + 1 ${which}`
    case "unchanged":
      return sql`update sessions set ${used} ${which}`
  }
}

const quarantineMs = 7 * 24 * 60 * 60 * 1000

export const quarantineSession = ({ sql, transact }: OpenStore, key: string, at: number) =>
  transact(
    sql`update sessions set state = 'quarantined', failures = failures + 1, expires = ${at + quarantineMs}
      where key = ${key} and state = 'live'`
  )

const settleConversation = ({ sql, home }: OpenStore, { conversation, cli }: Settlement) => {
  if (conversation === undefined) return Effect.void
  const { key, sessionId } = conversation
  if (sessionId === null) return sql`delete from conversations where conversation = ${key} and cli = ${cli}`
  return sql`insert into conversations (conversation, cli, session_key)
    select ${key}, ${cli}, key from sessions where home = ${home} and cli = ${cli} and session_id = ${sessionId}
    on conflict (conversation, cli) do update set session_key = excluded.session_key, forks = 0`
}

/** Atomic; does nothing if it was written before. */
export const writeSettlement = (store: OpenStore, settlement: Settlement) => {
  const { sql, transact } = store
  const { runId, at, outcome, reason, opened } = settlement
  return transact(
    Effect.gen(function* () {
      const ended = yield* sql`update runs set ended = ${at}, outcome = ${outcome}, reason = ${reason}
        where run_id = ${runId} and (ended is null or outcome = 'lost') returning run_id`
      if (ended.length === 0) return
      if (opened !== undefined) yield* rememberSession(store, opened, at)
      yield* settleTurn(store, settlement)
      yield* settleSession(store, settlement)
      yield* settleConversation(store, settlement)
    })
  )
}

export const { writeOrKeep: settleOrSpill, writeKept: writeSpilled } = makeSpill({
  folder: "unwritten",
  schema: Settlement,
  subject: "the end of a turn",
  // A result can be long.
  mostBytes: 64 * 1024 * 1024,
  write: writeSettlement
})
