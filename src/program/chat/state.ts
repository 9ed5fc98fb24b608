/** A chat at a terminal: what a key and what an event make of it, and what is to be done then; pure. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { type Editor, emptyEditor, type Key, press } from "./editor.ts"
import { type Said, typed, type Wish } from "./local.ts"
import { type Ask, type Given, type Panel, panelOf, pressPanel, settleMs } from "./panel.ts"

export interface Chat {
  /** The prompt. */
  readonly draft: Editor
  /** What is asked and not answered, the oldest first. */
  readonly asks: ReadonlyArray<Ask>
  /** For the oldest of them. */
  readonly panel: Panel | undefined
  readonly isBusy: boolean
  /** The turn under way was interrupted. */
  readonly isInterrupted: boolean
  readonly isLeaving: boolean
}

export const emptyChat: Chat = {
  draft: emptyEditor,
  asks: [],
  panel: undefined,
  isBusy: false,
  isInterrupted: false,
  isLeaving: false
}

export interface Step {
  readonly chat: Chat
  readonly wish?: Wish | Given
  readonly said?: Said
}

/** The next that is asked gets the panel; one that is shown stays. */
const withAsks = (chat: Chat, asks: ReadonlyArray<Ask>, now: number): Chat => {
  const [first] = asks
  if (first === undefined) return { ...chat, asks, panel: undefined }
  const isShown = chat.panel?.request.requestId === first.requestId
  return { ...chat, asks, panel: isShown ? chat.panel : panelOf(first, now) }
}

export const without = (chat: Chat, requestId: string, now: number): Chat =>
  withAsks(
    chat,
    chat.asks.filter((ask) => ask.requestId !== requestId),
    now
  )

export const heard = (chat: Chat, event: AgentEvent, now: number): Chat => {
  switch (event.type) {
    case "permission_request":
    case "question":
      return withAsks({ ...chat, isBusy: true }, [...chat.asks, event], now)
    case "permission_decision":
    case "question_answer":
      return without(chat, event.requestId, now)
    case "text":
    case "thinking":
    case "tool_use":
      return { ...chat, isBusy: true }
    case "turn_done":
      return { ...chat, isBusy: false, isInterrupted: false }
    case "done":
      return { ...chat, isBusy: false, isLeaving: true, asks: [], panel: undefined }
    default:
      return chat
  }
}

const leave = (chat: Chat): Step => ({ chat: { ...chat, isLeaving: true }, wish: { _tag: "Leave" } })

const stop = (chat: Chat): Step => {
  if (chat.isLeaving) return { chat, wish: { _tag: "Stop" } }
  if (chat.isBusy && !chat.isInterrupted) return { chat: { ...chat, isInterrupted: true }, wish: { _tag: "Interrupt" } }
  if (chat.isBusy || chat.draft.text === "") return leave(chat)
  return { chat: { ...chat, draft: { ...emptyEditor, history: chat.draft.history } } }
}

/** A text goes off. */
export const submitted = (chat: Chat, text: string): Step => {
  const what = typed(text)
  if (what._tag === "Nothing") return { chat }
  if (what._tag === "Said") return { chat, said: what.said }
  const { wish } = what
  if (wish._tag === "Leave") return leave(chat)
  return wish._tag === "Send"
    ? { chat: { ...chat, isBusy: true }, wish, said: { _tag: "Prompt", text: wish.text } }
    : { chat, wish }
}

const drafted = (chat: Chat, key: Key): Step => {
  const [draft, text] = press(chat.draft, key)
  const next = { ...chat, draft }
  return text === undefined ? { chat: next } : submitted(next, text)
}

/** A paste never decides anything. */
const isForDraft = ({ draft, panel }: Chat, key: Key) =>
  draft.pasted !== undefined || (panel?._tag === "Keys" && key.name === "paste-start")

/** Who has begun to turn pages need not wait at each. */
const isTurningOn = ({ draft }: Chat, panel: Panel, key: Key) =>
  panel._tag === "Keys" && panel.page > 0 && key.name === "v" && draft.text === ""

export const pressed = (chat: Chat, key: Key, now: number): Step => {
  if (key.ctrl && key.name === "c") return stop(chat)
  if (chat.isLeaving) return { chat }
  const { panel } = chat
  if (panel === undefined || isForDraft(chat, key)) {
    const isEnd = key.ctrl && key.name === "d" && chat.draft.text === "" && !chat.isBusy
    return isEnd ? leave(chat) : drafted(chat, key)
  }
  if (now < panel.armedAt && !isTurningOn(chat, panel, key)) {
    return drafted({ ...chat, panel: { ...panel, armedAt: now + settleMs } }, key)
  }
  const [next, given] = pressPanel(panel, key)
  if (given === undefined) {
    // Nobody has read a page the moment it is turned.
    const isTurned = next?._tag === "Keys" && panel._tag === "Keys" && next.page !== panel.page
    return { chat: { ...chat, panel: isTurned ? { ...next, armedAt: now + settleMs } : next } }
  }
  return { chat: without(chat, given.requestId, now), wish: given }
}
