/** Measured numbers as they are printed: one Markdown table for a question, its target and its verdict. */
import type { Spread } from "./statistics.ts"

export interface Table {
  readonly title: string
  /** The measured quantity, where the title leaves it open. */
  readonly about: string
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly verdicts: ReadonlyArray<string>
}

const digits = (value: number) =>
  Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2

export const number = (value: number) => value.toFixed(digits(value))

/** The median, and behind it how far the samples lie apart. */
export const spread = ({ median, min, max }: Spread, unit = "") => {
  const [middle, low, high] = [median, min, max].map((value) => value.toFixed(digits(median)))
  return `${middle}${unit} (${low} – ${high})`
}

/** By how much a target is reached or missed; `limit` is not to be exceeded. */
export const verdict = (what: string, value: number, limit: number, unit: string) => {
  const word = value <= limit ? "reached" : "missed"
  return `${what}: ${number(value)}${unit}, target ≤ ${limit}${unit}: **${word}** by ${number(Math.abs(limit - value))}.`
}

const row = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

export const markdown = ({ title, about, head, rows, verdicts }: Table) =>
  [
    `## ${title}`,
    about,
    [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n"),
    ...(verdicts.length === 0 ? [] : [verdicts.map((line) => `- ${line}`).join("\n")])
  ].join("\n\n")
