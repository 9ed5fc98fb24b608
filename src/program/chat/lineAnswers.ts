/** Answers by whole lines, for a terminal that reports no keys; pure. */
import { formatElapsed } from "../../contract/text/amounts.ts"
import type { Chat, Step } from "./chatState.ts"
import { type Choice, choicesOf } from "./choices.ts"
import { emptyEditor, type Key } from "./editor.ts"
import { displayed, type Panel, pressPanel, settleMs } from "./panel.ts"
import { submit, withoutRequest } from "./state.ts"

const key = (name: string): Key => ({ text: name, name, ctrl: false, meta: false })
const enter = key("return")
const editorWith = (text: string) => ({ ...emptyEditor, text, cursor: text.length })

const submitTo = (panel: Exclude<Panel, { readonly _tag: "Keys" }>, text: string) =>
  pressPanel({ ...panel, editor: editorWith(text) }, enter)

const note = (chat: Chat, text: string): Step => ({ chat, message: { _tag: "Note", text } })
const numbersOf = (choices: ReadonlyArray<Choice>) => choices.map((_, index) => index + 1).join(", ")

/** Accepts a number of the written list, or a letter; the rest of the line is the message of a denial. */
const answer = (panel: Panel, line: string) => {
  if (panel._tag !== "Keys") return submitTo(panel, line)
  const [, word = "", message = ""] = /^(\S+)\s*(.*)$/s.exec(line.trim()) ?? []
  const { choices } = choicesOf(panel.request, panel.isWhole, false)
  const name = /^\d/.test(word) ? (choices[Number(word) - 1]?.key ?? "") : word.toLowerCase()
  if (name !== "m") return pressPanel(panel, key(message === "" ? name : ""))
  const [opened] = pressPanel(panel, key("m"))
  return opened?._tag === "Message" ? submitTo(opened, message.trim()) : pressPanel(panel, key(""))
}

/** A typed line is already on the screen: it is not shown above a prompt. */
const typed = (chat: Chat, line: string, now: number): Step => {
  const step = submit(chat, line, now)
  return { ...step, chat: { ...step.chat, waiting: [] } }
}

/** A line answers the open request; without one, it is a text for the agent. */
export const onLine = (chat: Chat, line: string, now: number): Step => {
  const { panel } = chat
  if (chat.isLeaving) return { chat }
  if (panel === undefined) return typed(chat, line, now)
  if (now < panel.armedAt) {
    const wait = formatElapsed(settleMs)
    return note(chat, `ignored: it was typed before the request could be read; answer again after ${wait}`)
  }
  const [next, action] = answer(panel, line)
  if (action !== undefined) return { chat: withoutRequest(chat, action.requestId, now), action }
  if (next?._tag !== "Keys") return { chat: { ...chat, panel: next } }
  return note(
    { ...chat, panel: next },
    `answer with one of ${numbersOf(choicesOf(next.request, next.isWhole, false).choices)}`
  )
}

export const withRequestShown = (chat: Chat): Chat =>
  chat.panel?._tag === "Keys" ? { ...chat, panel: displayed(chat.panel, false) } : chat
