/** The phase of a session for the watchdog, which gets a new one at once, and whether the session is idle. */
import { Latch } from "effect"
import type { Standing } from "../../cli/Decoder.ts"
import { type Phase, phaseOf } from "../engine/watchdog.ts"
import type { Admitting } from "./admitting.ts"
import type { Changes } from "./changes.ts"
import type { OpenRequests } from "./openRequests.ts"
import type { Turns } from "./turns.ts"

export interface ActivityOptions {
  readonly standing: () => Standing
  readonly turns: Pick<Turns, "isUnderWay" | "isToolOpen">
  readonly requests: Pick<OpenRequests, "open">
  readonly changes: Pick<Changes, "open">
  /** Undefined without gates for turns. */
  readonly admitting: () => Admitting | undefined
  readonly touch: (phase: Phase) => void
}

export const makeActivity = ({ standing, turns, requests, changes, admitting, touch }: ActivityOptions) => {
  const idle = Latch.makeUnsafe(true)
  let isOver = false
  let phase: Phase | undefined

  const isResting = () => !turns.isUnderWay() && standing() === "resting" && admitting()?.pending() === undefined

  const phaseNow = () => {
    if (requests.open.size > 0) return "approval"
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
    /** Called after lines, or input between them: the silence starts anew. */
    touch: () => {
      phase = phaseNow()
      touch(phase)
      update()
    },
    isResting,
    /** The CLI takes the text of a turn now. */
    takesTurn: () => {
      const now = standing()
      return now === "resting" || now === "background"
    },
    /** Completes when nothing happens until the next request of a turn. */
    idle: idle.await,
    isIdle: () => !isOver && isIdle() && requests.open.size === 0 && changes.open.size === 0,
    end: () => {
      isOver = true
      idle.openUnsafe()
    }
  }
}
