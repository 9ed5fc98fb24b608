/**
 * Bytes of stdout → agent events, for one run: lines, JSON, the CLI's decoder. Whatever cannot be read is told by a
 * notice and never hides what comes after it; a decoder that throws costs its line and no more.
 */
import { Option, Predicate, Result } from "effect"
import type { AgentEvent, NoticeEvent } from "../AgentEvent.ts"
import type { Decoder } from "../cli/Cli.ts"
import { type Line, makeLineSplitter } from "../process/lines.ts"

/** 64 MiB: an image in a tool result is sent twice in base64, and some CLIs repeat whole files. */
export const defaultMaxLineBytes = 64 * 1024 * 1024

export interface Reader {
  readonly split: (chunk: Uint8Array) => ReadonlyArray<Line>
  /** The line that was not finished when stdout ended. */
  readonly rest: () => ReadonlyArray<Line>
  readonly read: (line: Line) => ReadonlyArray<AgentEvent>
}

const excerptLength = 1_000

const malformed = (text: string, message: string): NoticeEvent => ({
  type: "notice",
  kind: "malformed_line",
  message,
  data: { characters: text.length, text: text.slice(0, excerptLength) }
})

const parseJson = (text: string) =>
  Result.try({ try: (): unknown => JSON.parse(text), catch: () => "no JSON" as const })

/** A foreign line, or foreign words around an object on its line: the object is used all the same. */
const parseLine = (text: string): { readonly json: Option.Option<unknown>; readonly notice?: NoticeEvent } => {
  const whole = parseJson(text)
  if (Result.isSuccess(whole) && Predicate.isObject(whole.success)) return { json: Option.some(whole.success) }
  const to = text.lastIndexOf("}") + 1
  for (const from of Result.isFailure(whole) ? new Set([text.indexOf("{"), text.indexOf('{"')]) : []) {
    const inside = from >= 0 && from < to ? parseJson(text.slice(from, to)) : whole
    if (Result.isFailure(inside)) continue
    const foreign = text.slice(0, from) + text.slice(to)
    return { json: Option.some(inside.success), notice: malformed(foreign, "Foreign text around a JSON object") }
  }
  return { json: Option.none(), notice: malformed(text, "A line that is no JSON object") }
}

export const makeReader = (decoder: Decoder, maxLineBytes = defaultMaxLineBytes): Reader => {
  const splitter = makeLineSplitter(maxLineBytes)

  const decode = (json: unknown): ReadonlyArray<AgentEvent> => {
    try {
      return decoder.push(json)
    } catch (error) {
      const message = `A line could not be translated: ${error instanceof Error ? error.name : "unknown error"}`
      return [
        { type: "notice", kind: "warning", message },
        { type: "unknown", raw: json }
      ]
    }
  }

  return {
    split: splitter.push,
    rest: splitter.end,
    read: (line) => {
      if (line._tag === "Oversize") {
        const message = `A line of ${line.bytes} bytes was dropped`
        return [{ type: "notice", kind: "oversize_line", message, data: { bytes: line.bytes, head: line.head } }]
      }
      if (line.text.trim() === "") return []
      const { json, notice } = parseLine(line.text)
      const events = Option.match(json, { onNone: () => [], onSome: decode })
      return notice === undefined ? events : [notice, ...events]
    }
  }
}
