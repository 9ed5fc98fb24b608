/** An agent that needs another way of paying in some directories: it has options of its own there. */
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import { configuredAgent } from "../../api/config/ConfiguredAgent.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import type { Platform } from "../../system/process/Platform.ts"

type Billing = AgentOptions["billing"]
type Runtime = Layer.Layer<AgentRuntime, never, Platform>

export const paidByDirectory = (
  configuration: Configuration,
  options: AgentOptions,
  layerOf: (options: AgentOptions) => Runtime
): Runtime => {
  const others = new Set(Object.values(configuration.directories).map(({ billing }) => billing))
  others.delete(undefined)
  others.delete(options.billing)
  if (others.size === 0) return layerOf(options)
  return Layer.effect(
    AgentRuntime,
    Effect.gen(function* () {
      const runtime = (billing: Billing): Effect.Effect<AgentRuntime["Service"], never, Scope.Scope | Platform> =>
        Effect.map(Layer.build(layerOf({ ...options, billing })), (built) => Context.get(built, AgentRuntime))
      const usual = yield* runtime(options.billing)
      const made = new Map<Billing, AgentRuntime["Service"]>()
      for (const billing of others) made.set(billing, yield* runtime(billing))
      const at = (workingDirectory: string | undefined) => {
        const there = configuredAgent(configuration, { workingDirectory: workingDirectory ?? process.cwd() })
        return made.get(there.options.billing) ?? usual
      }
      return {
        ...usual,
        execute: (params) => Stream.suspend(() => at(params.workingDirectory).execute(params)),
        run: (params, how) => Effect.suspend(() => at(params.workingDirectory).run(params, how)),
        open: (params) => Effect.suspend(() => at(params?.workingDirectory).open(params))
      }
    })
  )
}
