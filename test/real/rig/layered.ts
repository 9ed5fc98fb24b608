/** The service with one CLI value on real processes, for tests that iterate and collect. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Layer, ManagedRuntime, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { Cli } from "../../../src/cli/Cli.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { summarize } from "./agent.ts"
import { commandOf, pinnedClis } from "./install.ts"

/** The pinned command of a CLI, as npm installs it. */
export const commandFor = (name: string) => {
  const cli = pinnedClis.find((pinned) => pinned.name === name)
  if (cli === undefined) throw new Error(`${name} is not among the pinned CLIs`)
  return commandOf(cli)
}

export const openLayer = (cli: Cli, options: AgentOptions, defaults: Partial<AgentExecuteParams>) => {
  const layer = AgentRuntime.layer(cli, options).pipe(Layer.provide(NodeServices.layer))
  const runtime = ManagedRuntime.make(layer)
  const execute = (params: Partial<AgentExecuteParams> = {}) =>
    runtime.contextEffect.pipe(
      Effect.map((context) => Context.get(context, AgentRuntime).execute({ prompt: "go on", ...defaults, ...params })),
      Stream.unwrap,
      Stream.toAsyncIterable
    )
  return {
    execute,
    collect: async (params: Partial<AgentExecuteParams> = {}) => summarize(await Array.fromAsync(execute(params))),
    [Symbol.asyncDispose]: () => runtime.dispose()
  }
}
