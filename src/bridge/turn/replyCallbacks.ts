/** Calls the callbacks of one message: chunks of the answer as it arrives, its rest, tool results, events. */
import { Effect, Option } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { type Eventually, eventually } from "../../contract/Input.ts"
import { type Chunk, makeChunker } from "../format/chunker.ts"
import type { BridgeCallbacks } from "../messages/AgentDeliveryResult.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { failureText } from "./outcome.ts"

/** Longest wait for a callback: it blocks the conversation. */
const timeout = "1 minute"

/** A failing or slow callback is logged, without its arguments, and the turn continues. */
const call = <A>(name: string, run: (() => Eventually<A>) | undefined): Effect.Effect<void> =>
  run === undefined
    ? Effect.void
    : Effect.timeoutOption(eventually(run), timeout).pipe(
        Effect.flatMap((done) =>
          Option.isSome(done) ? Effect.void : Effect.logWarning(`the callback ${name} did not finish within ${timeout}`)
        ),
        Effect.catchCause(() => Effect.logWarning(`the callback ${name} failed`))
      )

export const makeReplyCallbacks = (
  { onPartialReply, onBlockReply, onToolResult, onEvent }: BridgeCallbacks,
  { chunkLength, zone }: { readonly chunkLength: number; readonly zone: string }
) => {
  const takesAnswer = onPartialReply !== undefined || onBlockReply !== undefined
  const { start, step, end } = makeChunker({ limit: chunkLength })
  let state = start
  /** The next text begins a block of its own, without the empty line before it. */
  let isFirst = true
  /** With one of the two callbacks alone, it gets the whole answer. */
  const partial = onPartialReply ?? onBlockReply
  const block = onBlockReply ?? onPartialReply
  const passPartial = (payload: ReplyPayload) => call("onPartialReply", partial && (() => partial(payload)))
  const passBlock = (payload: ReplyPayload) => call("onBlockReply", block && (() => block(payload)))
  const passAll = (chunks: ReadonlyArray<Chunk>, pass: (payload: ReplyPayload) => Effect.Effect<void>) =>
    Effect.forEach(chunks, ({ markdown }) => (markdown.trim() === "" ? Effect.void : pass({ text: markdown })), {
      discard: true
    })
  const rest = Effect.suspend(() => {
    const chunks = end(state)
    state = start
    isFirst = true
    return passAll(chunks, passBlock)
  })
  const add = (text: string) =>
    Effect.suspend(() => {
      const own = isFirst ? text.replace(/^\n+/, "") : text
      isFirst &&= own === ""
      const [next, chunks] = step(state, own)
      state = next
      return passAll(chunks, passPartial)
    })
  /** Text before a call is delivered before the call is. */
  const before = (event: AgentEvent) =>
    event.type === "tool_use" && event.parentToolId === undefined ? rest : Effect.void
  const handle = (event: AgentEvent): Effect.Effect<void> => {
    if (event.type === "tool_result") {
      const failed = event.isError ? { isError: true } : {}
      return call("onToolResult", onToolResult && (() => onToolResult({ text: event.output, ...failed })))
    }
    if (!takesAnswer || event.parentToolId !== undefined) return Effect.void
    if (event.type === "text") return add(event.text)
    if (event.type === "error")
      return Effect.andThen(rest, passBlock({ text: failureText(event, zone), isError: true }))
    return Effect.void
  }
  return {
    push: (event: AgentEvent) =>
      Effect.all([before(event), call("onEvent", onEvent && (() => onEvent(event))), handle(event)], { discard: true }),
    /** Passes on the rest of the answer, however the turn ended. */
    end: rest,
    takesAnswer
  }
}
