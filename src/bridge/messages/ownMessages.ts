/** Messages that the bridge takes in itself: their ids say what they are; pure. */
import type { ChannelMessage } from "./ChannelMessage.ts"

/** Prefix for the prompt of a schedule. */
export const schedulePrefix = "schedule/"
/** Prefix for the answer of a button of `ask_person`: its text is the agent's. */
export const answerPrefix = "answer/"

export const isScheduled = ({ updateId }: Pick<ChannelMessage, "updateId">): boolean =>
  updateId.startsWith(schedulePrefix)

export const isPressed = ({ updateId }: Pick<ChannelMessage, "updateId">): boolean => updateId.startsWith(answerPrefix)
