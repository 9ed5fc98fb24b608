/** The person of an answer and where they gave it, as callers give them: for events and screens, so short and harmless; pure. */
import { Predicate } from "effect"
import type { Decider } from "../../contract/Rule.ts"
import { withoutInvisible } from "../../contract/text/harmless.ts"
import type { AnswerProblem } from "./pending.ts"

/** In characters as people count them. */
const mostCharacters = 64

const segmenter = new Intl.Segmenter()

const short = (text: string): string => {
  // Nobody's name is that long, and segmenting is slow.
  const line = withoutInvisible(text.slice(0, 16 * mostCharacters).replaceAll(/\s+/g, " ")).trim()
  const characters = Array.from(segmenter.segment(line), ({ segment }) => segment)
  return characters.length <= mostCharacters ? line : `${characters.slice(0, mostCharacters - 1).join("")}…`
}

const names = ["person", "where"] as const

/** From JavaScript it may be anything. */
export const deciderProblem = (given: unknown): AnswerProblem | undefined => {
  if (given === undefined) return undefined
  if (!Predicate.isObject(given)) return { option: "decider", problem: 'must be an object such as { person: "Ann" }' }
  const wrong = names.find((name) => Predicate.hasProperty(given, name) && !isText(given[name]))
  return wrong === undefined ? undefined : { option: wrong, problem: "must be a string" }
}

const isText = (given: unknown) => given === undefined || Predicate.isString(given)

/** For an event: of what was checked, nothing that is empty. */
export const deciderOf = ({ person = "", where = "" }: Decider): Decider => {
  const [by, at] = [short(person), short(where)]
  return { ...(by === "" ? {} : { person: by }), ...(at === "" ? {} : { where: at }) }
}
