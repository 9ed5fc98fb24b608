/** How the run of one prompt, or a conversation, uses a process: what it reads and writes, and how it ends. */
import type { Deferred, Effect } from "effect"
import type { Stages } from "../../cli/Decoder.ts"
import type { Action, Output } from "../../cli/Live.ts"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import type { Stdin } from "../../system/process/stdin.ts"
import type { Settle, VerdictAtEnd } from "./endings.ts"
import type { Ending } from "./judge.ts"
import type { WireLine } from "./readLine.ts"

export interface Course<Params = never> {
  readonly stages: Stages<Output>
  /** The mode that the CLI must report; undefined if it may change. */
  readonly permissionMode?: PermissionMode | undefined
  /** `bytes`: estimated memory of a large event. */
  readonly give: (event: AgentEvent, bytes?: number) => void
  readonly act?: (action: Action) => void
  /** Further lines are only recorded. */
  readonly isOver: () => boolean
  readonly fail: (failure: FailureReason) => void
  readonly onLineEnd: (line: WireLine) => void
  readonly onChunk?: () => void
  readonly stdin: Stdin
  /** Called when the process runs: the first lines can be written. */
  readonly onRunning?: () => void
  /** Completes when the CLI has read its settings. Default: when it has reported its session. */
  readonly settingsRead?: Effect.Effect<void>
  /** Completed by the CLI's report of the end, or by what ends the process before. */
  readonly end: Deferred.Deferred<Ending>
  readonly verdict: VerdictAtEnd
  readonly settle: Settle
  readonly endingWhenLeft: () => Ending
  /** Waits for further facts about the end of the process. */
  readonly complete?: (ending: Ending, exit: Effect.Effect<ProcessExit>) => Effect.Effect<Ending>
  /** Texts for the model, which no message repeats. */
  readonly texts: () => ReadonlyArray<string>
  /** The parameters of a further process, instead of this end. */
  readonly again?: (ending: Ending) => Params | undefined
  /** Completes the report with usage that the CLI's lines leave out; undefined if nothing can be missing. */
  readonly account?: () => Effect.Effect<void> | undefined
  /** Emits the end; the gates may delay it. */
  readonly conclude: (ending: Ending, stderr: string) => void
  /** Called after the end was emitted: nothing more is written. */
  readonly stop?: () => void
  /** Whether the process exits by itself after the end; otherwise it is stopped at once. */
  readonly mayLinger: boolean
}
