// The kind of a wire line: the words by which a reader tells it from others. Pure.
import type { CliId } from "../../src/cli/clis.ts"
import { isRecord } from "./paths.ts"

/** `run`: what a run prints; `live`: what a live session says, which is another language for all but Claude and Pi. */
export type Wire = "run" | "live"

const claudeWords = [
  "type",
  "subtype",
  "status",
  "request.subtype",
  "response.subtype",
  "event.type",
  "event.content_block.type",
  "event.delta.type"
]

/** `command`: what was asked by a response; `method`: what an extension asks. */
const piWords = ["type", "assistantMessageEvent.type", "message.role", "command", "method"]

const runWords: Readonly<Record<CliId, ReadonlyArray<string>>> = {
  claude: claudeWords,
  gemini: ["type", "role", "status"],
  codex: ["type", "item.type"],
  opencode: ["type", "part.state.status", "error.name"],
  pi: piWords
}

/** Kinds of JSON-RPC. */
const methodWords = ["method", "params.item.type", "params.update.sessionUpdate"]

const wordAt = (json: unknown, path: string): ReadonlyArray<string> => {
  const value = path.split(".").reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), json)
  return typeof value === "string" ? [value] : []
}

const sameInBoth: ReadonlySet<CliId> = new Set(["claude", "pi"])

const wordsOf = (cli: CliId, wire: Wire) => (wire === "run" || sameInBoth.has(cli) ? runWords[cli] : methodWords)

/** `methodOf`: what was asked by the request of this id. */
export const kindOf = (cli: CliId, wire: Wire, json: unknown, methodOf: (id: unknown) => string | undefined) => {
  const words = wordsOf(cli, wire).flatMap((path) => wordAt(json, path))
  if (words.length > 0) return words.join("/")
  if (!isRecord(json)) return "no object"
  return `${"error" in json ? "error" : "result"} of ${methodOf(json["id"]) ?? "nothing asked"}`
}

/** The places that only say of which kind a line is. */
export const wordPlaces = (cli: CliId, wire: Wire): ReadonlySet<string> => new Set([...wordsOf(cli, wire), "id"])
