/** The sessions of editors as they are kept: each is a conversation of the store, known by the client's id. */
import { Effect, Option, Predicate, Schema, Stream } from "effect"
import type { RpcError } from "../../cli/jsonRpc.ts"
import { AgentEvent } from "../../contract/AgentEvent.ts"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { isoTime } from "../../contract/text/amounts.ts"
import { shortLine } from "../../contract/text/oneLine.ts"
import type { Sessions } from "../../conversations/Sessions.ts"
import { errorOfStore } from "./failures.ts"
import type { Update } from "./toolCalls.ts"
import { makeUpdates, promptChunk } from "./updates.ts"

/** The history of a session as updates: from its transcript, or from its CLI's own files. */
const decodeEvent = Schema.decodeUnknownOption(AgentEvent)

const eventIn = (line: string): unknown => {
  try {
    const json: unknown = JSON.parse(line)
    return Predicate.hasProperty(json, "event") ? json.event : undefined
  } catch {
    return undefined
  }
}

/** Updates from the lines of an export as JSON. */
const replayed = <E, R>(lines: Stream.Stream<string, E, R>): Stream.Stream<Update, E, R> =>
  Stream.suspend(() => {
    const updates = makeUpdates({ takesNotices: false })
    const of = (line: string): ReadonlyArray<Update> => {
      const event = eventIn(line)
      if (!Predicate.hasProperty(event, "type")) return []
      if (event.type === "prompt") {
        return Predicate.hasProperty(event, "text") && Predicate.isString(event.text) ? [promptChunk(event.text)] : []
      }
      return Option.match(decodeEvent(event), { onNone: () => [], onSome: updates.push })
    }
    return Stream.flatMap(Stream.splitLines(lines), (line) => Stream.fromIterable(of(line)))
  })

/** Under which they are kept. */
const namespace = "acp"
const mostListed = 100

export const conversationOf = (id: string): readonly [string, string] => [namespace, id]

const listed = ({ conversation = [], directory, title, usedAt }: SessionInfo): ReadonlyArray<object> => {
  const [first, id, ...more] = conversation
  if (first !== namespace || id === undefined || more.length > 0 || directory === undefined) return []
  const updatedAt = isoTime(usedAt)
  return [
    {
      sessionId: id,
      cwd: directory,
      ...(title === undefined ? {} : { title: shortLine(title, 200) }),
      ...(updatedAt === undefined ? {} : { updatedAt })
    }
  ]
}

export interface KeptSessions {
  /** The last used first. */
  readonly list: (directory: string | undefined) => Effect.Effect<ReadonlyArray<object>, RpcError>
  /** Fails for one that is not kept. */
  readonly check: (id: string) => Effect.Effect<void, RpcError>
  /** The history of the session. */
  readonly told: (id: string) => Stream.Stream<Update, RpcError>
}

/** Stored sessions of one CLI. */
export const keptSessions = (sessions: Sessions["Service"], cli: string): KeptSessions => ({
  list: (directory) =>
    sessions.list({ cli, directory }).pipe(
      Stream.flatMap((row) => Stream.fromIterable(listed(row))),
      Stream.take(mostListed),
      Stream.runCollect,
      Effect.mapError(errorOfStore)
    ),
  check: (id) => Effect.asVoid(Effect.mapError(sessions.get({ conversation: conversationOf(id), cli }), errorOfStore)),
  told: (id) =>
    Stream.mapError(replayed(sessions.export({ conversation: conversationOf(id), cli }, "json")), errorOfStore)
})
