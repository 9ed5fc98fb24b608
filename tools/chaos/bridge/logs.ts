/** What a campaign leaves: what each person sees in the end, what the agents were asked, and what is left behind. */
import type { ShownMessage } from "../../../src/testing/channels/shown.ts"
import { answersOf, type Case, sentOf } from "./plan.ts"

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

/**
 * A tool said that nobody knows whether its message goes out, since the store was too slow: the agent says so in its
 * answer, and the message may come later, or not.
 */
const isNotKnown = (said: string): boolean => said.includes("It is not known whether this was queued")

/** What the agent sends itself and is to be there in the end. */
export const sendOf = ({ case: { scene }, shown }: Pick<Chat, "case" | "shown">, id: string): string | undefined =>
  isNotKnown(wordsOf(shown)) ? undefined : sentOf(scene, id)

/** Everything has come that is to be said of a message. */
export const isAnswered = (chat: Pick<Chat, "case" | "shown">, id: string): boolean => {
  const [said, sent] = [wordsOf(chat.shown), sendOf(chat, id)]
  const words = [...answersOf(chat.case.scene, id), ...(sent === undefined ? [] : [sent])]
  return words.every((word) => said.includes(word)) || said.includes(`steered: ${id}`)
}

export const notKnown = ({ shown }: Pick<Chat, "shown">): number => (isNotKnown(wordsOf(shown)) ? 1 : 0)

/** It asks whether something is missing. */
export const isMissing = ({ isOurs, text }: ShownMessage): boolean => isOurs && text.includes("may be missing here")

/** It asks what becomes of a turn. */
export const isInterruption = (message: ShownMessage): boolean =>
  message.isOurs && !isProgress(message) && message.text.startsWith("The host was restarted while")

export const interruptions = (shown: ReadonlyArray<ShownMessage>): number => shown.filter(isInterruption).length
