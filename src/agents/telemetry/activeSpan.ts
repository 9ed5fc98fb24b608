/**
 * The span that an application with `@opentelemetry/api` has active where it calls: asked there, since fibers do not keep
 * what Node's `AsyncLocalStorage` has. The two symbols are the same in all copies of that package.
 */
import { Context, Predicate, Tracer } from "effect"
import type { OtelContext, OtelSpan } from "../../contract/Telemetry.ts"
import { TraceState } from "./traceContext.ts"

/** Under which a context has its span (1.9.1). */
export const spanKey = Symbol.for("OpenTelemetry Context Key SPAN")
/** Under which the API keeps its context manager (1.9.1). */
const apiKey = Symbol.for("opentelemetry.js.api.1")

const contexts = new WeakMap<object, OtelContext>()

/** The whole context that a span was found in. */
export const contextAround = (span: object): OtelContext | undefined => contexts.get(span)

const isSpan = (input: unknown): input is OtelSpan =>
  Predicate.hasProperty(input, "spanContext") && Predicate.isFunction(input.spanContext)

/** Of the API that the application has set up, if it has a context manager. */
const activeContext = (): OtelContext | undefined => {
  const api: unknown = Reflect.get(globalThis, apiKey)
  if (!Predicate.hasProperty(api, "context") || !Predicate.hasProperty(api.context, "active")) return undefined
  // The form is that of the API; whoever has put something else there is caught by the caller.
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
