/**
 * Door for users' tests: the CLIs without a model behind them, a model that is scripted behind the real ones, and services
 * for chats whose people are scripted. Its declarations name no type of Effect; `testingEffect.ts` has what is Effect's.
 */

export type { CliId } from "./contract/CliSupport.ts"
export type { PlainAgent } from "./contract/PlainAgent.ts"
export type { CliCall } from "./testing/CliCalls.ts"
export {
  type DiscordAcknowledgement,
  type DiscordCall,
  type DiscordCommand,
  type DiscordFault,
  type DiscordMessage,
  type DiscordPerson,
  type DiscordSaying,
  DiscordServer,
  type DiscordServerOptions,
  type DiscordViolation
} from "./testing/DiscordServer.ts"
export { FakeCli, type FakeCliOptions } from "./testing/FakeCli.ts"
export type { InstalledCli, LiveAgent } from "./testing/InstalledCli.ts"
export { InvalidFake } from "./testing/InvalidFake.ts"
export { type LiveCommand, type LiveQuestion, LiveStep, type LiveWrite } from "./testing/LiveStep.ts"
export * as ModelServer from "./testing/ModelServer.ts"
export type { ReplayOptions } from "./testing/Replayed.ts"
export type { Scripted, ScriptedEvents, ScriptedFailure } from "./testing/ScriptedEvents.ts"
export {
  type ServerWebSocket,
  type SlackAcknowledgement,
  type SlackCall,
  type SlackFault,
  type SlackMessage,
  type SlackPerson,
  type SlackSaying,
  SlackServer,
  type SlackServerOptions,
  type SlackViolation
} from "./testing/SlackServer.ts"
export { Step } from "./testing/Step.ts"
export type * from "./testing/Steps.ts"
export type * from "./testing/Steps.ts"
export * as Answer from "./testing/servers/Answer.ts"
export {
  type TelegramAcknowledgement,
  type TelegramCall,
  type TelegramCommand,
  type TelegramDraft,
  type TelegramFault,
  type TelegramMessage,
  type TelegramPerson,
  type TelegramSaying,
  TelegramServer,
  type TelegramServerOptions,
  type TelegramViolation
} from "./testing/TelegramServer.ts"
export { testAgent } from "./testing/TestAgent.ts"
export {
  type WhatsAppCall,
  type WhatsAppFault,
  type WhatsAppHint,
  type WhatsAppMessage,
  type WhatsAppPace,
  type WhatsAppPerson,
  type WhatsAppPost,
  type WhatsAppSaying,
  WhatsAppServer,
  type WhatsAppServerOptions,
  type WhatsAppViolation
} from "./testing/WhatsAppServer.ts"
