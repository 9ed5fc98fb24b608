/** Door for users' tests: the CLIs without a model behind them. */
export { FakeCli, type FakeCliOptions } from "./testing/FakeCli.ts"
export { InstalledCli } from "./testing/InstalledCli.ts"
export { InvalidFake } from "./testing/InvalidFake.ts"
export type { CliCall } from "./testing/instructions.ts"
export type { ReplayOptions } from "./testing/replayed.ts"
export { Step } from "./testing/Step.ts"
export type { FailureKind } from "./testing/steps.ts"
