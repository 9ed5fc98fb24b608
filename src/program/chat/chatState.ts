/** What a chat at a terminal knows, and what a key or an event makes of it; plain data. */
import type { Action, Message } from "./actions.ts"
import { type Answer, noAnswer } from "./answers.ts"
import type { Calls } from "./calls.ts"
import { type Editor, emptyEditor } from "./editor.ts"
import type { Panel, Request } from "./panel.ts"
import { type Facts, noFacts } from "./statusRow.ts"
import type { KnownValues } from "./typedCommands.ts"
import type { View } from "./view.ts"
import type { Waitings } from "./waiting.ts"

export interface Chat {
  /** The prompt that is being typed. */
  readonly draft: Editor
  /** Paths of the files that go with the next text. */
  readonly files: ReadonlyArray<string>
  /** Open requests, oldest first. */
  readonly requests: ReadonlyArray<Request>
  /** Shows the oldest of them. */
  readonly panel: Panel | undefined
  /** Texts that the agent has not taken up yet. */
  readonly waiting: Waitings
  readonly isBusy: boolean
  /** When the running turn began, as far as it is known here. */
  readonly busySince: number | undefined
  /** The running turn was interrupted. */
  readonly isInterrupted: boolean
  readonly isLeaving: boolean
  readonly facts: Facts
  readonly answer: Answer
  readonly calls: Calls
  /** Takes the whole screen. */
  readonly view: View | undefined
  /** What a word can be completed to; until the next key. */
  readonly candidates: ReadonlyArray<string>
  readonly known: KnownValues & { readonly isAsked: boolean }
  /** `wiping`: the terminal goes back to the shell as soon as the footer is gone. */
  readonly suspension: "wiping" | "suspended" | undefined
  /** Counts how often the screen was asked to be drawn anew. */
  readonly redraws: number
}

export const emptyChat: Chat = {
  draft: emptyEditor,
  files: [],
  requests: [],
  panel: undefined,
  waiting: [],
  isBusy: false,
  busySince: undefined,
  isInterrupted: false,
  isLeaving: false,
  facts: noFacts,
  answer: noAnswer,
  calls: [],
  view: undefined,
  candidates: [],
  known: { models: [], isAsked: false },
  suspension: undefined,
  redraws: 0
}

export interface Step {
  readonly chat: Chat
  readonly action?: Action
  readonly message?: Message
}
