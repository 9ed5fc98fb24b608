/** Answers by whole lines, for a terminal that reports no keys; pure. */
import { formatElapsed } from "../../text/amounts.ts"
import { type Choice, choicesOf } from "./choices.ts"
import { emptyEditor, type Key } from "./editor.ts"
import { displayed, type Panel, pressPanel, settleMs } from "./panel.ts"
import { type Chat, type Step, submit, withoutRequest } from "./state.ts"

const key = (name: string): Key => ({ text: name, name, ctrl: false, meta: false })
const enter = key("return")

const editorWith = (text: string) => ({ ...emptyEditor, text, cursor: text.length })

/** As if the text had been typed into the panel and submitted. */
const submitTo = (panel: Exclude<Panel, { readonly _tag: "Keys" }>, text: string) =>
  pressPanel({ ...panel, editor: editorWith(text) }, enter)

const note = (chat: Chat, text: string): Step => ({ chat, message: { _tag: "Note", text } })

const keysOf = (choices: ReadonlyArray<Choice>) => choices.map((choice) => choice.key).join(", ")

const answer = (panel: Panel, line: string) => {
  if (panel._tag !== "Keys") return submitTo(panel, line)
  const text = line.trim()
  const [first = "", ...rest] = text
  const message = first === "m" && /^\s|^$/.test(rest.join("")) ? rest.join("") : undefined
  const [opened] = message === undefined ? [undefined] : pressPanel(panel, key("m"))
  if (message !== undefined && opened?._tag === "Message") return submitTo(opened, message.trim())
  return pressPanel(panel, key(text.toLowerCase()))
}

/** A typed line answers the open request; where there is none, it is a text for the agent. */
export const onLine = (chat: Chat, line: string, now: number): Step => {
  const { panel } = chat
  if (chat.isLeaving) return { chat }
  if (panel === undefined) return submit(chat, line)
  if (now < panel.armedAt) {
    const wait = formatElapsed(settleMs)
    return note(chat, `ignored: it was typed before the request could be read; answer again after ${wait}`)
  }
  const [next, action] = answer(panel, line)
  if (action !== undefined) return { chat: withoutRequest(chat, action.requestId, now), action }
  if (next?._tag !== "Keys") return { chat: { ...chat, panel: next } }
  return note(
    { ...chat, panel: next },
    `answer with one of ${keysOf(choicesOf(next.request, next.isWhole, false).choices)}`
  )
}

/** The whole request was written. */
export const withRequestShown = (chat: Chat): Chat =>
  chat.panel?._tag === "Keys" ? { ...chat, panel: displayed(chat.panel) } : chat
