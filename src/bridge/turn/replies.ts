/** The callbacks of one message: chunks of the answer while it is written, its rest, results of tools, each event. */
import { Effect, Option } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { eventually } from "../../contract/eventually.ts"
import type { Eventually } from "../../contract/Input.ts"
import { type Chunk, makeChunker } from "../format/chunker.ts"
import type { BridgeCallbacks } from "../messages/AgentDeliveryResult.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { failureText } from "./outcome.ts"

/** Nobody waits longer for a callback: those that hang would hold the conversation for ever. */
const patience = "1 minute"

/** One that fails or hangs is logged, without what it was given, and the run goes on. */
const call = <A>(name: string, run: (() => Eventually<A>) | undefined): Effect.Effect<void> =>
  run === undefined
    ? Effect.void
    : Effect.timeoutOption(eventually(run), patience).pipe(
        Effect.flatMap((done) =>
          Option.isSome(done) ? Effect.void : Effect.logWarning(`the callback ${name} is no longer waited for`)
        ),
        Effect.catchCause(() => Effect.logWarning(`the callback ${name} failed`))
      )

export interface Replies {
  readonly push: (event: AgentEvent) => Effect.Effect<void>
  /** The rest of the answer, however the turn ended. */
  readonly end: Effect.Effect<void>
  /** The answer was given to callbacks. */
  readonly isGiven: boolean
}

export const makeReplies = (
  { onPartialReply, onBlockReply, onToolResult, onEvent }: BridgeCallbacks,
  chunkLength: number
): Replies => {
  const isGiven = onPartialReply !== undefined || onBlockReply !== undefined
  const { start, step, end } = makeChunker({ limit: chunkLength })
  let state = start
  const partial = (payload: ReplyPayload) => call("onPartialReply", onPartialReply && (() => onPartialReply(payload)))
  const block = (payload: ReplyPayload) => call("onBlockReply", onBlockReply && (() => onBlockReply(payload)))
  const giveAll = (chunks: ReadonlyArray<Chunk>, give: (payload: ReplyPayload) => Effect.Effect<void>) =>
    Effect.forEach(chunks, ({ markdown }) => (markdown.trim() === "" ? Effect.void : give({ text: markdown })), {
      discard: true
    })
  const rest = Effect.suspend(() => {
    const chunks = end(state)
    state = start
    return giveAll(chunks, block)
  })
  const add = (text: string) =>
    Effect.suspend(() => {
      const [next, chunks] = step(state, text)
      state = next
      return giveAll(chunks, partial)
    })
  const given = (event: AgentEvent): Effect.Effect<void> => {
    if (event.type === "tool_result") {
      const failed = event.isError ? { isError: true } : {}
      return call("onToolResult", onToolResult && (() => onToolResult({ text: event.output, ...failed })))
    }
    if (!isGiven || event.parentToolId !== undefined) return Effect.void
    if (event.type === "text") return add(event.text)
    if (event.type === "error") return Effect.andThen(rest, block({ text: failureText(event), isError: true }))
    return Effect.void
  }
  return {
    push: (event) => Effect.andThen(call("onEvent", onEvent && (() => onEvent(event))), given(event)),
    end: rest,
    isGiven
  }
}
