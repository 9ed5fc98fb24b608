/**
 * Where writing stands on a page of blocks: text and thinking that come in pieces, and whole lines. Every step gives
 * the page after it and what to write for it; pure.
 */
import { CliOutput } from "effect/cli"

export interface Page {
  readonly block: "none" | "text" | "thinking" | "lines"
  /** Line feeds at the end of what was written: 0 in the middle of a line, 2 below a blank line. */
  readonly feeds: number
  /** Cells on the current line, for what is drawn behind it; a terminal wraps, this does not. */
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

/** A piece of text. `prefix` stands before each of its lines, `style` is put on the words only. */
export const stream = (
  page: Page,
  block: "text" | "thinking",
  text: string,
  style: (text: string) => string,
  prefix: string
): Written => {
  const lead = page.block === block ? "" : feedsTo(page, 2)
  const start: Page = lead === "" ? page : { block, feeds: 2, column: 0 }
  const written = text
    .split("\n")
    .map((line, at) => {
      const isStart = at > 0 || start.feeds > 0
      return (isStart && line !== "" ? prefix : "") + style(line)
    })
    .join("\n")
  return [{ block, ...tail(start, text) }, lead + written]
}

/** Whole lines, below a blank line if something else came before. */
export const lines = (page: Page, told: ReadonlyArray<string>): Written => {
  const lead = feedsTo(page, page.block === "lines" ? 1 : 2)
  return [{ block: "lines", feeds: 1, column: 0 }, `${lead}${told.join("\n")}\n`]
}

/** Whole lines below a blank line. */
export const paragraph = (page: Page, told: ReadonlyArray<string>): Written => lines({ ...page, block: "none" }, told)

/** Nothing more comes to the current block: its line is ended, with a blank line below text. */
export const finish = (page: Page): Written => {
  const text = feedsTo(page, page.block === "lines" ? 1 : 2)
  return [{ ...page, feeds: page.feeds + text.length, column: text === "" ? page.column : 0 }, text]
}
