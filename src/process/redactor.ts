/** Takes the secrets of a run out of what is kept or told of its output; pure. */
import { stripControls } from "../text/controls.ts"

export interface Redactor {
  readonly text: (text: string) => string
  /** The same for the beginning of a longer text: a secret that was cut in two goes, too. */
  readonly head: (text: string) => string
  /** The same for its end. */
  readonly tail: (text: string) => string
}

const mark = "<redacted>"

/** Shorter values, and parts of a value, are no secrets: they stand in many a line. */
const shortest = 4

const longestFirst = (texts: ReadonlyArray<string>) =>
  [...new Set(texts)].filter((text) => text.length >= shortest).sort((a, b) => b.length - a.length)

/** As it was given; without what surrounds it in a file, or what a terminal would act on; and escaped in JSON. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const plain = [secret, stripControls(secret)].flatMap((text) => [text, text.trim()])
  return [...plain, ...plain.map((text) => JSON.stringify(text).slice(1, -1))]
}

export const makeRedactor = (secrets: ReadonlyArray<string>): Redactor => {
  const forms = longestFirst(secrets.flatMap(formsOf))
  const redact = (text: string) => forms.reduce((clean, form) => clean.replaceAll(form, mark), text)
  /** Length of the longest part of a secret for which `isThere` holds. */
  const cutLength = (isThere: (form: string, length: number) => boolean) =>
    Math.max(0, ...forms.map((form) => longestPart(form.length, (length) => isThere(form, length))))
  return {
    text: redact,
    head: (text) => {
      const cut = cutLength((form, length) => text.endsWith(form.slice(0, length)))
      return cut === 0 ? redact(text) : redact(text.slice(0, -cut)) + mark
    },
    tail: (text) => {
      const cut = cutLength((form, length) => text.startsWith(form.slice(-length)))
      return cut === 0 ? redact(text) : mark + redact(text.slice(cut))
    }
  }
}

const longestPart = (most: number, fits: (length: number) => boolean) => {
  for (let length = most; length >= shortest; length--) if (fits(length)) return length
  return 0
}
