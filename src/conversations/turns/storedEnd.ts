/** The end of a turn as JSON in its row, and back as events, a result or an error. */
import { Result, Schema } from "effect"
import { errorEvent } from "../../agents/engine/result.ts"
import { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { End } from "../../contract/Start.ts"

const StoredEnd = Schema.fromJsonString(
  Schema.toCodecJson(
    Schema.Struct({ result: AgentRunResult, failure: Schema.optionalKey(FailureReason), hadOutput: Schema.Boolean })
  )
)

const encode = Schema.encodeUnknownResult(StoredEnd)
const decode = Schema.decodeUnknownResult(StoredEnd)

/** Returns undefined if it is not JSON, which a result of the application's own can be. */
export const endText = ({ result, failure, hadOutput }: End): string | undefined =>
  Result.getOrUndefined(encode({ result, hadOutput, ...(failure === undefined ? {} : { failure }) }))

/** Undefined for a text that this version cannot read. */
export const endOfText = (text: string): End | undefined => {
  const decoded = decode(text)
  if (Result.isFailure(decoded)) return undefined
  const { result, failure, hadOutput } = decoded.success
  return { result, failure, hadOutput }
}

export const eventsOfEnd = ({ result, failure }: End): ReadonlyArray<AgentEvent> => [
  ...(result.sessionId === undefined ? [] : [{ type: "session", sessionId: result.sessionId } as const]),
  ...(result.text === "" ? [] : [{ type: "text", text: result.text } as const]),
  ...(failure === undefined ? [] : [errorEvent(failure)]),
  { type: "done", result }
]

export const errorOfEnd = (cli: string, { result, failure, hadOutput }: End): AgentError | undefined =>
  failure === undefined ? undefined : new AgentError({ cli, reason: failure, result, hadOutput })
