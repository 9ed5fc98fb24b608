/**
 * The calls that would leave the sandbox. A request for approval shows that only by its reason, which a model may leave
 * out (0.169.0): then it looks like that of a sandboxed call. The model's own call comes raw, before the request, in
 * threads started with `experimentalRawEvents`; resumed and forked ones, and sub-agents, have none.
 */
import { Predicate, Result, Schema } from "effect"
import { decodeLeniently, wireDecoder } from "../../wireDecoder.ts"

export const rawMethod = "rawResponseItem/completed"

const RawCall = Schema.Struct({
  item: Schema.Struct({ type: Schema.Literal("function_call"), call_id: Schema.String, arguments: Schema.String })
})
const decodeRawCall = decodeLeniently(wireDecoder(RawCall))
const decodeArguments = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const field = (input: unknown, name: string): unknown => (Predicate.hasProperty(input, name) ? input[name] : undefined)

/** Unknown words may mean anything. */
const isEscalated = (json: string): boolean => {
  const decoded = decodeArguments(json)
  if (Result.isFailure(decoded)) return true
  const input = decoded.success
  const place = field(input, "sandbox_permissions") ?? "use_default"
  const more = [field(input, "additional_permissions"), field(input, "with_escalated_permissions") || undefined]
  return place !== "use_default" || more.some((permission) => permission != null)
}

export interface Escalations {
  readonly observe: (params: unknown) => void
  /** Undefined where Codex has not printed the raw call. */
  readonly of: (callId: string) => boolean | undefined
}

/** Calls are asked about at once, or never. */
const mostKept = 1_000

export const makeEscalations = (): Escalations => {
  const calls = new Map<string, boolean>()
  return {
    observe: (params) => {
      const decoded = decodeRawCall(params)
      if (Result.isFailure(decoded)) return
      const { call_id: id, arguments: json } = decoded.success.item
      // An id that comes again may be of either call.
      calls.set(id, isEscalated(json) || calls.get(id) === true)
      const [oldest] = calls.keys()
      if (calls.size > mostKept && oldest !== undefined) calls.delete(oldest)
    },
    of: (callId) => calls.get(callId)
  }
}
