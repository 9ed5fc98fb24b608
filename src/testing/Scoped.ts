/** Fake CLIs and servers in a scope, for callers with Effect. */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { Acp } from "../agents/Acp.ts"
import { AgentRuntime } from "../agents/AgentRuntime.ts"
import { clis } from "../agents/Agents.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import { nodePlatform } from "../system/process/Platform.ts"
import { DiscordServer as Discord } from "./DiscordServer.ts"
import type { DiscordServerOptions } from "./discord/world.ts"
import { type Fake, type InstalledCli, installFake } from "./InstalledCli.ts"
import { SlackServer as Slack } from "./SlackServer.ts"
import type { SlackServerOptions } from "./slack/world.ts"
import { TelegramServer as Telegram } from "./TelegramServer.ts"
import type { TelegramServerOptions } from "./telegram/world.ts"
import { WhatsAppServer as WhatsApp, type WhatsAppServerOptions } from "./WhatsAppServer.ts"

/** Its time is that of the clock, so that of a `TestClock`, unless the options say otherwise. */
const timed = <Server extends AsyncDisposable>(
  open: (now: () => number) => Promise<Server>
): Effect.Effect<Server, never, Scope.Scope> =>
  Clock.clockWith((clock) =>
    Effect.acquireDisposable(Effect.promise(() => open(() => clock.currentTimeMillisUnsafe())))
  )

/** Telegram's fake for callers with Effect: closed with the scope, and on the time of Effect's clock. */
export type TelegramServer = Telegram

/** `TelegramServer.make()` in a scope; what it gives is the server of `reins/testing`. */
export const TelegramServer = {
  make: (options: TelegramServerOptions = {}) => timed((now) => Telegram.start({ now, ...options }))
}

/** Slack's fake for callers with Effect: closed with the scope, and on the time of Effect's clock. */
export type SlackServer = Slack

/** `SlackServer.make()` in a scope; what it gives is the server of `reins/testing`. */
export const SlackServer = {
  make: (options: SlackServerOptions = {}) => timed((now) => Slack.start({ now, ...options }))
}

/** WhatsApp's fake for callers with Effect: closed with the scope, and on the time of Effect's clock. */
export type WhatsAppServer = WhatsApp

/** `WhatsAppServer.make()` in a scope; what it gives is the server of `reins/testing`. */
export const WhatsAppServer = {
  make: (options: WhatsAppServerOptions = {}) => timed((now) => WhatsApp.start({ now, ...options }))
}

/** Discord's fake, in the same way. */
export type DiscordServer = Discord

/** `DiscordServer.make()` in a scope; what it gives is the server of `reins/testing`. */
export const DiscordServer = {
  make: (options: DiscordServerOptions = {}) => timed((now) => Discord.start({ now, ...options }))
}

/** Closed with the scope, such as a server or sandbox: `scoped(() => ModelServer.messages([Answer.say("Hello")]))`. */
export const scoped = <A extends AsyncDisposable>(open: () => Promise<A>): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireDisposable(Effect.promise(open))

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

  /** `AgentRuntime` over the fake, on Node, and `InstalledFake`, which has its calls. The fake is the command. */
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
