/**
 * The log of those who were refused: one line a day for each, with ids alone. Memory and log are bounded: many strangers
 * in a day share one last line.
 */

import { exact } from "../../contract/text/harmless.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Refusal } from "./mayEnter.ts"

export interface Stranger {
  readonly conversation: Conversation
  readonly sender: { readonly id: string }
}

const dayMs = 86_400_000
const mostLines = 100

const words: { readonly [R in Refusal]: string | undefined } = {
  bot: "a bot",
  not_a_person: "an anonymous sender or a channel",
  chat_not_listed: "somebody in a group that is not listed",
  not_listed: "somebody who is not listed",
  elsewhere: "somebody on another account",
  // One who is listed talks to others.
  not_addressed: undefined
}

const shown = (id: string) => exact(JSON.stringify(id.slice(0, 64)))

/** Gives the line for the log, if there is one. */
export const makeStrangers = (): ((reason: Refusal, stranger: Stranger, nowMs: number) => string | undefined) => {
  let day = Number.NaN
  const seen = new Set<string>()
  return (reason, { conversation, sender }, nowMs) => {
    const word = words[reason]
    if (word === undefined) return undefined
    const today = Math.floor(nowMs / dayMs)
    if (today !== day) seen.clear()
    day = today
    // A group is one stranger, whoever writes in it.
    const key = (reason === "chat_not_listed" ? `chat ${conversation.chatId}` : `person ${sender.id}`).slice(0, 100)
    if (seen.size >= mostLines || seen.has(key)) return undefined
    seen.add(key)
    if (seen.size === mostLines) return "Many strangers wrote today; further ones are not logged until tomorrow."
    return `Not answered: ${word}, id ${shown(sender.id)}, chat ${shown(conversation.chatId)}`
  }
}
