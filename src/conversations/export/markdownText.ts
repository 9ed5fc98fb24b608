/** Text of strangers as Markdown; pure. It cannot break out, control characters are visible, links are inactive. */
import { harmless, oneLine } from "../../contract/text/harmless.ts"

/** As a part of our own line, such as a heading: every mark of Markdown stands for itself. */
export const literal = (text: string): string => oneLine(text).replace(/[!-/:-@[-`{-~]/g, (mark) => `\\${mark}`)

const longestRun = (text: string, mark: RegExp) =>
  [...text.matchAll(mark)].reduce((longest, [run]) => Math.max(longest, run.length), 0)

/** A code span: the marks around it are longer than any inside. */
export const code = (text: string): string => {
  const content = oneLine(text)
  if (content === "") return "``  ``"
  const marks = "`".repeat(longestRun(content, /`+/g) + 1)
  const space = /^`|`$/.test(content) ? " " : ""
  return `${marks}${space}${content}${space}${marks}`
}

/** A block whose fence is longer than any inside, each line behind `indent`. */
export const fence = (text: string, indent = ""): string => {
  const content = harmless(text)
  const marks = "`".repeat(Math.max(3, longestRun(content, /`+/g) + 1))
  return [marks, ...content.split("\n"), marks].map((line) => (line === "" ? "" : `${indent}${line}`)).join("\n")
}

const heading = /^((?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*)(#{1,6})(?=\s|$)/
const underline = /^((?:\s|>)*)(=+|-+)(?=\s*$)/

/** Links show their address instead of hiding it behind a text; pictures and HTML are text. */
const inactive = (text: string) =>
  text
    .replaceAll("](", "]\\(")
    .replaceAll("]:", "]\\:")
    .replace(/<(?=[A-Za-z/!?])/g, "&lt;")

const inlineCode = /(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g
/** Every run of back-ticks has a partner on its own line, so that what is code here is code wherever it is shown. */
const isPaired = (line: string) => !line.includes("\\`") && !line.replace(inlineCode, "").includes("`")

const outsideOfCode = (line: string, isCodeSafe: boolean) => {
  if (!isCodeSafe) return inactive(line)
  let visible = ""
  let end = 0
  for (const { 0: span, index } of line.matchAll(inlineCode)) {
    visible += inactive(line.slice(end, index)) + span
    end = index + span.length
  }
  return visible + inactive(line.slice(end))
}

const fenceStart = /^(?:(`{3,})[^`]*|(~{3,}).*)$/

const isFenceEnd = (line: string, marks: string) =>
  /^ {0,3}(?:`+|~+)[ \t]*$/.test(line) && line.trim().startsWith(marks)

/** Markdown of an agent as a quote. Open fences, lists and HTML end with it. */
export const quote = (text: string): string => {
  const lines = harmless(text).split("\n")
  const isCodeSafe = proseOf(lines).every(isPaired)
  let marks: string | undefined
  return lines
    .map((line) => {
      if (marks !== undefined) {
        if (isFenceEnd(line, marks)) marks = undefined
        return `> ${line}`.trimEnd()
      }
      marks = marksOf(line)
      if (marks !== undefined) return `> ${line}`
      const plain = line.replace(heading, "$1\\$2").replace(underline, "$1\\$2")
      return `> ${outsideOfCode(plain, isCodeSafe)}`.trimEnd()
    })
    .join("\n")
}

const marksOf = (line: string) => {
  const [, ticks, tildes] = fenceStart.exec(line) ?? []
  return ticks ?? tildes
}

const proseOf = (lines: ReadonlyArray<string>) => {
  let marks: string | undefined
  return lines.filter((line) => {
    if (marks === undefined) {
      marks = marksOf(line)
      return marks === undefined
    }
    if (isFenceEnd(line, marks)) marks = undefined
    return false
  })
}
