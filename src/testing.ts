/**
 * Door for users' tests: the CLIs without a model behind them, and a model that is scripted behind the real ones. Its
 * declarations name no type of Effect; `testingEffect.ts` has what is Effect's.
 */
export type { CliCall } from "./testing/CliCall.ts"
export { FakeCli, type FakeCliOptions } from "./testing/FakeCli.ts"
export type { InstalledCli, LiveAgent } from "./testing/InstalledCli.ts"
export { InvalidFake } from "./testing/InvalidFake.ts"
export { type LiveCommand, type LiveQuestion, LiveStep, type LiveWrite } from "./testing/LiveStep.ts"
export * as ModelServer from "./testing/ModelServer.ts"
export type { ReplayOptions } from "./testing/Replayed.ts"
export type { Scripted, ScriptedEvents, ScriptedFailure } from "./testing/ScriptedEvents.ts"
export { Step } from "./testing/Step.ts"
export type * from "./testing/StepOptions.ts"
export type * from "./testing/Steps.ts"
export * as Answer from "./testing/servers/Answer.ts"
export { TelegramServer } from "./testing/TelegramServer.ts"
export { testAgent } from "./testing/TestAgent.ts"
export type { TelegramCall, TelegramViolation } from "./testing/telegram/calls.ts"
export type { Person } from "./testing/telegram/chats.ts"
export type { TelegramFault } from "./testing/telegram/faults.ts"
export type { TelegramMessage } from "./testing/telegram/messages.ts"
export type { TelegramSaying } from "./testing/telegram/people.ts"
export type {
  TelegramAcknowledgement,
  TelegramCommand,
  TelegramServerOptions
} from "./testing/telegram/world.ts"
export type { CliId } from "./types/CliId.ts"
export type { PlainAgent } from "./types/PlainAgent.ts"
