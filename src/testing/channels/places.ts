/** The chats of a scripted channel: of which kind they are, and whether anything can be sent there. */
import type { SendReason } from "../../bridge/messages/SendError.ts"

type State = "open" | "closed" | "left"

export const makePlaces = () => {
  const states = new Map<string, State>()
  const groups = new Set<string>()
  return {
    /** A person writes there. */
    open: (chatId: string, kind: "direct" | "group") => {
      if (kind === "group") groups.add(chatId)
      states.set(chatId, "open")
    },
    set: (chatId: string, state: State) => {
      states.set(chatId, state)
    },
    kindOf: (chatId: string): "direct" | "group" => (groups.has(chatId) ? "group" : "direct"),
    /** Why nothing can be sent there. */
    refusal: (chatId: string): SendReason | undefined => {
      const state = states.get(chatId)
      if (state === "left") return { _tag: "Gone", what: "chat" }
      return state === "closed" ? { _tag: "Closed" } : undefined
    }
  }
}

export type Places = ReturnType<typeof makePlaces>
