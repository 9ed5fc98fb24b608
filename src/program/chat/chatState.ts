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
  /** Characters of the output that are not kept. */
  readonly left: number
}

/** The latest tool calls with their output, to be unfolded; bounded; pure. */
export type Calls = ReadonlyArray<Call>

const most = 50
const mostCharacters = 64 * 1024

/** Its end says how it went. */
const tail = (output: string) => output.slice(-mostCharacters)

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
  return calls.with(at, { ...call, output: tail(output), isError, left: Math.max(0, output.length - mostCharacters) })
}

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
  /** Completions of a word; until the next key. */
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
