/**
 * What the agent of a live session is doing, as the watchdog counts it: by where its dialogue stands, what it asks, and
 * what is asked of it.
 */
import type { Dialogue } from "../cli/Live.ts"
import type { Phase } from "../engine/watchdog.ts"
import type { Turns } from "./turns.ts"

interface Talk {
  readonly dialogue: Pick<Dialogue, "standing">
  readonly turns: Pick<Turns, "isToolOpen">
}

/** `isAsking`: the agent waits for an answer. `isAsked`: it was told to change something, and has not said that it did. */
export const phaseOf = ({ dialogue, turns }: Talk, isAsking: boolean, isAsked: boolean): Phase => {
  if (isAsking) return "approval"
  const standing = dialogue.standing()
  if (standing === "opening") return "startup"
  if (standing === "resting") return isAsked ? "idle" : "rest"
  return standing === "background" || turns.isToolOpen() ? "tool" : "idle"
}
