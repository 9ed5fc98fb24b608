/** State of a chat at a terminal, and how keys and events change it; plain data. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Action, Message } from "./actions.ts"
import { type Answer, noAnswer } from "./answers.ts"
import { type Editor, emptyEditor } from "./editor.ts"
import type { Panel, Request } from "./panel.ts"
import { type Facts, noFacts } from "./statusRow.ts"
import type { KnownValues } from "./typedCommands.ts"
import type { View } from "./view.ts"
import type { Waitings } from "./waiting.ts"

export interface Call {
  readonly toolId: string
  readonly title: string
  /** Undefined while it runs. */
  readonly output: string | undefined
  readonly isError: boolean
  /** Number of characters of the output that are not kept. */
  readonly left: number
}

/** The latest tool calls with the end of their output; bounded. */
export type Calls = ReadonlyArray<Call>
const most = 50
const mostCharacters = 64 * 1024

export const withEvent = (calls: Calls, event: AgentEvent): Calls => {
  if (event.type === "tool_use") {
    const title = `${event.toolName}  ${event.title}`.slice(0, mostCharacters)
    const call = { toolId: event.toolId, title, output: undefined, isError: false, left: 0 }
    return [...calls.filter(({ toolId }) => toolId !== event.toolId), call].slice(-most)
  }
  if (event.type !== "tool_result") return calls
  const { output, isError } = event
  const at = calls.findLastIndex(({ toolId }) => toolId === event.toolId)
  const call = calls[at]
  if (call === undefined) return calls
  return calls.with(at, {
    ...call,
    output: output.slice(-mostCharacters),
    isError,
    left: Math.max(0, output.length - mostCharacters)
  })
}

export interface Chat {
  readonly draft: Editor
  readonly files: ReadonlyArray<string>
  /** Open requests, oldest first. */
  readonly requests: ReadonlyArray<Request>
  /** For the oldest request. */
  readonly panel: Panel | undefined
  /** Texts that are still queued. */
  readonly waiting: Waitings
  readonly isBusy: boolean
  /** Start of the running turn, as far as it is known. */
  readonly busySince: number | undefined
  readonly isInterrupted: boolean
  readonly isLeaving: boolean
  readonly facts: Facts
  readonly answer: Answer
  readonly calls: Calls
  readonly view: View | undefined
  /** Completions of a word, until the next key. */
  readonly candidates: ReadonlyArray<string>
  readonly known: KnownValues & { readonly isAsked: boolean }
  /** `wiping`: the terminal goes back to the shell as soon as the footer is gone. */
  readonly suspension: "wiping" | "suspended" | undefined
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
