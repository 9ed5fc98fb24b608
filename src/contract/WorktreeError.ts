/** The error of the worktrees of conversations: one type with a closed union of reasons. */
import { Schema } from "effect"
import { InvalidParams, SessionBusy, StoreUnavailable } from "./AgentError.ts"
import { helpOf } from "./help.ts"
import { type ErrorParts, errorOfReason, reason } from "./reason.ts"
import { schemaOf } from "./schemaOf.ts"

/** No worktree has this name. */
export interface UnknownWorktree extends ErrorParts<"UnknownWorktree"> {
  /** The requested name. */
  readonly worktree: string
  /** Names of others, ten at most. */
  readonly others: ReadonlyArray<string>
}

export const UnknownWorktree = reason<UnknownWorktree>()("UnknownWorktree", {
  fields: { worktree: Schema.String, others: Schema.Array(Schema.String) },
  message: ({ worktree, others }) =>
    `No worktree is known as ${JSON.stringify(worktree)}${others.length === 0 ? "" : `; there are ${others.join(", ")}`}`
})

/** An agent is at work in the worktree. */
export interface WorktreeBusy extends ErrorParts<"WorktreeBusy"> {
  /** Name of the worktree. */
  readonly worktree: string
}

export const WorktreeBusy = reason<WorktreeBusy>()("WorktreeBusy", {
  fields: { worktree: Schema.String },
  message: ({ worktree }) => `An agent is at work in the worktree ${worktree}, or another process changes it`
})

/** The changes are no longer those that the caller has seen; nothing was done. */
export interface ChangedSince extends ErrorParts<"ChangedSince"> {
  /** Name of the worktree. */
  readonly worktree: string
}

export const ChangedSince = reason<ChangedSince>()("ChangedSince", {
  fields: { worktree: Schema.String },
  message: ({ worktree }) => `The changes of ${worktree} are no longer those that were shown, so nothing was done`
})

/** The changes would overwrite files of the person; nothing was changed. */
export interface WouldOverwrite extends ErrorParts<"WouldOverwrite"> {
  /** Files with changes that are not committed, from the top of the repository. */
  readonly paths: ReadonlyArray<string>
}

const named = (paths: ReadonlyArray<string>) => {
  const first = paths.slice(0, 5).map((path) => JSON.stringify(path))
  return `${first.join(", ")}${paths.length > 5 ? ` and ${paths.length - 5} more` : ""}`
}

export const WouldOverwrite = reason<WouldOverwrite>()("WouldOverwrite", {
  fields: { paths: Schema.Array(Schema.String) },
  message: ({ paths }) =>
    `Nothing was applied: ${named(paths)} ${paths.length === 1 ? "has" : "have"} changes in the working tree that are not committed`
})

/** The changes do not fit the last commit of the person; nothing was changed. */
export interface Conflicting extends ErrorParts<"Conflicting"> {
  /** Files that were changed in both, from the top of the repository. */
  readonly paths: ReadonlyArray<string>
}

export const Conflicting = reason<Conflicting>()("Conflicting", {
  fields: { paths: Schema.Array(Schema.String) },
  message: ({ paths }) =>
    paths.length === 0
      ? "Nothing was applied: the changes do not fit the last commit"
      : `Nothing was applied: ${named(paths)} ${paths.length === 1 ? "was" : "were"} changed in the last commits, too, and the changes do not fit`
})

/** Git, the disk or the setup refused; nothing was changed. */
export interface WorktreeRefused extends ErrorParts<"WorktreeRefused"> {
  /** For people: what is wrong, and the cure. */
  readonly problem: string
}

export const WorktreeRefused = reason<WorktreeRefused>()("WorktreeRefused", {
  fields: { problem: Schema.String },
  message: ({ problem }) => `worktree: ${problem}`
})

/** Why something could not be done with a worktree. */
export type WorktreeReason =
  | UnknownWorktree
  | WorktreeBusy
  | ChangedSince
  | WouldOverwrite
  | Conflicting
  | WorktreeRefused
  | InvalidParams
  | SessionBusy
  | StoreUnavailable

const WorktreeReason = schemaOf<WorktreeReason>()(
  Schema.Union([
    UnknownWorktree,
    WorktreeBusy,
    ChangedSince,
    WouldOverwrite,
    Conflicting,
    WorktreeRefused,
    InvalidParams,
    SessionBusy,
    StoreUnavailable
  ])
)

const helpFor = (why: WorktreeReason): string => {
  switch (why._tag) {
    case "UnknownWorktree":
      return "`reins worktrees` lists all worktrees."
    case "WorktreeBusy":
      return "Wait for the end of the turn, or stop it."
    case "ChangedSince":
      return "Look at the changes again."
    case "WouldOverwrite":
      return "Commit or stash these files first."
    case "Conflicting":
      return "Ask the agent to merge your branch into its own, or commit the changes on its branch and merge that."
    case "WorktreeRefused":
      return "Correct what the message names, and try again: the worktree is as it was."
    default:
      return helpOf(why)
  }
}

/** The facts of the error. */
export interface WorktreeErrorFields {
  /** Match on `reason._tag`. */
  readonly reason: WorktreeReason
}

/** The only error of the worktrees of conversations. */
export interface WorktreeError extends ErrorParts<"WorktreeError">, WorktreeErrorFields {
  /** The remedy; one or two sentences for people. */
  readonly help: string
}

export const WorktreeError = errorOfReason<WorktreeError>()("WorktreeError", {
  fields: { reason: WorktreeReason },
  help: ({ reason: why }) => helpFor(why),
  message: ({ reason: { message } }) => message,
  hidden: ["reason"],
  json: ({ message, help }) => ({ message, help })
})
