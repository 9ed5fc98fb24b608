/** What is wrong with the value of a flag, and what is right; pure. */
import type { CliError } from "effect/cli"
import { listed, oneOf } from "./lists.ts"

/** What stands for a missing value, and more than its name where that helps. */
const missing: Readonly<Record<string, string>> = {
  resume: "an ID is missing. The last conversation: reins chat --continue; to choose: reins chat --resume",
  conversation: "a NAME is missing, such as --conversation billing",
  agent: "a NAME is missing, such as --agent codex",
  model: "a model is missing, as the CLI names it",
  timeout: "a time is missing: 10s, 10m or 1h30m",
  output: "a form is missing: text, json or events"
}

const article = (name: string) => (/^[AEIOU]/i.test(name) ? "an" : "a")

export const missingValue = (flag: string, metavar: string): string =>
  missing[flag] ?? `${article(metavar)} ${metavar} is missing`

const choicesIn = (expected: string): ReadonlyArray<string> => {
  const words = expected.split(" | ").map((word) => word.replace(/^(?:Expected:? )?"?|"$/g, ""))
  return words.length > 1 && words.every((word) => /^[\w.-]+$/.test(word)) ? words : []
}

const numbers: Readonly<Record<string, string>> = {
  "max-turns": "must be a whole number from 1",
  "max-budget-usd": "must be a number more than 0",
  retries: "must be a whole number from 0",
  "max-line": "must be a whole number of bytes"
}

/** In the words of `expected` where it is a sentence of this program. */
export const wrongValue = ({ option, value, expected }: CliError.InvalidValue): string => {
  const choices = choicesIn(expected)
  if (choices.includes("true")) return `takes no value: --${option} alone`
  if (choices.length > 0) return oneOf(value, choices)
  if (/a string representing|an integer/.test(expected)) return numbers[option] ?? "must be a number"
  return expected.replace(/^Expected:? /, "")
}

export const wrongArgument = ({ option, value, expected }: CliError.InvalidValue): string => {
  const choices = choicesIn(expected)
  const is = choices.length > 0 ? `not known. ${listed(choices)}` : expected.replace(/^Expected:? /, "")
  return value.trim() === "" ? `${option}: is empty` : `${value}: ${is}`
}
