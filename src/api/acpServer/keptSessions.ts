/** Sessions of editors in the store: each is a conversation, known by the client's id. */
import { Effect, Option, Predicate, Schema, Stream } from "effect"
import { AgentEvent } from "../../contract/AgentEvent.ts"
import { present } from "../../contract/present.ts"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { isoTime } from "../../contract/text/amounts.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import type { Sessions } from "../../conversations/Sessions.ts"
import { errorOfStore } from "./failures.ts"
import type { Update } from "./toolCalls.ts"
import { makeUpdates, promptChunk } from "./updates.ts"

const decodeEvent = Schema.decodeUnknownOption(AgentEvent)
const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ event: Schema.Unknown })))

/** The history of a session as updates: from the lines of its export as JSON. */
const replayed = <E, R>(lines: Stream.Stream<string, E, R>): Stream.Stream<Update, E, R> =>
  Stream.suspend(() => {
    const push = makeUpdates(false)
    const of = (line: string): ReadonlyArray<Update> => {
      const event = Option.getOrUndefined(decodeLine(line))?.event
      if (!Predicate.hasProperty(event, "type")) return []
      if (event.type === "prompt") {
        return Predicate.hasProperty(event, "text") && Predicate.isString(event.text) ? [promptChunk(event.text)] : []
      }
      return Option.match(decodeEvent(event), { onNone: () => [], onSome: push })
    }
    return Stream.flatMap(Stream.splitLines(lines), (line) => Stream.fromIterable(of(line)))
  })

/** First part of their conversations. */
const namespace = "acp"
const mostListed = 100
export const conversationOf = (id: string): readonly [string, string] => [namespace, id]

const listed = ({ conversation = [], directory, title, usedAt }: SessionInfo): ReadonlyArray<object> => {
  const [first, id, ...more] = conversation
  if (first !== namespace || id === undefined || more.length > 0 || directory === undefined) return []
  const shortTitle = title === undefined ? undefined : shortLine(title, 200)
  return [{ sessionId: id, cwd: directory, ...present({ title: shortTitle, updatedAt: isoTime(usedAt) }) }]
}

export const keptSessions = (sessions: Sessions["Service"], cli: string) => ({
  /** The last used first. */
  list: (directory: string | undefined) =>
    sessions.list({ cli, directory }).pipe(
      Stream.flatMap((row) => Stream.fromIterable(listed(row))),
      Stream.take(mostListed),
      Stream.runCollect,
      Effect.mapError(errorOfStore)
    ),
  /** Fails for one that is not stored. */
  check: (id: string) => Effect.mapError(sessions.get({ conversation: conversationOf(id), cli }), errorOfStore),
  history: (id: string) =>
    Stream.mapError(replayed(sessions.export({ conversation: conversationOf(id), cli }, "json")), errorOfStore)
})
