/**
 * Texts that were typed during a turn. They are shown above the prompt until the agent takes them up, and only then in the
 * transcript; pure.
 */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Delivery } from "../../contract/PlainSession.ts"

export interface Waiting {
  readonly text: string
  /** Undefined until the session reports it. */
  readonly delivery: Exclude<Delivery, "started"> | undefined
}

export type Waitings = ReadonlyArray<Waiting>

/** When a text is taken up, for people. */
export const deliveries = {
  started: undefined,
  steered: "taken up at its next step",
  queued: "begins when this turn is over"
} as const satisfies Record<Delivery, string | undefined>

/** The first such text without a report. */
const indexOf = (waiting: Waitings, text: string) =>
  waiting.findIndex((one) => one.text === text && one.delivery === undefined)

/** Updates the delivery of a text; undefined for an unknown one. `failed`: it was not sent. */
export const delivered = (
  waiting: Waitings,
  text: string,
  delivery: Delivery | "failed"
): { readonly waiting: Waitings; readonly isTaken: boolean } | undefined => {
  const at = indexOf(waiting, text)
  if (at === -1) return undefined
  if (delivery === "steered" || delivery === "queued") {
    return { waiting: waiting.with(at, { text, delivery }), isTaken: false }
  }
  return { waiting: waiting.toSpliced(at, 1), isTaken: delivery === "started" }
}

/** Steered texts are taken up between two steps, queued ones turn by turn. `isTurn`: the event starts a turn. */
export const takenBy = (
  waiting: Waitings,
  event: AgentEvent
): { readonly waiting: Waitings; readonly taken: ReadonlyArray<string>; readonly isTurn: boolean } => {
  const isStep = event.type === "tool_result" && event.parentToolId === undefined
  const isEnd = event.type === "turn_done"
  if (waiting.length === 0 || (!isStep && !isEnd)) return { waiting, taken: [], isTurn: false }
  const steered = waiting.filter(({ delivery }) => delivery === "steered")
  const next = isEnd ? waiting.find(({ delivery }) => delivery === "queued") : undefined
  const taken = [...steered, ...(next === undefined ? [] : [next])]
  const rest = waiting.filter((one) => !taken.includes(one))
  return { waiting: rest, taken: taken.map(({ text }) => text), isTurn: next !== undefined }
}
