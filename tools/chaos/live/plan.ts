/** The plan of one live session and its disturbances: plain data, so that a child host can get it, too. */
import type { CliId } from "../../../src/agents/Agents.ts"
import type { PeerStep } from "../../../test/kit/live.ts"
import type { Disturbance } from "../disturbances.ts"

export interface LiveTurn {
  readonly steps: ReadonlyArray<PeerStep>
  /** The action of its caller at its nth event; without one it reads to the end. */
  readonly act: { readonly is: "interrupt" | "leave"; readonly atEvent: number } | null
  /** Decisions of its requests; without a handler, by the deadline. */
  readonly decides: "allow" | "deny" | "nobody"
}

export interface LivePlan {
  readonly is: "live"
  readonly cli: CliId
  readonly door: "effect" | "promise"
  readonly killGraceMs: number
  readonly turns: ReadonlyArray<LiveTurn>
  /** All turns are asked for at once, and wait for each other. */
  readonly isTogether: boolean
  /** So long after it was opened, whatever goes on. */
  readonly closesAfterMs: number | null
  /** In a host of its own, where something happens to that or to its time. */
  readonly fate: {
    readonly how: "lives" | "SIGKILL" | "SIGTERM"
    readonly atMs: number
    readonly disturbances: ReadonlyArray<Disturbance>
  } | null
}

/** Longer than a peer is silent by itself, also on a busy machine. */
export const idleMs = 5_000
/** Deadline of an undecided request. */
export const deadlineMs = 400

/** How long a whole answer waits for its result: longer than a peer is silent between two messages, which each look whole. */
export const settleMs = 4_000

type StepName = "hang" | "exit" | "signal" | "silent" | "fail" | "forget"

export const has = ({ steps }: LiveTurn, name: StepName) => steps.some((step) => name in step)

/** The process is gone, or is ended, after such a turn. */
export const isFatal = (turn: LiveTurn) =>
  has(turn, "exit") || has(turn, "signal") || has(turn, "silent") || (has(turn, "hang") && turn.act === null)
