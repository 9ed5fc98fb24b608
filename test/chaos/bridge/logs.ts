/** What a campaign leaves: what each person sees in the end, what the agents were asked, and what is left behind. */
import type { ShownMessage } from "../../../src/testing/channels/shown.ts"
import type { Case } from "./plan.ts"

export interface Chat {
  readonly case: Case
  readonly shown: ReadonlyArray<ShownMessage>
  /** What its person chose, in this order: *Show*, *Allow*, … */
  readonly choices: ReadonlyArray<string>
}

export interface ServedChat extends Chat {
  /** How many of its sends met a fault. */
  readonly faults: number
  /** How many hosts of its account died while it was open. */
  readonly kills: number
  readonly isServed: boolean
}

/** The agent was asked: the id of a message, and the process. */
export interface AgentLine {
  readonly text: string
  readonly pid: number
}

export interface Logs {
  readonly chats: ReadonlyArray<ServedChat>
  readonly agent: ReadonlyArray<AgentLine>
  /** Rows that are not at their end, as `TABLE STATE`. */
  readonly open: ReadonlyArray<string>
  /** Agents that live. */
  readonly alive: ReadonlyArray<number>
  /** What the channel is never to see. */
  readonly violations: ReadonlyArray<string>
  readonly kills: number
  readonly problems: ReadonlyArray<string>
  readonly integrity: string
}

const ours = (shown: ReadonlyArray<ShownMessage>) => shown.filter(({ isOurs }) => isOurs)

const isProgress = ({ key = "" }: ShownMessage) => key.includes("/progress/")

/** All that the bridge says in a chat, but for what is of the moment. */
export const wordsOf = (shown: ReadonlyArray<ShownMessage>): string =>
  ours(shown)
    .filter((message) => !isProgress(message))
    .map(({ text }) => text)
    .join("\n")

/** It asks whether something is missing. */
export const isMissing = ({ isOurs, text }: ShownMessage): boolean => isOurs && text.includes("may be missing here")

/** It asks what becomes of a turn. */
export const isInterruption = (message: ShownMessage): boolean =>
  message.isOurs && !isProgress(message) && message.text.startsWith("The host was restarted while")

export const interruptions = (shown: ReadonlyArray<ShownMessage>): number => shown.filter(isInterruption).length
