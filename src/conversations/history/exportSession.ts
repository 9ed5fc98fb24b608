/** A session as text: from its transcript, else from the CLI's own files. */
import { Effect, Stream } from "effect"
import { StoreUnavailable } from "../../contract/AgentError.ts"
import type { ExportFormat, SessionInfo, SessionRef, StoredItem } from "../../contract/Sessions.ts"
import { NotKept, StoreError } from "../../contract/StoreError.ts"
import type { ExportedEvent, ExportedSession } from "../export/exported.ts"
import { exportText } from "../export/exportText.ts"
import { transcriptEvents } from "../transcript/events.ts"
import { readOutside } from "../turns/outside.ts"
import { formatResumeLine, isResumableId } from "../turns/resumeLine.ts"
import type { HistoryContext } from "./context.ts"
import { findSessionInfo, invalid } from "./find.ts"

type Events = Stream.Stream<ExportedEvent, StoreError>

const formats: ReadonlySet<unknown> = new Set<ExportFormat>(["markdown", "json"])

const exportedOf = (item: StoredItem): ExportedEvent => {
  const stamp = item.at === undefined ? {} : { at: item.at }
  if ("event" in item) return { ...stamp, event: item.event }
  return { ...stamp, event: { type: "prompt", text: item.prompt } }
}

const unreadable = () =>
  new StoreError({ reason: new StoreUnavailable({ problem: "the session's own file could not be read to its end" }) })

const fromCli = Effect.fnUntraced(function* ({ clis }: HistoryContext, { cli: id, sessionId }: SessionInfo) {
  const cli = clis.find((each) => each.id === id)
  const items = cli && (yield* readOutside({ cli }, sessionId))
  return items?.pipe(Stream.map(exportedOf), Stream.mapError(unreadable))
})

const fromTranscript = Effect.fnUntraced(function* ({ store }: HistoryContext, { id }: SessionInfo) {
  if (id === undefined) return undefined
  const [first] = yield* Stream.runCollect(Stream.take(transcriptEvents(store, id, { follow: false }), 1)).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotKept",
      () => Effect.succeed([])
    )
  )
  const events: Events | undefined = first && transcriptEvents(store, id, { follow: false })
  return events
})

/** Of one that was begun in its CLI, only the CLI has the beginning. */
const eventsOf = Effect.fnUntraced(function* (context: HistoryContext, session: SessionInfo) {
  const [one, other] = session.origin === "reins" ? [fromTranscript, fromCli] : [fromCli, fromTranscript]
  const events = (yield* one(context, session)) ?? (yield* other(context, session))
  return events ?? (yield* new StoreError({ reason: new NotKept({ session: session.id ?? session.sessionId }) }))
})

const headOf = ({ clis }: HistoryContext, session: SessionInfo): ExportedSession => {
  const cli = clis.find(({ id }) => id === session.cli)
  const { holder: _, ...facts } = session
  const line = cli && isResumableId(session.sessionId) ? formatResumeLine(cli, session.sessionId) : undefined
  return line === undefined ? facts : { ...facts, resumeLine: line }
}

export const exportSession = (
  context: HistoryContext,
  ref: SessionRef,
  format: ExportFormat
): Stream.Stream<string, StoreError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      if (!formats.has(format)) return yield* invalid("format", 'is neither "markdown" nor "json"')
      const session = yield* findSessionInfo(context, ref)
      return exportText(headOf(context, session), yield* eventsOf(context, session), format)
    })
  )
