/**
 * What stands below an answer: agent, model, mode, time and cost, and the line by which its session goes on. A paragraph
 * of its own, so that no cut goes through it where an answer is longer than a message. Pure.
 */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { fencesOf } from "../../format/fences.ts"
import { code, literal } from "../../sessions/export/markdownText.ts"
import { formatCost } from "../../text/amounts.ts"
import { shortLine } from "../../text/oneLine.ts"
import { formatTime } from "../progress/words.ts"
import type { Outcome } from "./outcome.ts"

/** What a turn has said of itself. */
export interface SaidOfItself {
  readonly model?: string
  readonly mode?: string
}

/** The newest counts. */
export const saidOfItself = (before: SaidOfItself, event: AgentEvent): SaidOfItself => {
  if (event.type !== "session" || event.parentToolId !== undefined) return before
  const { model, permissionMode } = event
  return {
    ...before,
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { mode: permissionMode })
  }
}

const longest = 60
const word = (text: string) => literal(shortLine(text, longest))

export interface FooterFacts {
  readonly agent: string
  readonly said: SaidOfItself
  readonly outcome: Pick<Outcome, "result">
  /** Without back-ticks. */
  readonly resumeLine: string | undefined
}

/** In Markdown. */
export const footerOf = ({ agent, said: { model, mode }, outcome, resumeLine }: FooterFacts): string => {
  const { durationMs, totalCostUsd } = outcome.result
  const facts = [
    word(agent),
    ...(model === undefined ? [] : [word(model)]),
    ...(mode === undefined || mode === "default" ? [] : [word(mode)]),
    ...(durationMs > 0 ? [formatTime(durationMs)] : []),
    ...(totalCostUsd === undefined ? [] : [formatCost(totalCostUsd)])
  ].join(" · ")
  return resumeLine === undefined ? facts : `${facts}\n${code(resumeLine)}`
}

/** A block of code that nobody has closed would go on in it. */
export const withFooter = (text: string, footer: string): string => {
  const last = fencesOf(text).at(-1)
  const isOpen = last !== undefined && last.to === last.end && last.end >= text.length
  const closed = isOpen ? `${text.replace(/\n$/, "")}\n${last.marks.trim()}` : text
  return `${closed}\n\n${footer}`
}
