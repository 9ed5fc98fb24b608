/** The block in which a Markdown text ends, as its reader sees it: it may have begun long before. */
import { fencesOf } from "./fences.ts"
import { readMarkdown } from "./lexer.ts"

export interface Block {
  /** As `marked` names it; `code` of a block that is too long for it, too. */
  readonly type: string
  /** As it is written. */
  readonly raw: string
}

/** Returns undefined if it is plain text. */
export const lastBlock = (source: string): Block | undefined => {
  const { parts, blocks } = readMarkdown(source)
  const last = parts.at(-1)
  if (last === undefined || last.type === "written") return undefined
  if (last.type === "code") return { type: "code", raw: source.slice(fencesOf(source).at(-1)?.start) }
  return blocks(last.text)?.findLast(({ type }) => type !== "space")
}
