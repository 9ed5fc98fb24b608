/**
 * Bytes of stdout → agent events, for one run: lines, JSON, the CLI's decoder. Whatever cannot be read is told by a
 * notice and never hides what comes after it; a decoder that throws costs its line and no more.
 */
import { Predicate } from "effect"
import type { AgentEvent, NoticeEvent } from "../contract/AgentEvent.ts"
import { isBlank, type Line, makeLineSplitter } from "../process/lines.ts"
import { boundedDepth, mostLineDepth } from "../text/boundedDepth.ts"

/** 64 MiB: an image in a tool result is sent twice in base64, and some CLIs repeat whole files. */
export const defaultMaxLineBytes = 64 * 1024 * 1024

/** What becomes of a line that is JSON is up to whoever reads: events, and whatever else it means. */
export interface Reader<Output> {
  /** The lines that a chunk ends, but for blank ones. */
  readonly split: (chunk: Uint8Array) => ReadonlyArray<Line>
  /** The line that was not finished when stdout ended. */
  readonly rest: () => ReadonlyArray<Line>
  readonly read: (line: Line) => ReadonlyArray<Output | AgentEvent>
}

const excerptLength = 1_000

const malformed = (text: string, message: string): NoticeEvent => ({
  type: "notice",
  kind: "malformed_line",
  message,
  data: { characters: text.length, text: text.slice(0, excerptLength) }
})

interface Parsed {
  readonly json: unknown
  /** What was nested too deep is left out. */
  readonly isCut: boolean
}

/** Undefined is no JSON. */
const parseJson = (text: string): Parsed | undefined => {
  try {
    const bounded = boundedDepth(text)
    return { json: JSON.parse(bounded), isCut: bounded !== text }
  } catch {
    return undefined
  }
}

/** Foreign words stand around an object on its line: the object is used all the same. */
const findObject = (text: string) => {
  const to = text.lastIndexOf("}") + 1
  for (const from of new Set([text.indexOf("{"), text.indexOf('{"')])) {
    const parsed = from >= 0 && from < to ? parseJson(text.slice(from, to)) : undefined
    if (parsed !== undefined) return { parsed, foreign: text.slice(0, from) + text.slice(to) }
  }
  return undefined
}

export const makeReader = <Output>(
  decoder: { readonly push: (json: unknown) => ReadonlyArray<Output> },
  maxLineBytes = defaultMaxLineBytes
): Reader<Output> => {
  const splitter = makeLineSplitter(maxLineBytes)

  const decode = (json: unknown): ReadonlyArray<Output | AgentEvent> => {
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

  const isWritten = (line: Line) => !isBlank(line)
  return {
    split: (chunk) => splitter.push(chunk).filter(isWritten),
    rest: () => splitter.end().filter(isWritten),
    read: (line) => {
      if (line._tag === "Oversize") {
        const message = `A line of ${line.bytes} bytes was dropped`
        return [{ type: "notice", kind: "oversize_line", message, data: { bytes: line.bytes, head: line.head } }]
      }
      // A request stays one, and is answered, however deep what it asks about.
      const taken = ({ json, isCut }: Parsed) => {
        const message = `A line nested deeper than ${mostLineDepth}: what is deeper is left out`
        return isCut ? [malformed(line.text, message), ...decode(json)] : decode(json)
      }
      const whole = parseJson(line.text)
      if (Predicate.isObject(whole?.json)) return taken(whole)
      // JSON that is no object has none inside that is meant.
      const found = whole === undefined ? findObject(line.text) : undefined
      if (found === undefined) return [malformed(line.text, "A line that is no JSON object")]
      return [malformed(found.foreign, "Foreign text around a JSON object"), ...taken(found.parsed)]
    }
  }
}
