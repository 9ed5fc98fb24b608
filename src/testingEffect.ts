/** Door for tests of Effect callers, beside `reins/testing`, whose fakes and servers it takes. */
export * as Arbitraries from "./testing/Arbitraries.ts"
export { DiscordServer, InstalledFake, SlackServer, scoped, TelegramServer } from "./testing/Scoped.ts"
export {
  type Acknowledgement,
  ScriptedChannel,
  type ScriptedChannelOptions,
  type ScriptedLack
} from "./testing/ScriptedChannel.ts"
export * as TestRuntime from "./testing/TestRuntime.ts"
