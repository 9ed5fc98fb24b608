/** The transcript of a session that a caller names. */
import { Effect, Stream } from "effect"
import type { SessionRef, TranscriptEvent, TranscriptOptions } from "../../contract/Sessions.ts"
import { NotKept, StoreError } from "../../contract/StoreError.ts"
import { transcriptEvents } from "../transcript/events.ts"
import type { HistoryContext } from "./context.ts"
import { findSessionInfo } from "./find.ts"

export const sessionTranscript = (
  context: HistoryContext,
  ref: SessionRef,
  options?: TranscriptOptions
): Stream.Stream<TranscriptEvent, StoreError> =>
  Stream.unwrap(
    Effect.map(findSessionInfo(context, ref), ({ id, sessionId }) =>
      id === undefined
        ? Stream.fail(new StoreError({ reason: new NotKept({ session: sessionId }) }))
        : transcriptEvents(context.store, id, options)
    )
  )
