/** Removes the secrets of a run from what is kept or shown of its output; pure. */
import { stripControls } from "../../contract/text/harmless.ts"

export interface Redactor {
  readonly text: (text: string) => string
  /** For the head of a longer text: also removes a secret that was cut off at its end. */
  readonly head: (text: string) => string
  /** For the tail of a longer text: also removes a secret that was cut off at its beginning. */
  readonly tail: (text: string) => string
}

const mark = "<redacted>"
/** Shorter values, and shorter parts of a value, are not treated as secrets: they appear in many lines. */
const shortest = 4

const longestFirst = (texts: ReadonlyArray<string>) =>
  [...new Set(texts)].filter((text) => text.length >= shortest).sort((a, b) => b.length - a.length)

/** As passed; trimmed; without control sequences; and escaped in JSON. */
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
