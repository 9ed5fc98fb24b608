/** Rows of a conversation → a file to keep: Markdown for people, or the rows as they are; pure. */
import { fence } from "../../../sessions/export/markdownText.ts"
import { oneLine } from "../../../text/oneLine.ts"
import type { StoredRow } from "../rows/row.ts"

const timeOf = (at: number) => new Date(at).toISOString().slice(0, 16).replace("T", " ")

/** Undefined: nothing of it is in the text. */
const partOf = (row: StoredRow): string | undefined => {
  switch (row.row) {
    case "message": {
      const files = (row.files ?? []).map(({ name }) => `\n\n[file: ${oneLine(name)}]`).join("")
      return `\n\n## ${oneLine(row.by)}, ${timeOf(row.at)} UTC\n\n${row.text}${files}`
    }
    case "run":
      return `\n\n## ${oneLine(row.agent)}${row.model === undefined ? "" : ` (${oneLine(row.model)})`}, ${timeOf(row.at)} UTC\n\n`
    case "event": {
      const { event } = row
      if (event["parentToolId"] !== undefined) return undefined
      if (event.type === "text") return String(event["text"] ?? "")
      if (event.type !== "tool_use") return undefined
      return `\n\n${fence(oneLine(String(event["title"] ?? event["toolName"] ?? "a step")))}\n\n`
    }
    case "host":
    case "said":
      return `\n\n${row.text}\n\n`
    case "done":
      return row.result.outcome === "completed" ? undefined : `\n\n(${row.result.outcome})\n\n`
    default:
      return undefined
  }
}

export const markdownOf = (title: string, rows: ReadonlyArray<StoredRow>): string =>
  `# ${oneLine(title)}${rows.map((row) => partOf(row) ?? "").join("")}\n`.replace(/\n{3,}/g, "\n\n")

/** A name that any system takes. */
export const fileNameOf = (title: string, form: "md" | "json"): string => {
  const plain = title
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
  return `${plain === "" ? "conversation" : plain}.${form}`
}
