/** What a person answers by whole lines, where the terminal tells no keys; pure. */
import { formatElapsed } from "../format.ts"
import { type Choice, choicesOf } from "./choices.ts"
import { emptyEditor, type Key } from "./editor.ts"
import { displayed, type Panel, pressPanel, settleMs } from "./panel.ts"
import { type Chat, type Step, submitted, without } from "./state.ts"

const key = (name: string): Key => ({ text: name, name, ctrl: false, meta: false })
const enter = key("return")

const editorWith = (text: string) => ({ ...emptyEditor, text, cursor: text.length })

/** As if the text had been typed into the panel and sent off. */
const filled = (panel: Exclude<Panel, { readonly _tag: "Keys" }>, text: string) =>
  pressPanel({ ...panel, editor: editorWith(text) }, enter)

const note = (chat: Chat, text: string): Step => ({ chat, said: { _tag: "Note", text } })

const keysOf = (choices: ReadonlyArray<Choice>) => choices.map((choice) => choice.key).join(", ")

const answer = (panel: Panel, line: string) => {
  if (panel._tag !== "Keys") return filled(panel, line)
  const text = line.trim()
  const [first = "", ...rest] = text
  const message = first === "m" && /^\s|^$/.test(rest.join("")) ? rest.join("") : undefined
  const [opened] = message === undefined ? [undefined] : pressPanel(panel, key("m"))
  if (message !== undefined && opened?._tag === "Message") return filled(opened, message.trim())
  return pressPanel(panel, key(text.toLowerCase()))
}

/** A line that was typed: for what is asked, where something is, else a text for the agent. */
export const answered = (chat: Chat, line: string, now: number): Step => {
  const { panel } = chat
  if (chat.isLeaving) return { chat }
  if (panel === undefined) return submitted(chat, line)
  if (now < panel.armedAt) {
    const wait = formatElapsed(settleMs)
    return note(
      chat,
      `that came sooner than it can have been read, and answered nothing; again, please (after ${wait})`
    )
  }
  const [next, given] = answer(panel, line)
  if (given !== undefined) return { chat: without(chat, given.requestId, now), wish: given }
  if (next?._tag !== "Keys") return { chat: { ...chat, panel: next } }
  return note(
    { ...chat, panel: next },
    `answer with one of ${keysOf(choicesOf(next.request, next.isWhole, false).choices)}`
  )
}

/** All of it was written. */
export const shown = (chat: Chat): Chat =>
  chat.panel?._tag === "Keys" ? { ...chat, panel: displayed(chat.panel) } : chat
