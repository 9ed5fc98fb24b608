/**
 * A stored event → the event. A row may be of another version, or of another program: what is no event of this version is
 * an `unknown` one that has it whole.
 */
import { Option, Result, Schema } from "effect"
import { AgentEvent } from "../../contract/AgentEvent.ts"
import type { TranscriptEvent } from "../../contract/Sessions.ts"
import { boundedDepth } from "../../contract/text/boundedDepth.ts"
import type { TranscriptRow } from "./rows.ts"

const PromptEvent = Schema.Struct({ type: Schema.tag("prompt"), text: Schema.String })

const decode = Schema.decodeUnknownOption(Schema.Union([AgentEvent, PromptEvent]))

const parsed = (text: string): unknown =>
  Result.getOrElse(
    Result.try((): unknown => JSON.parse(boundedDepth(text))),
    () => text
  )

export const readEvent = ({ position, at, runId, event: text }: TranscriptRow): TranscriptEvent => {
  const raw = parsed(text)
  return { position, at, runId, event: Option.getOrElse(decode(raw), () => ({ type: "unknown" as const, raw })) }
}
