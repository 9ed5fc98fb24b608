/** A fake CLI for callers with Effect: installed in a scope, and as the `AgentRuntime` that starts it. */
import { Context, Effect, Layer, type Scope } from "effect"
import { Acp } from "../agents/Acp.ts"
import { AgentRuntime } from "../agents/AgentRuntime.ts"
import { clis } from "../agents/Agents.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import { nodePlatform } from "../system/process/Platform.ts"
import { type Fake, type InstalledCli, installFake } from "./InstalledCli.ts"

/** A fake CLI that can be started: its `command`, and its `calls` so far. */
export class InstalledFake extends Context.Service<InstalledFake, InstalledCli>()("reins/testing/InstalledFake") {
  /** An executable of the CLI's name that performs the fake, made by `FakeCli` of `reins/testing`; gone when the scope closes. */
  static readonly make = (fake: Fake): Effect.Effect<InstalledCli, never, Scope.Scope> =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => installFake(fake)),
        ({ remove }) => Effect.sync(remove)
      ),
      ({ cli }) => cli
    )

  /**
   * `AgentRuntime` over the fake, on Node; and `InstalledFake`, which tells how it was called. The fake is the command:
   * the options have none.
   */
  static readonly layer = (
    fake: Fake,
    options: Omit<AgentOptions, "command"> = {}
  ): Layer.Layer<AgentRuntime | InstalledFake> =>
    Layer.unwrap(
      Effect.map(InstalledFake, ({ command }) =>
        fake.cli === "acp"
          ? Acp.layer({ ...options, command })
          : AgentRuntime.layer(clis[fake.cli], { ...options, command })
      )
    ).pipe(Layer.provideMerge(Layer.effect(InstalledFake, InstalledFake.make(fake))), Layer.provide(nodePlatform))
}
