/**
 * The last row of the footer: agent, model, permission mode, cost, budget, directory; pure. If it is too narrow, facts are
 * dropped in a fixed order; the mode never is.
 */
import { CliOutput } from "effect/cli"
import type { BudgetState } from "../../contract/Budget.ts"
import { formatCost } from "../../contract/text/amounts.ts"
import type { Transcript } from "../blocks.ts"
import { clip, oneLine } from "../format.ts"
import { amountText, percentOf } from "../spending/amounts.ts"
import { paint, type Surface } from "../style.ts"

export interface Facts {
  /** Named as by the flag; undefined: the agent's own default. */
  readonly mode: string | undefined
  /** Set by `/model`, until the agent reports one. */
  readonly model: string | undefined
  /** In US dollars, for this session; undefined if no cost was reported. */
  readonly costUsd: number | undefined
  readonly budget: BudgetState | undefined
}

export const noFacts: Facts = { mode: undefined, model: undefined, costUsd: undefined, budget: undefined }

/** The budget with the greatest spent share. */
export const nearest = (states: ReadonlyArray<BudgetState>): BudgetState | undefined =>
  states.reduce<BudgetState | undefined>(
    (most, state) => (most === undefined || percentOf(state) > percentOf(most) ? state : most),
    undefined
  )

/** A mode that never asks is in capitals, which need no colour. */
export const modeText = (mode: string | undefined): string => {
  if (mode === undefined || mode === "default") return "asks"
  return mode === "bypass" ? "BYPASS" : mode
}

type Name = "agent" | "model" | "mode" | "cost" | "budget" | "directory" | "help"

const dropped: ReadonlyArray<Name> = ["help", "directory", "budget", "agent", "cost", "model"]
const separator = " · "
const mostOfFact = 40

const budgetText = ({ budget, unit, spent, limit }: BudgetState) =>
  `${oneLine(budget)} ${amountText(unit, spent)} of ${amountText(unit, limit)}`

const inShort = (path: string, home: string | undefined) =>
  home !== undefined && home !== "" && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path

const factTexts = ({ agent, session }: Transcript, facts: Facts, home: string | undefined): Map<Name, string> => {
  const model = facts.model ?? session?.model
  const directory = session?.workingDirectory
  const all: ReadonlyArray<readonly [Name, string | undefined]> = [
    ["agent", agent],
    ["model", model],
    ["mode", modeText(facts.mode)],
    ["cost", facts.costUsd === undefined ? undefined : formatCost(facts.costUsd)],
    ["budget", facts.budget === undefined ? undefined : budgetText(facts.budget)],
    ["directory", directory === undefined ? undefined : inShort(directory, home)],
    ["help", "/help"]
  ]
  return new Map(all.flatMap(([name, text]) => (text === undefined ? [] : [[name, clip(oneLine(text), mostOfFact)]])))
}

export const statusRow = (transcript: Transcript, facts: Facts, surface: Surface, home?: string): string => {
  const texts = factTexts(transcript, facts, home)
  const room = surface.columns - 1
  const width = () => CliOutput.displayWidth([...texts.values()].join(separator))
  for (const name of dropped) {
    if (width() <= room) break
    texts.delete(name)
  }
  const row = [...texts].map(([name, text]) => {
    if (name === "mode" && text === "BYPASS") return paint(surface, "red", text)
    return name === "mode" ? text : paint(surface, "dim", text)
  })
  return row.join(paint(surface, "dim", separator))
}
