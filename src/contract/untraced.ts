/**
 * `Effect.fn(...untraced("Turns.perform"))`: a failure names the step and where it was called, and no tracer gets a span of
 * it. An exported span would have the message of its failure, and messages have paths. Costs 3.5 µs a call, against 0.2 of
 * `Effect.fnUntraced`, which is for what runs once for each line, event or row, and for what calls code of the application
 * (gates, handlers): what that writes on its span would be lost with one that is not exported.
 */
import { Context, Tracer } from "effect"

const options: Tracer.SpanOptionsNoTrace = { annotations: Context.make(Tracer.DisablePropagation, true) }

/** `name`: of the file and the function. */
export const untraced = (name: string): readonly [name: string, options: Tracer.SpanOptionsNoTrace] => [name, options]
