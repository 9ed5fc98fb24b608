/** Opens and ends spans of one tracer, at the time of one clock. A span that fails says which reason, and no more. */
import { type Clock, Context, Exit, Option, Tracer } from "effect"
import type { Attributes } from "./attributes.ts"

/** Calls an application's tracer or meter and ignores its errors: they would repeat for each span. */
export const quietly = (run: () => void) => {
  try {
    run()
  } catch {
    // The run goes on without.
  }
}

/** Its message and its stack are in the span, where a reason's own message could name a file. */
class Failed extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = reason
    this.stack = reason
  }
}

/** How a span ends: well, for a reason that is an error, or because its user has stopped it. */
export type SpanEnd = { readonly error: string } | "ok" | "stopped"

const exitOf = (end: SpanEnd): Exit.Exit<void, Error> => {
  if (end === "ok") return Exit.void
  return end === "stopped" ? Exit.interrupt() : Exit.fail(new Failed(end.error))
}

export interface SpanWriter {
  readonly open: (name: string, parent: Tracer.AnySpan, attributes: Attributes) => Tracer.Span
  readonly set: (span: Tracer.Span, attributes: Attributes) => void
  readonly event: (span: Tracer.Span, name: string, attributes: Attributes) => void
  readonly end: (span: Tracer.Span, end: SpanEnd) => void
}

/** A tracer of an application that throws costs spans, never a run. */
export const makeSpanWriter = (tracer: Tracer.Tracer, clock: Clock.Clock): SpanWriter => {
  const now = () => clock.currentTimeNanosUnsafe()
  const set = (span: Tracer.Span, attributes: Attributes) => {
    quietly(() => {
      for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
    })
  }
  const make = (name: string, parent: Tracer.AnySpan): Tracer.Span => {
    const options: Parameters<Tracer.Tracer["span"]>[0] = {
      name,
      parent: Option.some(parent),
      annotations: Context.empty(),
      links: [],
      startTime: now(),
      kind: "internal",
      root: false,
      sampled: parent.sampled
    }
    try {
      return tracer.span(options)
    } catch {
      return new Tracer.NativeSpan(options)
    }
  }
  return {
    open: (name, parent, attributes) => {
      const span = make(name, parent)
      set(span, attributes)
      return span
    },
    set,
    event: (span, name, attributes) => quietly(() => span.event(name, now(), attributes)),
    end: (span, end) => quietly(() => span.end(now(), exitOf(end)))
  }
}
