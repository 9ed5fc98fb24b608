/** A session and its events as a stream of text, as they come: nothing of an export is in memory but a turn. */
import { Stream } from "effect"
import type { ExportFormat } from "../../contract/Sessions.ts"
import type { ExportedEvent, ExportedSession } from "./exported.ts"
import { jsonHead, jsonLine } from "./json.ts"
import { makeMarkdown } from "./markdown.ts"

export const exportText = <E, R>(
  session: ExportedSession,
  events: Stream.Stream<ExportedEvent, E, R>,
  format: ExportFormat
): Stream.Stream<string, E, R> => {
  if (format === "json") return Stream.concat(Stream.make(jsonHead(session)), Stream.map(events, jsonLine))
  return Stream.suspend(() => {
    const writer = makeMarkdown(session)
    const written = Stream.map(events, writer.push)
    const whole = Stream.concat(
      written,
      Stream.suspend(() => Stream.make(writer.end()))
    )
    return Stream.filter(whole, (text) => text !== "")
  })
}
