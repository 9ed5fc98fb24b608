/** Text of others as a block of code in Markdown; pure. Its fence is longer than any row of backticks in the text. */
import { harmless } from "./harmless.ts"

export const fenced = (text: string): string => {
  const shown = harmless(text)
  const longest = (shown.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2)
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${shown}${shown.endsWith("\n") ? "" : "\n"}${fence}`
}
