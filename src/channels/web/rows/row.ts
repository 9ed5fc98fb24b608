/** Content of the page as rows in one order: user messages, turns with their events, and messages of the bridge. */
import type { Block } from "../../../bridge/format/block.ts"
import type { Button } from "../../../bridge/messages/ReplyPayload.ts"
import type { AgentRunResult } from "../../../contract/AgentRunResult.ts"

/** A file that a page can ask for. */
export interface RowFile {
  readonly fileId: string
  readonly name: string
  readonly kind: string
  readonly bytes: number
}

type MessageState = "sent" | "steering" | "taken" | "queued" | "dropped"

/** A change of an answer's segment: its blocks from `from` on, or text to append to the code block there. */
export interface BlockChange {
  /** From 0 in each run of a turn; text between two steps is one segment. */
  readonly segment: number
  readonly from: number
  readonly list: ReadonlyArray<Block>
  readonly grow?: string
}

interface Content {
  readonly text: string
  readonly blocks: ReadonlyArray<Block>
  readonly buttons?: ReadonlyArray<ReadonlyArray<Button>>
}

export type WebRow =
  | {
      readonly row: "message"
      readonly message: string
      readonly text: string
      readonly by: string
      readonly state: "sent"
      readonly files?: ReadonlyArray<RowFile>
    }
  | { readonly row: "state"; readonly message: string; readonly state: MessageState; readonly place?: number }
  | {
      readonly row: "run"
      readonly turn: string
      readonly agent: string
      readonly model?: string
      readonly mode?: string
      readonly directory?: string
      readonly message?: string
    }
  | {
      readonly row: "event"
      /** Absent for requests between two turns. */
      readonly turn?: string
      readonly event: { readonly type: string; readonly [name: string]: unknown }
      /** For text and thinking: start of the delta in the text since the last step. */
      readonly offset?: number
      readonly blocks?: BlockChange
      /** For a plan in prose. */
      readonly plan?: ReadonlyArray<Block>
    }
  /** The stop of the turn was requested. */
  | { readonly row: "stopping"; readonly turn: string }
  | { readonly row: "done"; readonly turn: string; readonly result: Omit<AgentRunResult, "text" | "stderrTail"> }
  /** The turn's answer was streamed completely. */
  | { readonly row: "answer"; readonly turn: string }
  | ({
      readonly row: "host"
      readonly what: "interrupted" | "missing" | "notice"
      /** The interrupted turn. */
      readonly turn?: string
      readonly choices?: ReadonlyArray<string>
    } & Content)
  | ({
      readonly row: "said"
      readonly key: string
      readonly turn?: string
      readonly isError?: true
      readonly file?: RowFile
    } & Content)
  /** Replaces the content of an earlier row. */
  | ({ readonly row: "edited"; readonly of: number } & Content)

/** A row with its number and time, as a page gets it. */
export type StoredRow = WebRow & { readonly id: number; readonly at: number }

export interface NewRow {
  readonly chat: string
  readonly body: WebRow
  /** A row with a known key is not written again. */
  readonly key?: string
  readonly turn?: string
  /** JSON of the message of a person, for the bridge. */
  readonly heard?: string
  readonly at: number
}
