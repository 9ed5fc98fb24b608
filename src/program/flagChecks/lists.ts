/** Names in a sentence; pure. */
import { suggestionFor } from "../../contract/suggestions.ts"

/** `a, b or c`. */
export const listed = (names: ReadonlyArray<string>, word: "and" | "or" = "or"): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`

/** Words of the CLIs themselves for what a flag of the same meaning calls otherwise. */
const foreign: Readonly<Record<string, string>> = {
  yolo: "gemini",
  auto_edit: "gemini",
  autoedit: "gemini",
  acceptedits: "claude",
  bypasspermissions: "claude",
  "full-auto": "codex",
  "read-only": "codex",
  "workspace-write": "codex",
  "danger-full-access": "codex"
}

/** The cure for an unknown name. */
export const oneOf = (name: string, known: ReadonlyArray<string>): string => {
  const near = suggestionFor(name, known)
  const owner = foreign[name.toLowerCase()]
  if (near === undefined) return `not known. ${listed(known)}`
  if (owner !== undefined) return `not known. ${listed(known)} (${owner}'s ${name} is ${near})`
  return `not known. Did you mean ${near}? (${known.join(", ")})`
}
