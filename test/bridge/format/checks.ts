/** The properties of this folder, for one document each; the fast and the long runs share them. */
import { assert } from "vitest"
import { makeChunker } from "../../../src/bridge/format/chunker.ts"
import { cut } from "../../../src/bridge/format/cut.ts"
import { cutMarkdown, markdownPieces } from "../../../src/bridge/format/cutMarkdown.ts"
import { fencesOf } from "../../../src/bridge/format/fences.ts"
import { makeCutting } from "../../../src/bridge/format/markdownPieces.ts"
import { richText } from "../../../src/bridge/format/richText.ts"
import { assertCut, assertHarmless, assertNoWordLost, assertSound, bordersOf, check, longestBlank } from "./laws.ts"

export const limits = [4_096, 40, 7] as const

export const checkRichText = (markdown: string): void => {
  const rich = richText(markdown)
  assertSound(rich)
  assertHarmless(rich)
  assertNoWordLost(markdown, rich)
}

export const checkCut = (markdown: string): void => {
  const rich = richText(markdown)
  for (const limit of limits) assertCut(rich, cut(rich, limit), limit)
}

export const checkCutMarkdown = (markdown: string): void => {
  const { borders, longest } = bordersOf(markdown)
  const blank = longestBlank(markdown)
  const firstLine = Math.max(0, ...fencesOf(markdown).map(({ start, from, marks }) => from - start + marks.length + 1))
  for (const limit of [...limits, 1]) {
    const pieces = markdownPieces(makeCutting(markdown, limit))
    const joined = pieces.map(({ text }) => text).join("")
    // A piece of white space alone is left out: at the end, and where the rest of the piece is full.
    if (blank + longest <= limit) assert.isTrue(markdown.startsWith(joined) && joined.trim() === markdown.trim())
    else assert.strictEqual(withoutSpace(joined), withoutSpace(markdown))
    const output = cutMarkdown(markdown, limit)
    const whole = pieces.map(({ before, text, after }) => before + text + after)
    assert.strictEqual(output.join("|"), whole.join("|"))
    assert.isTrue(output.every((piece) => piece.length <= limit && piece.trim() !== ""))
    // Neither is a character whole that has no room behind the first line of its code.
    if (blank + longest + firstLine > limit) continue
    let at = 0
    for (const { text } of pieces) {
      at += text.length
      check(borders.has(at), () => `inside a character at ${at}`)
    }
  }
}

/** A joiner is seen where it has no letter on one side, as at a cut. */
const withoutSpace = (text: string) => text.replace(/\s|\u200c|\\u200c/g, "")

/** The text of blocks of code, and what is outside. */
const codeOf = (markdown: string) => {
  const { text, entities } = richText(markdown)
  return entities.flatMap((entity) =>
    entity.type === "pre" ? [[entity.language, text.slice(entity.offset, entity.offset + entity.length)] as const] : []
  )
}

export const checkCalm = (markdown: string): void => {
  for (const limit of [4_096, 120, 40]) {
    const pieces = cutMarkdown(markdown, limit)
    const closed = pieces.slice(0, -1).flatMap((piece) => fencesOf(piece))
    assert.isTrue(
      closed.every(({ to, end }) => to < end),
      "a block of code is left open"
    )
    const known = pieces.map((piece) => richText(piece).text).join("")
    assert.strictEqual(withoutSpace(known), withoutSpace(richText(markdown).text))
    const code = pieces.flatMap(codeOf)
    assert.strictEqual(
      withoutSpace(code.map(([, text]) => text).join("")),
      withoutSpace(
        codeOf(markdown)
          .map(([, text]) => text)
          .join("")
      )
    )
    assert.deepStrictEqual(new Set(code.map(([name]) => name)), new Set(codeOf(markdown).map(([name]) => name)))
  }
}

/** `seed` decides where the text is broken into deltas. */
export const checkChunks = (markdown: string, seed: number): void => {
  for (const [limit, minimum] of [
    [400, undefined],
    [400, 60],
    [40, 10],
    [7, undefined]
  ] as const) {
    const chunker = makeChunker(minimum === undefined ? { limit } : { limit, minimum })
    let state = chunker.start
    const chunks: Array<{ readonly text: string; readonly markdown: string }> = []
    let length = (seed % 9) + 1
    for (let at = 0; at < markdown.length; ) {
      const [next, more] = chunker.step(state, markdown.slice(at, at + length))
      chunks.push(...more)
      state = next
      at += length
      length = ((length * 7 + seed) % 23) + 1
    }
    chunks.push(...chunker.end(state))
    const joined = chunks.map(({ text }) => text).join("")
    assert.strictEqual(joined.trimEnd(), markdown.trimEnd())
    assert.isTrue(markdown.startsWith(joined))
    assert.isTrue(chunks.every((chunk) => chunk.markdown.length <= limit + 1 && chunk.text !== ""))
  }
}
