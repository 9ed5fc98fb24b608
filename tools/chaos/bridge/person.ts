/**
 * The person of a case: says its messages, and answers what the bridge asks: allows what the agent wants to do, chooses for
 * turns that were interrupted, and has shown what may be missing.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { ShownMessage } from "../../../src/testing/channels/board.ts"
import { type Chat, interruptions, isAnswered, isInterruption, isMissing } from "./logs.ts"
import type { Outside } from "./Outside.ts"
import { type Case, idsOf, textOf } from "./plan.ts"

export interface Person {
  /** The present view of the chat. */
  readonly chat: () => Chat
  /** Everything has come to its end, as far as it can be seen. */
  readonly isServed: () => boolean
  readonly close: () => void
}

const lookMs = 25
/** A press that has shown nothing until then is lost. */
const patienceMs = 5_000

/** Whether something of each message has come, or what became of it has been said. */
const isServed = (chat: Pick<Chat, "case" | "shown">, open: number): boolean => {
  const isExcused = chat.case.choice !== "Again" && interruptions(chat.shown) > 0
  return open === 0 && idsOf(chat.case).every((message) => isExcused || isAnswered(chat, message))
}

/** @param isAgentAt Whether the agent has begun with a message. */
export const startPerson = (
  outside: Outside,
  own: Case,
  { hasButtons, filler }: { readonly hasButtons: boolean; readonly filler?: number | undefined },
  isAgentAt: (id: string) => boolean
): Person => {
  const { id: from, choice } = own
  const ids = idsOf(own)
  const pressed = new Map<string, { readonly label: string; readonly at: number }>()
  let isClosed = false
  let content = 0

  const sayNext = () => {
    const id = ids[content]
    // Its host may have died before the agent had begun.
    const isNext = content === 0 || isAgentAt(ids[content - 1] ?? "") || interruptions(outside.chat(from)) > 0
    if (id === undefined || !isNext) return
    content += 1
    outside.say(from, textOf(own, id, filler))
  }

  /** The question of this message for the bridge; undefined without one, or after its answer. */
  const wantedBy = (message: ShownMessage): string | undefined => {
    const { messageId, isOurs, text, buttons } = message
    const before = pressed.get(messageId)
    const isLost = outside.losesPresses === true && before !== undefined && performance.now() - before.at > patienceMs
    if (!isOurs || (before !== undefined && !isLost)) return undefined
    const wants = isMissing(message) ? "Show" : isInterruption(message) ? choice : "Allow"
    if (hasButtons) return buttons.includes(wants) ? wants : undefined
    if (wants !== "Allow") return wants
    return /^1\. Allow/m.test(text) ? "Allow" : undefined
  }

  const look = () => {
    sayNext()
    for (const message of outside.chat(from)) {
      const requested = wantedBy(message)
      if (requested === undefined) continue
      pressed.set(message.messageId, { label: requested, at: performance.now() })
      if (hasButtons) outside.press(from, message.messageId, requested)
      else outside.say(from, requested)
    }
  }

  const chat = (): Chat => ({
    case: own,
    shown: outside.chat(from),
    choices: [...pressed.values()].map(({ label }) => label)
  })
  void (async () => {
    while (!isClosed) {
      look()
      await sleep(lookMs)
    }
  })()

  return {
    chat,
    // A question of a host that died before it noted it keeps its buttons.
    isServed: () => {
      const open = outside.chat(from).filter((message) => !pressed.has(message.messageId) && wantedBy(message))
      return content === ids.length && isServed(chat(), open.length)
    },
    close: () => {
      isClosed = true
    }
  }
}
