/** Messages that the bridge takes in itself: their ids say what they are; pure. */
import type { ChannelMessage } from "./ChannelMessage.ts"

/** Of the prompt of a schedule. */
export const schedulePrefix = "schedule/"
/** Of the answer that a button of `ask_person` stands for: its text is the agent's. */
export const answerPrefix = "answer/"

export const isScheduled = ({ updateId }: Pick<ChannelMessage, "updateId">): boolean =>
  updateId.startsWith(schedulePrefix)

export const isPressed = ({ updateId }: Pick<ChannelMessage, "updateId">): boolean => updateId.startsWith(answerPrefix)
