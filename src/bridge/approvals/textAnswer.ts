/**
 * A message of a person as their answer: a number or a label alone, several numbers where several can be chosen, or a text
 * of their own where the question takes one; pure. Undefined: it is a message like any other.
 */
import { type Act, type Asked, type Choice, type Draft, presentQuestion } from "./choices.ts"

const folded = (text: string) => text.normalize("NFC").replace(/\s+/g, " ").trim().toLocaleLowerCase("en")

/** The place of the choice, from 0. */
const placeOf = (text: string, labels: ReadonlyArray<string>): number | undefined => {
  const number = /^(\d{1,3})[.)]?$/.exec(text)?.[1]
  if (number !== undefined)
    return Number(number) >= 1 && Number(number) <= labels.length ? Number(number) - 1 : undefined
  const found = labels.flatMap((label, at) => (folded(label) === folded(text) ? [at] : []))
  // Of two of the same name none is meant.
  return found.length === 1 ? found[0] : undefined
}

const placesOf = (text: string, labels: ReadonlyArray<string>): ReadonlyArray<number> | undefined => {
  const one = placeOf(text, labels)
  if (one !== undefined) return [one]
  const places = text.split(/\s*[,;]\s*|\s+(?=\d)/).map((part) => placeOf(part.trim(), labels))
  return places.every((place) => place !== undefined) ? [...new Set(places)] : undefined
}

const longest = 4000

/** `isNumbered`: the choices of a request stand in its text, since there are no buttons. */
export const actOfText = (
  asked: Asked,
  draft: Draft,
  choices: ReadonlyArray<Choice>,
  isNumbered: boolean,
  written: string
): Act | undefined => {
  const text = written.trim()
  if (text === "" || text.length > longest) return undefined
  if (asked.type === "permission_request") {
    const place = isNumbered
      ? placeOf(
          text,
          choices.map(({ label }) => label)
        )
      : undefined
    return place === undefined ? undefined : choices[place]?.act
  }
  const question = presentQuestion(asked, draft)
  if (question === undefined) return undefined
  const labels = question.options.map(({ label }) => label)
  const places = question.multiple ? placesOf(text, labels) : [placeOf(text, labels)].filter((at) => at !== undefined)
  if (places !== undefined && places.length > 0) {
    return { _tag: "Answer", labels: places.flatMap((place) => labels[place] ?? []) }
  }
  return question.freeText || labels.length === 0 ? { _tag: "Answer", labels: [text] } : undefined
}
