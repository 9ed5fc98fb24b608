/** Input and output of a tool call, in short; pure. */
import { Predicate, type Schema } from "effect"
import { cutAt, shortLine } from "../../contract/text/harmless.ts"
import { textCopy } from "../../contract/text/jsonLine.ts"
import type { ActionOutput } from "./AgentAction.ts"

const mark = "(truncated)"

/** Limits of an input; texts in characters. */
const most = { depth: 3, entries: 20, text: 200, name: 100, total: 2_000 }

/** Weight of each value beside its characters: marks, quotes, commas. */
const overhead = 16

/** The same with long texts and lists cut, and what is nested deeply left out. */
export const compactInput = (input: unknown): Schema.Json => {
  let left = most.total

  const compactText = (text: string, longest: number) => {
    const { head, rest } = cutAt(text, Math.max(0, Math.min(longest, left)))
    left -= head.length + overhead
    return rest === 0 ? text : `${head}… ${mark}`
  }
  const compactEntries = <Entry>(all: ReadonlyArray<Entry>, keep: (entry: Entry) => void): boolean => {
    for (const [at, entry] of all.entries()) {
      if (left <= 0 || at === most.entries) return true
      keep(entry)
    }
    return false
  }
  const compact = (value: unknown, depth: number): Schema.Json => {
    if (Predicate.isString(value)) return compactText(value, most.text)
    left -= overhead
    if (value === null || Predicate.isBoolean(value)) return value
    if (Predicate.isNumber(value)) return Number.isFinite(value) ? value : String(value)
    if (!Predicate.isObjectOrArray(value)) return typeof value
    if (depth === 0) return mark
    if (Array.isArray(value)) {
      const list: Array<Schema.Json> = []
      const isCut = compactEntries(value, (entry) => list.push(compact(entry, depth - 1)))
      return isCut ? [...list, mark] : list
    }
    const members: Array<readonly [string, Schema.Json]> = []
    const isCut = compactEntries(Object.entries(value), ([name, member]) =>
      members.push([compactText(name, most.name), compact(member, depth - 1)])
    )
    return Object.fromEntries(isCut ? [...members, ["…", mark]] : members)
  }
  return compact(input, most.depth)
}

/** In characters. */
const longestFirstLine = 300

const linesIn = (text: string) => {
  let lines = text === "" ? 0 : 1
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1
  return lines
}

/** Size and first line. Empty lines around the output do not count. */
export const outputOf = (output: string): ActionOutput => {
  const trimmed = output.trim()
  const lines = linesIn(trimmed)
  const end = trimmed.indexOf("\n")
  const first = end === -1 ? trimmed : trimmed.slice(0, end)
  const firstLine = shortLine(first, longestFirstLine)
  const truncated = lines > 1 || first.length > longestFirstLine
  return { characters: output.length, lines, firstLine: textCopy(firstLine), truncated }
}

/** The first line, with a mark where there is more. */
export const outputText = ({ firstLine, truncated }: ActionOutput): string =>
  truncated ? `${firstLine} ${mark}` : firstLine
