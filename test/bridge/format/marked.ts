/** Text with marks as one line a test can show: `[bold:text]`, the marks inside each other. */
import type { RichText } from "../../../src/bridge/format/entities.ts"

export const marked = ({ text, entities }: RichText): string => {
  const opens = new Map<number, string>()
  const closes = new Map<number, string>()
  for (const entity of entities) {
    const detail =
      entity.type === "link" ? `(${entity.url})` : entity.type === "pre" ? `(${entity.language ?? ""})` : ""
    opens.set(entity.offset, `${opens.get(entity.offset) ?? ""}[${entity.type}${detail}:`)
    closes.set(entity.offset + entity.length, `${closes.get(entity.offset + entity.length) ?? ""}]`)
  }
  return [...text.split(""), ""].map((unit, at) => (closes.get(at) ?? "") + (opens.get(at) ?? "") + unit).join("")
}
