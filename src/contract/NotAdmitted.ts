/** Failure reasons of starts that a limit, a gate, a lock, the store or a budget did not admit. */
import { Schema } from "effect"
import { BudgetUnit } from "./Budget.ts"
import { facts, type ReasonParts, reason } from "./reason.ts"
import { schemaOf } from "./schemaOf.ts"
import { budgetAmount, isoTime } from "./text/amounts.ts"

/** The limit that a run waited for. */
export type StartLimit = "session" | "perCli" | "total" | "stagger" | "freeMemoryBytes"

export const StartLimit = schemaOf<StartLimit>()(
  Schema.Literals(["session", "perCli", "total", "stagger", "freeMemoryBytes"])
)

/** The run waited for its start longer than `limits.maxWait`; nothing was started. */
export interface LimitReached extends ReasonParts<"LimitReached", "limit_reached", "spawn", true> {
  /** The limit that it waited for. */
  readonly limit: StartLimit
  /** Why it waited, for people. */
  readonly problem: string
  /** The time that it could wait. */
  readonly maxWaitMs: number
}

export const LimitReached = reason<LimitReached>()("LimitReached", {
  fields: { limit: StartLimit, problem: Schema.String, maxWaitMs: Schema.Finite },
  ...facts("limit_reached", "spawn", true),
  message: ({ maxWaitMs, problem }) =>
    `The run could not start within ${maxWaitMs / 1000} s (limits.maxWait): ${problem}`
})

/** The arguments of `new Refused`. */
export interface RefusedFields {
  /** Its name. */
  readonly gate: string
  /** Why, for people. */
  readonly problem: string
  /** The same start may be admitted later. */
  readonly retryable: boolean
}

/** A gate of the application did not admit the run, session or turn; one that fails itself refuses, too. */
export interface Refused extends ReasonParts<"Refused", "refused", "other", boolean>, RefusedFields {}

export const Refused = reason<Refused>()("Refused", {
  fields: { gate: Schema.String, problem: Schema.String, retryable: Schema.Boolean },
  code: "refused",
  category: "other",
  message: ({ gate, problem }) => `Refused by ${gate}: ${problem}`
})

/** The current user of a session or a conversation. */
export interface SessionHolder {
  /** The process that holds it, as numbered on its host. */
  readonly pid: number
  /** The name of its host. */
  readonly host: string
  /** Since when, in ms since 1970. */
  readonly since: number
  /** The run or live session for which it is held. */
  readonly runId: string
}

export const SessionHolder = schemaOf<SessionHolder>()(
  Schema.Struct({ pid: Schema.Int, host: Schema.String, since: Schema.Finite, runId: Schema.String })
)

/** Another process, run or live session uses the session or the conversation, and did not end in time; nothing was started. */
export interface SessionBusy extends ReasonParts<"SessionBusy", "session_busy", "busy", true> {
  /** Whether a session of the CLI is used, or a conversation. */
  readonly what: "session" | "conversation"
  /** The CLI's id of the session, or the conversation. */
  readonly subject: string
  /** Its current user, if known. */
  readonly holder?: SessionHolder
  /** How long this run waited, in ms. */
  readonly waitedMs: number
}

export const SessionBusy = reason<SessionBusy>()("SessionBusy", {
  fields: {
    what: Schema.Literals(["session", "conversation"]),
    subject: Schema.String,
    holder: Schema.optionalKey(SessionHolder),
    waitedMs: Schema.Finite
  },
  ...facts("session_busy", "busy", true),
  message: ({ what, subject, holder, waitedMs }) => {
    const user = holder === undefined ? "" : ` by process ${holder.pid} on ${holder.host}`
    const waited = waitedMs === 0 ? "" : `; waited ${waitedMs / 1000} s`
    return `The ${what} ${JSON.stringify(subject)} is used${user}${waited}`
  }
})

/** The CLI can continue the session only in another directory, or at another home; nothing was started. */
export interface SessionElsewhere
  extends ReasonParts<"SessionElsewhere", "session_elsewhere", "invalid_request", false> {
  /** The CLI's id of the session. */
  readonly sessionId: string
  /** Its directory. */
  readonly directory: string
  /** The directory of the run. */
  readonly asked: string
  /** The home that has its files, by its name in the cluster; absent: this one. */
  readonly home?: string
}

export const SessionElsewhere = reason<SessionElsewhere>()("SessionElsewhere", {
  fields: {
    sessionId: Schema.String,
    directory: Schema.String,
    asked: Schema.String,
    home: Schema.optionalKey(Schema.String)
  },
  ...facts("session_elsewhere", "invalid_request", false),
  message: ({ sessionId, directory, asked: requested, home }) => {
    const [session, place] = [JSON.stringify(sessionId), JSON.stringify(directory)]
    return home === undefined
      ? `The session ${session} belongs to ${place}, not to ${JSON.stringify(requested)}`
      : `The session ${session} is at the home ${JSON.stringify(home)}, in ${place}: its files are not here`
  }
})

/** The id of a turn was used before, for another prompt; nothing was started. */
export interface TurnMismatch extends ReasonParts<"TurnMismatch", "turn_mismatch", "invalid_request", false> {
  /** The id of the turn. */
  readonly turnId: string
}

export const TurnMismatch = reason<TurnMismatch>()("TurnMismatch", {
  fields: { turnId: Schema.String },
  ...facts("turn_mismatch", "invalid_request", false),
  message: ({ turnId }) => `The turn ${JSON.stringify(turnId)} was asked with another prompt before`
})

/** The store cannot be used now; nothing was started. */
export interface StoreUnavailable extends ReasonParts<"StoreUnavailable", "store_unavailable", "network", true> {
  /** Why, for people. */
  readonly problem: string
}

export const StoreUnavailable = reason<StoreUnavailable>()("StoreUnavailable", {
  fields: { problem: Schema.String },
  ...facts("store_unavailable", "network", true),
  message: ({ problem }) => `The store cannot be used: ${problem}`
})

/** A budget has no room for the run: it was not started, or, where the budget says `stop`, it was stopped. */
export interface BudgetExceeded extends ReasonParts<"BudgetExceeded", "budget_exceeded", "billing", false> {
  /** Its name. */
  readonly budget: string
  /** The unit of all amounts. */
  readonly unit: BudgetUnit
  /** The most that may be spent. */
  readonly limit: number
  /** The spending of other runs. */
  readonly spent: number
  /** The most that other runs, which have not ended, may still spend. */
  readonly reserved: number
  /** The amount that this run needs. */
  readonly asked: number
  /** When it is free again, in ms since 1970; undefined where it never is by itself. */
  readonly freeAt?: number
}

export const BudgetExceeded = reason<BudgetExceeded>()("BudgetExceeded", {
  fields: {
    budget: Schema.String,
    unit: BudgetUnit,
    limit: Schema.Finite,
    spent: Schema.Finite,
    reserved: Schema.Finite,
    asked: Schema.Finite,
    freeAt: Schema.optionalKey(Schema.Finite)
  },
  ...facts("budget_exceeded", "billing", false),
  message: ({ budget, unit, limit, spent, reserved, asked: needed, freeAt }) => {
    const amount = (value: number) => budgetAmount(unit, value)
    const at = freeAt === undefined ? undefined : isoTime(freeAt)
    const free = at === undefined ? "" : `; free again at ${at}`
    return `The budget ${JSON.stringify(budget)} has no room: ${amount(spent)} of ${amount(limit)} spent, ${amount(reserved)} reserved, and this run needs ${amount(needed)}${free}`
  }
})
