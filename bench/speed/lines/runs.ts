/** A whole run of so many lines: its middle part is one and the same, as often as it takes, and stands on disk once. */
import * as Claude from "./claude.ts"
import * as Codex from "./codex.ts"
import type { Part } from "./part.ts"

interface Format {
  readonly turnLines: number
  readonly opening: () => Part
  readonly turns: (wanted: number) => Part
  readonly closing: (lines: number) => Part
}

const turnsInBody = 100

export const makeRuns = ({ turnLines, opening, turns, closing }: Format) => {
  const body = turns(turnsInBody)
  const first = opening()
  return (lines: number): ReadonlyArray<Part> => {
    const rest = lines - first.lines.length
    const bodies = Math.max(0, Math.ceil(rest / (turnLines * turnsInBody)) - 1)
    return [first, ...Array.from({ length: bodies }, () => body), closing(rest - bodies * body.lines.length)]
  }
}

export const claudeRun = makeRuns(Claude)
export const codexRun = makeRuns(Codex)
