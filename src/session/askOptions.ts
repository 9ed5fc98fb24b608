/** The options that requests and questions of a live session share, and common parts of their events. */
import type { Effect } from "effect"
import type { Approver } from "../approvals/approver.ts"
import type { Dialogue, Output } from "../cli/Live.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../contract/AgentOpenParams.ts"

export interface AsksOptions {
  readonly questions: AgentOpenParams["questions"]
  readonly workingDirectory: string
  readonly approver: Approver
  readonly dialogue: Pick<Dialogue, "decide" | "answer" | "reply">
  readonly give: (event: AgentEvent) => void
  readonly perform: (outputs: ReadonlyArray<Output>) => void
  /** Whether a line can still be written to the CLI. */
  readonly isWritable: () => boolean
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export const nested = ({ parentToolId }: { readonly parentToolId?: string }) =>
  parentToolId === undefined ? {} : { parentToolId }

/** Undefined for an infinite wait. */
export const untilMs = (now: () => number, waitMs: number) =>
  Number.isFinite(waitMs) ? { deadlineMs: now() + waitMs } : undefined
