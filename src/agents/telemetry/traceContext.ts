/** The W3C trace context of a span as variables of a process, and back; pure. */
import { Context, Option, Tracer } from "effect"

type Variables = Readonly<Record<string, string | undefined>>

/** Where a span comes from another program: its `tracestate`, as an annotation of the span. */
export const TraceState = Context.Reference<string | undefined>("reins/TraceState", { defaultValue: () => undefined })

const isId = (id: string, length: number) => id.length === length && /^[0-9a-f]+$/.test(id) && /[^0]/.test(id)

/** In characters; the W3C asks for no more. */
const mostState = 512

const stateOf = (span: Tracer.AnySpan): string | undefined => {
  const state = Context.get(span.annotations, TraceState)
  if (state !== undefined) return state.length <= mostState && /^[\x20-\x7e]+$/.test(state) ? state : undefined
  return span._tag === "Span" && Option.isSome(span.parent) ? stateOf(span.parent.value) : undefined
}

/** Undefined for a span that nobody can be a child of. One that is not sampled says so. */
export const variablesOf = (span: Tracer.AnySpan): Variables | undefined => {
  const traceId = span.traceId.padStart(32, "0")
  if (!isId(traceId, 32) || !isId(span.spanId, 16)) return undefined
  // The host's own state is that of another span.
  return { TRACEPARENT: `00-${traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`, TRACESTATE: stateOf(span) }
}

/** The span that these variables name; undefined for what is no trace context. */
export const spanOf = ({ TRACEPARENT = "", TRACESTATE }: Variables): Tracer.ExternalSpan | undefined => {
  const [, version, traceId = "", spanId = "", flags = ""] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(TRACEPARENT.trim()) ?? []
  if (version === "ff" || !isId(traceId, 32) || !isId(spanId, 16)) return undefined
  const sampled = (Number.parseInt(flags, 16) & 1) === 1
  return Tracer.externalSpan({ traceId, spanId, sampled, annotations: Context.make(TraceState, TRACESTATE) })
}
