/** Who reads presses of the bridge's own buttons. Their meaning is in their data, which anyone can forge. */
import type { Effect } from "effect"
import type { Role } from "../access/AccessOptions.ts"
import type { Pressed } from "../messages/Incoming.ts"
import type { JournalFailure } from "./replies.ts"

/** The buttons of the message have no effect any more. */
export interface Settled {
  /** Appears to the person who pressed, and below the message. */
  readonly settled: string
}

/** Returns undefined if the press belongs to another reader. */
export type PressReader = (
  pressed: Pressed,
  role: Role
) => Effect.Effect<string | Settled | undefined, JournalFailure> | undefined

export const notYours = "This is not yours to answer."
export const over = "This is over."
