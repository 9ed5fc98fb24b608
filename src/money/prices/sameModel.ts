/**
 * Whether a row of the price table is for this very model. The table's own patterns go further: `claude-sonnet-5…` is also
 * the beginning of `claude-sonnet-5-5`, another model with another price. Pure.
 */
import type { MatchLogic } from "@pydantic/genai-prices"

/** What may follow a model's name without being another model: a date, a revision, how far it is published. */
const sameAfter = /^(?:[-@]?\d{4}(?:-?\d{2}-?\d{2})?|-\d{3}|-latest|-(?:preview|exp)(?:-\d{2}-\d{2,4})?|-customtools)?$/

const matches = (match: MatchLogic, name: string): boolean => {
  if ("or" in match) return match.or.some((each) => matches(each, name))
  if ("and" in match) return match.and.every((each) => matches(each, name))
  if ("equals" in match) return name === match.equals.toLowerCase()
  if ("starts_with" in match) return name.startsWith(match.starts_with.toLowerCase())
  if ("ends_with" in match) return name.endsWith(match.ends_with.toLowerCase())
  if ("contains" in match) return name.includes(match.contains.toLowerCase())
  return new RegExp(match.regex).test(name)
}

/** A pattern for a whole name says which names are meant. */
const isWhole = (regex: string) => regex.startsWith("^") && regex.endsWith("$") && !regex.includes("?!")

const isExact = (match: MatchLogic, name: string): boolean => {
  if ("or" in match) return match.or.some((each) => isExact(each, name))
  if ("and" in match)
    return match.and.every((each) => matches(each, name)) && match.and.some((each) => isExact(each, name))
  if ("equals" in match) return matches(match, name)
  if ("regex" in match) return isWhole(match.regex) && matches(match, name)
  if ("starts_with" in match) return matches(match, name) && sameAfter.test(name.slice(match.starts_with.length))
  return false
}

export const isSameModel = (row: { readonly id: string; readonly match: MatchLogic }, name: string): boolean =>
  row.id === name || isExact(row.match, name)
