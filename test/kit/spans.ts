/** A tracer that keeps its spans, and these as a tree. */
import { Effect, Exit, Option, Tracer } from "effect"
import { assert } from "vitest"

export const makeSpans = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return {
    spans,
    with: Effect.withTracer(tracer),
    tracer,
    /** The first of this name. */
    named: (name: string): Tracer.NativeSpan =>
      spans.find((span) => span.name === name) ?? assert.fail(`no span ${name}`)
  }
}

const wordOf = (span: Tracer.NativeSpan) => {
  if (span.status._tag === "Started") return " OPEN"
  if (Exit.isSuccess(span.status.exit)) return ""
  return ` failed: ${span.attributes.get("error.type") ?? span.attributes.get("reins.outcome")}`
}

/** One line a span, its events in brackets. */
export const treeOf = (spans: ReadonlyArray<Tracer.NativeSpan>, parent?: string): ReadonlyArray<string> =>
  spans
    .filter((span) => Option.getOrUndefined(span.parent)?.spanId === parent)
    .flatMap((span) => {
      const events = span.events.map(([name]) => name)
      const line = `${span.name}${wordOf(span)}${events.length === 0 ? "" : ` [${events.join(" ")}]`}`
      return [line, ...treeOf(spans, span.spanId).map((below) => `  ${below}`)]
    })

/** All that they say, as one text. */
export const textOfSpans = (spans: ReadonlyArray<Tracer.NativeSpan>) =>
  JSON.stringify(
    spans.map(({ name, attributes, events, status }) => [name, [...attributes], events, status]),
    (_, value) => {
      if (typeof value === "bigint") return String(value)
      return value instanceof Error ? [value.name, value.message, value.stack] : value
    }
  )
