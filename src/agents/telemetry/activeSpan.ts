/**
 * The span that an application with `@opentelemetry/api` has active where it calls: asked there, since fibers do not keep
 * what Node's `AsyncLocalStorage` has. The two symbols are the same in all copies of that package.
 */
import { Context, Option, Predicate, Tracer } from "effect"
import type { OtelContext, OtelSpan } from "../../contract/Telemetry.ts"

// The W3C trace context of a span as variables of a process, and back; pure.

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

/** Returns undefined for a span without children, such as an unsampled one that says so. */
export const variablesOf = (span: Tracer.AnySpan): Variables | undefined => {
  const traceId = span.traceId.padStart(32, "0")
  if (!isId(traceId, 32) || !isId(span.spanId, 16)) return undefined
  // The host's own state is that of another span.
  return { TRACEPARENT: `00-${traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`, TRACESTATE: stateOf(span) }
}

/** The span that these variables name; undefined if they are not a trace context. */
export const spanOf = ({ TRACEPARENT = "", TRACESTATE }: Variables): Tracer.ExternalSpan | undefined => {
  const [, version, traceId = "", spanId = "", flags = ""] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(TRACEPARENT.trim()) ?? []
  if (version === "ff" || !isId(traceId, 32) || !isId(spanId, 16)) return undefined
  const sampled = (Number.parseInt(flags, 16) & 1) === 1
  return Tracer.externalSpan({ traceId, spanId, sampled, annotations: Context.make(TraceState, TRACESTATE) })
}

/** Under which a context has its span (1.9.1). */
export const spanKey = Symbol.for("OpenTelemetry Context Key SPAN")
/** Under which the API keeps its context manager (1.9.1). */
const apiKey = Symbol.for("opentelemetry.js.api.1")

const contexts = new WeakMap<object, OtelContext>()

/** The whole context that a span was found in. */
export const contextAround = (span: object): OtelContext | undefined => contexts.get(span)

const isSpan = (input: unknown): input is OtelSpan =>
  Predicate.hasProperty(input, "spanContext") && Predicate.isFunction(input.spanContext)

/** The active context of the API that the application has set up, if it has a context manager. */
const activeContext = (): OtelContext | undefined => {
  const api: unknown = Reflect.get(globalThis, apiKey)
  if (!Predicate.hasProperty(api, "context") || !Predicate.hasProperty(api.context, "active")) return undefined
  // The API has this form; the caller catches anything else.
  return Predicate.isFunction(api.context.active) ? (api.context.active() as OtelContext) : undefined
}

/** The span that is active where this is called, as a parent. */
export const activeSpan = (): Tracer.ExternalSpan | undefined => {
  try {
    const context = activeContext()
    const span = context?.getValue(spanKey)
    if (context === undefined || !isSpan(span)) return undefined
    const { traceId, spanId, traceFlags, traceState } = span.spanContext()
    const annotations = Context.make(TraceState, traceState?.serialize())
    const parent = Tracer.externalSpan({ traceId, spanId, sampled: (traceFlags & 1) === 1, annotations })
    contexts.set(parent, context)
    return parent
  } catch {
    return undefined
  }
}
