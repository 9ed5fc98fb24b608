/** Budgets as rows: at a terminal with a bar of what is spent, reserved and left; pure. */
import { CliOutput } from "effect/cli"
import type { BudgetState } from "../../contract/Budget.ts"
import { clip, oneLine } from "../format.ts"
import { localTime } from "../localTime.ts"
import { paint, roomOf, type Style, type Surface } from "../style.ts"
import { budgetText, percentOf } from "./amounts.ts"
import { shareBar } from "./bars.ts"

const width = CliOutput.displayWidth
const pad = (text: string, to: number) => text + " ".repeat(Math.max(0, to - width(text)))

const styles = { info: "green", warning: "yellow", critical: "yellow", exceeded: "red" } as const

const styleOf = ({ level }: BudgetState): Style => (level === undefined ? "green" : styles[level])

const longestName = 30
const widestBar = 30
const leastBar = 6

const nameOf = ({ budget, subject }: BudgetState) =>
  clip([budget, ...(subject === undefined ? [] : [subject])].map(oneLine).join(" · "), longestName)

/** Whoever is over it has to know until when. */
const endOf = ({ level, endsAt }: BudgetState, zone: string) =>
  level === "exceeded" && endsAt !== undefined ? `, free again ${localTime(endsAt, zone)}` : ""

export const budgetLines = (
  states: ReadonlyArray<BudgetState>,
  zone: string,
  surface: Surface
): ReadonlyArray<string> => {
  const rows = states.map((state) => {
    const text = `${budgetText(state)}  ${percentOf(state)} %${endOf(state, zone)}`
    return { state, name: nameOf(state), text }
  })
  const [names, texts] = [rows.map(({ name }) => name), rows.map(({ text }) => text)]
  const nameWidth = Math.max(0, ...names.map(width))
  const left = roomOf(surface) - nameWidth - Math.max(0, ...texts.map(width)) - 4
  const barWidth = surface.live && left >= leastBar ? Math.min(left, widestBar) : 0
  return rows.map(({ state, name, text }) => {
    const drawn = barWidth === 0 ? [] : [shareBar(state.spent, state.reserved, state.limit, barWidth)]
    const label = surface.live ? name : `budget ${name}`
    const bars = drawn.map((cells) => paint(surface, styleOf(state), cells))
    return [pad(label, surface.live ? nameWidth : nameWidth + 7), ...bars, text].join("  ")
  })
}
