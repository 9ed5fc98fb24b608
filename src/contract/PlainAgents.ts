/** Several agents of the plain door. */
import type { PlainAgent } from "./PlainAgent.ts"
import type {
  AgentEnd,
  EachOptions,
  FallbackAnswer,
  FallbackOptions,
  ParamsOfAgents,
  RaceAnswer,
  RaceOptions
} from "./SeveralAgents.ts"

/** Several agents by name. All methods reject with `AgentsError`. */
// biome-ignore lint/suspicious/noExplicitAny: as for `PlainAgent`
export interface PlainAgents<Name extends string = any, Id extends string = any> extends AsyncDisposable {
  /** In the order of the options. */
  readonly names: ReadonlyArray<Name>
  /** One of them, for runs and live sessions of its own. Throws for another name. */
  readonly get: (name: Name) => PlainAgent
  /**
   * Asks all agents at the same time: the first good answer. The others are ended, and nothing of them is left. Agents that
   * may change files need a directory each, such as `worktrees: true`, or it rejects with `SharedDirectory`.
   */
  readonly race: <Output = unknown>(
    params: ParamsOfAgents<Name, Id, Output>,
    options?: RaceOptions<Name, Output>
  ) => Promise<RaceAnswer<Name, Output>>
  /** Asks all agents at the same time: the end of each, in their order, failures included. Directories as for `race`. */
  readonly each: <Output = unknown>(
    params: ParamsOfAgents<Name, Id, Output>,
    options?: EachOptions<Name>
  ) => Promise<ReadonlyArray<AgentEnd<Name, Output>>>
  /**
   * Asks the first agent; the next one if it is not installed, not signed in or out of quota and had no output, so that
   * nothing is done twice.
   */
  readonly fallback: <Output = unknown>(
    params: ParamsOfAgents<Name, Id, Output>,
    options?: FallbackOptions<Name>
  ) => Promise<FallbackAnswer<Name, Output>>
  /** Closes all of the agents, and waits until nothing of them is left. */
  readonly close: () => Promise<void>
}
