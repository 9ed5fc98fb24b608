/**
 * The phase of a session, for the watchdog, and whether it is idle, for callers that wait for that. Checked after each
 * line; the watchdog is told of a new phase at once, otherwise once a chunk.
 */
import { type Effect, Latch } from "effect"
import type { Standing } from "../../cli/Decoder.ts"
import { type Phase, phaseOf } from "../engine/watchdog.ts"
import type { Admitting } from "./admitting.ts"
import type { Asks } from "./asks.ts"
import type { Changes } from "./changes.ts"
import type { Turns } from "./turns.ts"

export interface ActivityOptions {
  readonly standing: () => Standing
  readonly turns: Pick<Turns, "isUnderWay" | "isToolOpen">
  readonly asks: Pick<Asks, "open">
  readonly changes: Pick<Changes, "open">
  /** Undefined without gates for turns. */
  readonly admitting: () => Admitting | undefined
  readonly touch: (phase: Phase) => void
}

export interface Activity {
  /** After a line of the CLI. */
  readonly look: () => void
  /** After lines, or input between them: the silence starts anew. */
  readonly touch: () => void
  readonly isResting: () => boolean
  /** The CLI takes the text of a turn now. */
  readonly takesTurn: () => boolean
  /** Completes when nothing happens until the next request of a turn. */
  readonly idle: Effect.Effect<void>
  readonly isIdle: () => boolean
  /** The session has ended. */
  readonly end: () => void
}

export const makeActivity = ({ standing, turns, asks, changes, admitting, touch }: ActivityOptions): Activity => {
  const idle = Latch.makeUnsafe(true)
  let isOver = false
  let phase: Phase | undefined

  const isResting = () => !turns.isUnderWay() && standing() === "resting" && admitting()?.pending() === undefined

  const phaseNow = () => {
    if (asks.open.size > 0) return "approval"
    return phaseOf(standing(), turns.isToolOpen(), changes.open.size > 0 ? "idle" : "rest")
  }

  const isIdle = () => isResting() && admitting()?.isBusy() !== true

  const update = () => {
    if (isOver || isIdle()) idle.openUnsafe()
    else idle.closeUnsafe()
  }

  return {
    look: () => {
      const before = phase
      phase = phaseNow()
      if (phase !== before) touch(phase)
      update()
    },
    touch: () => {
      phase = phaseNow()
      touch(phase)
      update()
    },
    isResting,
    takesTurn: () => {
      const now = standing()
      return now === "resting" || now === "background"
    },
    idle: idle.await,
    isIdle: () => !isOver && isIdle() && asks.open.size === 0 && changes.open.size === 0,
    end: () => {
      isOver = true
      idle.openUnsafe()
    }
  }
}
