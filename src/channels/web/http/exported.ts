/** Rows of a conversation → an exported file, made as it is read: Markdown for people, or the rows as JSON; pure. */
import { oneLine } from "../../../contract/text/harmless.ts"
import { fence } from "../../../conversations/export/markdownText.ts"
import type { StoredRow } from "../rows/row.ts"
import type { PageRow } from "../rows/rowTable.ts"

const timeOf = (at: number) => new Date(at).toISOString().slice(0, 16).replace("T", " ")

interface Part {
  readonly text: string
  /** True for a block; false for text that continues the part before it. */
  readonly isBlock: boolean
}

const block = (text: string): Part => ({ text, isBlock: true })

const partOf = (row: StoredRow): Part | undefined => {
  switch (row.row) {
    case "message": {
      const files = (row.files ?? []).map(({ name }) => `\n\n[file: ${oneLine(name)}]`).join("")
      return block(`## ${oneLine(row.by)}, ${timeOf(row.at)} UTC\n\n${row.text}${files}`)
    }
    case "run":
      return block(
        `## ${oneLine(row.agent)}${row.model === undefined ? "" : ` (${oneLine(row.model)})`}, ${timeOf(row.at)} UTC`
      )
    case "event": {
      const { event } = row
      if (event["parentToolId"] !== undefined) return undefined
      if (event.type === "text") return { text: String(event["text"] ?? ""), isBlock: false }
      if (event.type !== "tool_use") return undefined
      return block(fence(oneLine(String(event["title"] ?? event["toolName"] ?? "a step"))))
    }
    case "host":
    case "said":
      return block(row.text)
    case "done":
      return row.result.outcome === "completed" ? undefined : block(`(${row.result.outcome})`)
    default:
      return undefined
  }
}

export interface Exporting {
  readonly head: string
  /** Rows in their order. */
  readonly rows: (rows: ReadonlyArray<PageRow>) => string
  readonly tail: () => string
}

/** Separates blocks by one blank line, and leaves their content unchanged. */
export const exportMarkdown = (title: string): Exporting => {
  let [endsWithBlock, lineEnds] = [true, 0]
  const add = ({ text, isBlock }: Part): string => {
    const gap = isBlock || endsWithBlock ? "\n".repeat(Math.max(0, 2 - lineEnds)) : ""
    endsWithBlock = isBlock
    lineEnds = /\n{0,2}$/.exec(text)?.[0].length ?? 0
    return gap + text
  }
  return {
    head: `# ${oneLine(title)}`,
    rows: (rows) =>
      rows
        .map(({ json }) => partOf(JSON.parse(json) as StoredRow)) // written as rows
        .map((part) => (part === undefined || part.text === "" ? "" : add(part)))
        .join(""),
    tail: () => (lineEnds === 0 ? "\n" : "")
  }
}

export const exportJson = (title: string): Exporting => {
  let isFirst = true
  return {
    head: `{"title":${JSON.stringify(title)},"rows":[`,
    rows: (rows) => {
      const text = rows.map(({ json }) => json).join(",\n")
      const before = isFirst || text === "" ? "" : ",\n"
      isFirst &&= text === ""
      return before + text
    },
    tail: () => "]}\n"
  }
}

/** A file name for any system. */
export const fileNameOf = (title: string, form: "md" | "json"): string => {
  const plain = title
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
  return `${plain === "" ? "conversation" : plain}.${form}`
}
