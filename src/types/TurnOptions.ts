/** What can be given with one turn of a live session. */
import type { Attachment } from "./Attachment.ts"
import type { OutputSchema } from "./OutputSchema.ts"

/** The options of one turn of a live session. */
export interface TurnOptions<Output = unknown> {
  /** Images and files for the model to look at; they have the meaning that they have in a run. Default: none. */
  readonly attachments?: ReadonlyArray<Attachment> | undefined
  /** Schema of the answer of this turn, which becomes `structuredOutput` of its result. */
  readonly outputSchema?: OutputSchema<Output> | undefined
  /** How often the agent is asked again if its answer does not match `outputSchema`; 0 to 10. Default: 1. */
  readonly retries?: number | undefined
}
