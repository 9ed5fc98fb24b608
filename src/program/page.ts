/**
 * A page of blocks: text and thinking that arrive in pieces, and whole lines. Every step returns the next page and the text
 * to write; pure.
 */
import { CliOutput } from "effect/cli"

export interface Page {
  readonly block: "none" | "text" | "thinking" | "lines"
  /** Trailing line feeds: 0 in the middle of a line, 2 after a blank line. */
  readonly feeds: number
  /** Cells used on the current line, as if it were never wrapped. */
  readonly column: number
}

export const empty: Page = { block: "none", feeds: 2, column: 0 }
type Written = readonly [Page, string]
const feedsTo = (page: Page, feeds: number) => "\n".repeat(Math.max(0, feeds - page.feeds))

const tail = (page: Page, text: string): Pick<Page, "feeds" | "column"> => {
  const line = text.slice(text.lastIndexOf("\n") + 1)
  const before = text.includes("\n") ? 0 : page.column
  const feeds = /\n*$/.exec(text)?.[0].length ?? 0
  return {
    feeds: feeds === text.length ? page.feeds + feeds : feeds,
    column: before + CliOutput.displayWidth(line) + 7 * (line.split("\t").length - 1)
  }
}

/** Adds a piece of text. `prefix` is put before each line, `style` is applied to the text without it. */
export const stream = (
  page: Page,
  block: "text" | "thinking",
  text: string,
  style: (text: string) => string,
  prefix: string
): Written => {
  const isContinued = page.block === block
  // A later text begins with an empty line, which is here already.
  const own = isContinued || page.block === "none" ? text : text.replace(/^\n+/, "")
  if (own === "") return [page, ""]
  const lead = isContinued ? "" : feedsTo(page, 2)
  const start: Page = lead === "" ? page : { block, feeds: 2, column: 0 }
  const output = own
    .split("\n")
    .map((line, at) => ((at > 0 || start.feeds > 0) && line !== "" ? prefix : "") + style(line))
    .join("\n")
  return [{ block, ...tail(start, own) }, lead + output]
}

const rows = (page: Page, block: "text" | "lines", content: ReadonlyArray<string>, isContinued: boolean): Written => [
  { block, feeds: 1, column: 0 },
  `${feedsTo(page, isContinued && page.block === block ? 1 : 2)}${content.join("\n")}\n`
]

/** Adds rows of a text, after a blank line unless they continue its last block. */
export const textRows = (page: Page, content: ReadonlyArray<string>, isContinued: boolean): Written =>
  rows(page, "text", content, isContinued)

/** Adds lines, after a blank line unless lines came before. */
export const lines = (page: Page, content: ReadonlyArray<string>): Written => rows(page, "lines", content, true)

export const paragraph = (page: Page, content: ReadonlyArray<string>): Written =>
  lines({ ...page, block: "none" }, content)

/** Ends the current block: its line, and a blank line after text. */
export const finish = (page: Page): Written => {
  const text = feedsTo(page, page.block === "lines" ? 1 : 2)
  return [{ ...page, feeds: page.feeds + text.length, column: text === "" ? page.column : 0 }, text]
}
