/** The title of a session that nobody has named: the beginning of its first prompt; pure. */
import { harmless } from "../../contract/text/harmless.ts"

const maxLength = 200

/** One line without control characters; null for an empty one. */
export const titleOf = (prompt: string): string | null => {
  const line = harmless(prompt.slice(0, 4 * maxLength))
    .replace(/\s+/g, " ")
    .trim()
  if (line === "") return null
  const characters = Array.from(line)
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`
}
