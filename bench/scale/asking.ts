/** Callers: turns of conversations, through the cluster's client, and how long each took to its first event and its end. */
import { Cause, Effect, Fiber, Layer, ManagedRuntime, Redacted } from "effect"
import { layerClusteredSessions } from "../../src/cluster/ClusteredSessions.ts"
import { Sessions } from "../../src/conversations/Sessions.ts"
import { Store } from "../../src/conversations/store/Store.ts"

export interface Took {
  readonly firstMs: number
  readonly endMs: number
}

export interface Asked {
  readonly took: ReadonlyArray<Took>
  readonly failures: ReadonlyArray<string>
  readonly seconds: number
}

export const openClient = async (url: string, cli: string) => {
  const database = Redacted.make(url)
  const runtime = ManagedRuntime.make(
    layerClusteredSessions({ database, cli }).pipe(Layer.provide(Store.layerPostgres({ url: database })))
  )
  await runtime.runPromise(Sessions)
  const took: Array<Took> = []
  const failures: Array<string> = []

  const ask = (conversation: string, ms: number) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const from = performance.now()
      let firstMs: number | undefined
      const onEvent = () => {
        firstMs ??= performance.now() - from
      }
      yield* sessions.run({ conversation, prompt: JSON.stringify({ turn: conversation, ms }) }, { onEvent })
      const endMs = performance.now() - from
      took.push({ firstMs: firstMs ?? endMs, endMs })
    }).pipe(Effect.catchCause((cause) => Effect.sync(() => void failures.push(Cause.pretty(cause).slice(0, 300)))))

  const measured = async (asking: Effect.Effect<unknown, never, Sessions>): Promise<Asked> => {
    took.length = 0
    failures.length = 0
    const from = performance.now()
    await runtime.runPromise(asking)
    return { took: [...took], failures: [...failures], seconds: (performance.now() - from) / 1000 }
  }

  return {
    /** One turn of each, so many at once. */
    each: (conversations: ReadonlyArray<string>, atOnce: number, ms: number) =>
      measured(Effect.forEach(conversations, (name) => ask(name, ms), { concurrency: atOnce, discard: true })),
    /** Turns at their times, whether or not those before have ended. */
    steadily: (conversations: ReadonlyArray<string>, perMinute: number, ms: number) =>
      measured(
        Effect.gen(function* () {
          const from = performance.now()
          const fibers: Array<Fiber.Fiber<void>> = []
          for (const [nth, name] of conversations.entries()) {
            const wait = (nth * 60_000) / perMinute - (performance.now() - from)
            if (wait > 0) yield* Effect.sleep(wait)
            fibers.push(yield* Effect.forkChild(ask(name, ms)))
          }
          yield* Effect.forEach(fibers, Fiber.await, { discard: true })
        })
      ),
    end: () => runtime.dispose()
  }
}
