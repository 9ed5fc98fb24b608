/** A long text is read in parts, a deep one as far as it goes: of neither is a word lost. */
import { expect, it } from "vitest"
import { inlineParts, sourceParts } from "../../../src/bridge/format/lexer.ts"
import { richText } from "../../../src/bridge/format/richText.ts"
import { marked } from "./marked.ts"

const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, at) => `**Paragraph ${at}** of a text.\n\n- and a list\n\n  of two paragraphs\n\n`)

it("a part ends before text at the margin", () => {
  const markdown = paragraphs(1_000).join("")
  const parts = sourceParts(markdown)
  expect(parts.map(({ text }) => text).join("")).toBe(markdown)
  expect(parts.length).toBeGreaterThan(5)
  for (const { text } of parts) expect(text).toMatch(/^\S.*\n\n$/s)
})

it("a long block of code is a part, and one mark", () => {
  const code = "const line = 1\n".repeat(3_000)
  const { text, entities } = richText(`a\n\n\`\`\`ts\n${code}\`\`\`\n\n**b**`)
  expect(entities.map(({ type }) => type)).toEqual(["pre", "bold"])
  expect(text).toBe(`a\n\n${code}\nb`)
})

it("behind 128 kB text is as it was written", () => {
  const markdown = paragraphs(3_000).join("")
  const { text } = richText(markdown)
  expect(text).toContain("\n\nParagraph 999 of a text.")
  expect(text).toContain("**Paragraph 2999** of a text.")
  for (let at = 0; at < 3_000; at++) expect(text.includes(`Paragraph ${at}`)).toBe(true)
})

it("what is deeper than 16 quotations or lists is text", () => {
  expect(marked(richText(`${"> ".repeat(18)}a`))).toBe("[blockquote:> > a]")
  expect(marked(richText(`${"- ".repeat(18)}a`))).toBe(`${"• ".repeat(16)}- - a`)
})

it("a paragraph without a space is cut between characters", () => {
  for (const text of [`a${"👍".repeat(5_000)}`, "👍".repeat(5_000), "_👍".repeat(2_000)]) {
    expect(inlineParts(text).join("")).toBe(text)
    for (const part of inlineParts(text)) expect(part.isWellFormed()).toBe(true)
  }
})
