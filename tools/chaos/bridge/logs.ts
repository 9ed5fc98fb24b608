/** Traces of a campaign: each person's final view, the prompts of agents, and leftovers. */
import type { ShownMessage } from "../../../src/testing/channels/board.ts"
import { answersOf, type Case, sentOf } from "./plan.ts"

export interface Chat {
  readonly case: Case
  readonly shown: ReadonlyArray<ShownMessage>
  /** Choices of its person, in this order: *Show*, *Allow*, … */
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
  /** Messages that the channel must never see. */
  readonly violations: ReadonlyArray<string>
  readonly kills: number
  readonly problems: ReadonlyArray<string>
  readonly integrity: string
}

const ours = (visible: ReadonlyArray<ShownMessage>) => visible.filter(({ isOurs }) => isOurs)

const isProgress = ({ key = "" }: ShownMessage) => key.includes("/progress/")

/** All that the bridge says in a chat, but for what is of the moment. */
export const wordsOf = (visible: ReadonlyArray<ShownMessage>): string =>
  ours(visible)
    .filter((message) => !isProgress(message))
    .map(({ text }) => text)
    .join("\n")

/**
 * A tool said that the fate of its message is unknown, since the store was too slow: the agent says so in its answer,
 * and the message may come later, or not.
 */
const isNotKnown = (content: string): boolean => content.includes("It is not known whether this was queued")

/** Messages that the agent sends itself and that must be there in the end. */
export const sendOf = (
  { case: { scene }, shown: visible }: Pick<Chat, "case" | "shown">,
  id: string
): string | undefined => (isNotKnown(wordsOf(visible)) ? undefined : sentOf(scene, id))

/** Everything has come that is to be said of a message. */
export const isAnswered = (chat: Pick<Chat, "case" | "shown">, id: string): boolean => {
  const [content, sent] = [wordsOf(chat.shown), sendOf(chat, id)]
  const words = [...answersOf(chat.case.scene, id), ...(sent === undefined ? [] : [sent])]
  return words.every((word) => content.includes(word)) || content.includes(`steered: ${id}`)
}

export const notKnown = ({ shown: visible }: Pick<Chat, "shown">): number => (isNotKnown(wordsOf(visible)) ? 1 : 0)

/** It asks whether something is missing. */
export const isMissing = ({ isOurs, text }: ShownMessage): boolean => isOurs && text.includes("may be missing here")

/** It asks what becomes of a turn. */
export const isInterruption = (message: ShownMessage): boolean =>
  message.isOurs && !isProgress(message) && message.text.startsWith("The host was restarted while")

export const interruptions = (visible: ReadonlyArray<ShownMessage>): number => visible.filter(isInterruption).length
