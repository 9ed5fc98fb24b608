/** Everything that is logged at any level or is in any span while an effect runs, as one text. */
import { inspect } from "node:util"
import { Effect, Logger, References, Tracer } from "effect"

/** All of it, however deep. */
export const print = (value: unknown) =>
  inspect(value, { depth: Number.POSITIVE_INFINITY, maxArrayLength: null, maxStringLength: null, showHidden: true })

export const overheard = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const received: Array<unknown> = []
  const logger = Logger.make(({ logLevel, message, cause, fiber }) => {
    received.push(logLevel, message, cause, fiber.getRef(References.CurrentLogAnnotations))
  })
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const value = yield* effect.pipe(
    Effect.withTracer(tracer),
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(References.MinimumLogLevel, "All")
  )
  const reported = spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
  return { value, spans, text: print([received, reported]) }
})
