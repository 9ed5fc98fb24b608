/** Actions that a chat performs by itself: the clipboard, and tool calls unfolded; pure. */
import { plural } from "../../contract/text/amounts.ts"
import { copied } from "./answers.ts"
import type { Chat, Step } from "./chatState.ts"
import { viewOf } from "./view.ts"

const note = (chat: Chat, text: string): Step => ({ chat, message: { _tag: "Note", text } })

/** `nth`: from the last one. */
export const unfold = (chat: Chat, nth: number): Step => {
  const at = chat.calls.length - nth
  if (chat.calls.length === 0) return note(chat, "there is no tool call to unfold")
  if (at < 0) return note(chat, `there are ${plural(chat.calls.length, "tool call")} to unfold`)
  return { chat: { ...chat, view: viewOf({ _tag: "Call", at }) } }
}

/** Others are left as they are. */
export const localStep = (chat: Chat, step: Step): Step => {
  const { action } = step
  if (action?._tag === "Show") return unfold(chat, action.nth)
  if (action?._tag !== "Copy") return step
  const found = copied(chat.answer, action.block)
  if ("problem" in found) return note(chat, found.problem)
  const text = `${plural(found.text.length, "character")} to the clipboard, if the terminal allows it`
  return { ...note(chat, text), action: { _tag: "Clipboard", text: found.text } }
}
