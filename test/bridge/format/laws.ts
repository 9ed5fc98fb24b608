/** Laws for any text with marks, and for any cut of it. Each throws an assertion if it is broken. */
import { assert } from "vitest"
import type { Entity, RichText } from "../../../src/bridge/format/entities.ts"
import { unseenIn } from "../../kit/foreignText.ts"

const endOf = (entity: Entity) => entity.offset + entity.length
const isCode = ({ type }: Entity) => type === "code" || type === "pre"
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Assertions of chai for each unit take too long. */
export const check = (isRight: boolean, message: () => string) => {
  if (!isRight) assert.fail(message())
}

/** As chat services want it: in bounds, in order, nested, code without other marks. */
export const assertSound = ({ text, entities }: RichText): void => {
  assert.notMatch(text, halves)
  const around: Array<Entity> = []
  let before = 0
  for (const entity of entities) {
    const about = () => `${JSON.stringify(entity)} among ${JSON.stringify(around)} in ${JSON.stringify(text)}`
    const part = text.slice(entity.offset, endOf(entity))
    check(entity.offset >= before && entity.length > 0 && endOf(entity) <= text.length, about)
    check(!halves.test(part), about)
    check(isCode(entity) || entity.type === "blockquote" || part === part.trim(), about)
    while (around.length > 0 && endOf(around.at(-1) ?? entity) <= entity.offset) around.pop()
    for (const outer of around) {
      check(endOf(entity) <= endOf(outer) && entity.type !== outer.type, about)
      check(!isCode(outer) && (!isCode(entity) || outer.type === "blockquote"), about)
    }
    around.push(entity)
    before = entity.offset
  }
}

/** Letters that a person cannot see, but for the joiners inside words. */
export const assertHarmless = ({ text }: RichText): void => {
  const hidden = unseenIn(text.replace(/(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L})/gu, ""))
  assert.deepStrictEqual(hidden, [])
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/\p{L}{2,}/gu) ?? [])

/** Texts that are read anywhere: as text, as an address, as the name of a language. */
const shownBy = ({ text, entities }: RichText) =>
  [
    text,
    ...entities.flatMap((entity) => {
      if (entity.type === "link") return [entity.url]
      return entity.type === "pre" && entity.language !== undefined ? [entity.language] : []
    })
  ].join(" ")

export const assertNoWordLost = (markdown: string, rich: RichText): void => {
  const visible = shownBy(rich)
  const lost = [...wordsOf(markdown)].filter((word) => !["br", "amp"].includes(word) && !visible.includes(word))
  assert.deepStrictEqual(lost, [])
}

/** Each unit that is seen, with its marks. */
const marksOf = ({ text, entities }: RichText): string => {
  const units = text.split("")
  for (const { offset, length, ...mark } of entities) {
    const name = JSON.stringify(mark)
    for (let at = offset; at < offset + length; at++) if (units[at]?.trim() !== "") units[at] += name
  }
  return units.join("").replace(/\s/g, "")
}

/** There may be too many numbers for the arguments of a call. */
const largest = (numbers: ReadonlyArray<number>) => numbers.reduce((most, one) => Math.max(most, one), 0)

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

export const bordersOf = (text: string) => {
  const segments = [...segmenter.segment(text)]
  return {
    borders: new Set([...segments.map(({ index }) => index), text.length]),
    longest: largest(segments.map(({ segment }) => segment.length))
  }
}

export const longestBlank = (text: string): number => largest((text.match(/\s+/g) ?? []).map(({ length }) => length))

/** Where each piece stands in the text: between them is white space alone, in code one line feed at most. */
const placesOf = (rich: RichText, pieces: ReadonlyArray<RichText>, isExact: boolean) => {
  const code = rich.entities.filter(({ type }) => type === "pre")
  let at = 0
  return pieces.map(({ text }) => {
    const start = rich.text.indexOf(text, at)
    check(start >= 0, () => `not in the text behind ${at}: ${JSON.stringify(text)}`)
    const between = rich.text.slice(at, start)
    check(between.trim() === "", () => `${JSON.stringify(between)} is left out behind ${at}`)
    const cutCode = code.find(({ offset, length }) => offset < at && offset + length > start)
    check(!isExact || cutCode === undefined || /^\n?$/.test(between), () => `code lacks ${JSON.stringify(between)}`)
    at = start + text.length
    return { start, end: at }
  })
}

export const assertCut = (rich: RichText, pieces: ReadonlyArray<RichText>, limit: number): void => {
  for (const piece of pieces) {
    if (limit > 1) assertSound(piece)
    assert.isAtMost(piece.text.length, limit)
    assert.isAtMost(piece.entities.length, 100)
    assert.notStrictEqual(piece.text.trim(), "")
  }
  assert.strictEqual(pieces.map(marksOf).join(""), marksOf(rich))
  const { borders, longest } = bordersOf(rich.text)
  // A piece of white space alone is left out, if the rest of the piece is full.
  const places = placesOf(rich, pieces, longestBlank(rich.text) + longest <= limit)
  if (longest > limit) return
  for (const { start, end } of places) {
    check(borders.has(start) && borders.has(end), () => `inside a character: ${start}, ${end}`)
  }
}
