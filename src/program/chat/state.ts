/** The state of a chat at a terminal, after each key and event, and the action that follows; pure. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { type Action, type Message, parseTyped } from "./actions.ts"
import { type Editor, emptyEditor, type Key, press } from "./editor.ts"
import { type Panel, panelOf, pressPanel, type Request, settleMs } from "./panel.ts"

export interface Chat {
  /** The prompt that is being typed. */
  readonly draft: Editor
  /** Paths of the files that go with the next text. */
  readonly files: ReadonlyArray<string>
  /** Open requests, oldest first. */
  readonly requests: ReadonlyArray<Request>
  /** Shows the oldest of them. */
  readonly panel: Panel | undefined
  readonly isBusy: boolean
  /** The running turn was interrupted. */
  readonly isInterrupted: boolean
  readonly isLeaving: boolean
}

export const emptyChat: Chat = {
  draft: emptyEditor,
  files: [],
  requests: [],
  panel: undefined,
  isBusy: false,
  isInterrupted: false,
  isLeaving: false
}

export interface Step {
  readonly chat: Chat
  readonly action?: Action
  readonly message?: Message
}

/** The oldest request gets the panel; a panel that already shows it stays. */
const withRequests = (chat: Chat, requests: ReadonlyArray<Request>, now: number): Chat => {
  const [first] = requests
  if (first === undefined) return { ...chat, requests, panel: undefined }
  const isShown = chat.panel?.request.requestId === first.requestId
  return { ...chat, requests, panel: isShown ? chat.panel : panelOf(first, now) }
}

export const withoutRequest = (chat: Chat, requestId: string, now: number): Chat =>
  withRequests(
    chat,
    chat.requests.filter((request) => request.requestId !== requestId),
    now
  )

export const onEvent = (chat: Chat, event: AgentEvent, now: number): Chat => {
  switch (event.type) {
    case "permission_request":
    case "question":
      return withRequests({ ...chat, isBusy: true }, [...chat.requests, event], now)
    case "permission_decision":
    case "question_answer":
      return withoutRequest(chat, event.requestId, now)
    case "text":
    case "thinking":
    case "tool_use":
      return { ...chat, isBusy: true }
    case "turn_done":
      return { ...chat, isBusy: false, isInterrupted: false }
    case "done":
      return { ...chat, isBusy: false, isLeaving: true, requests: [], panel: undefined }
    default:
      return chat
  }
}

export const leave = (chat: Chat): Step => ({ chat: { ...chat, isLeaving: true }, action: { _tag: "Leave" } })

const onCtrlC = (chat: Chat): Step => {
  if (chat.isLeaving) return { chat, action: { _tag: "Stop" } }
  if (chat.isBusy && !chat.isInterrupted)
    return { chat: { ...chat, isInterrupted: true }, action: { _tag: "Interrupt" } }
  if (chat.isBusy || chat.draft.text === "") return leave(chat)
  return { chat: { ...chat, draft: { ...emptyEditor, history: chat.draft.history } } }
}

export const submit = (chat: Chat, text: string): Step => {
  const parsed = parseTyped(text)
  const { action, file } = parsed
  if (file !== undefined) {
    const message: Message = { _tag: "Note", text: `${file} goes with the next text` }
    return { chat: { ...chat, files: [...chat.files, file] }, message }
  }
  if (action?._tag === "Leave") return leave(chat)
  if (action?._tag !== "Send") return { chat, ...parsed }
  const { files } = chat
  return {
    chat: { ...chat, files: [], isBusy: true },
    action: files.length === 0 ? action : { ...action, files },
    message: { _tag: "Prompt", text: action.text }
  }
}

const editDraft = (chat: Chat, key: Key): Step => {
  const [draft, text] = press(chat.draft, key)
  const next = { ...chat, draft }
  return text === undefined ? { chat: next } : submit(next, text)
}

/** A paste never answers a request. */
const isForDraft = ({ draft, panel }: Chat, key: Key) =>
  draft.pasted !== undefined || (panel?._tag === "Keys" && key.name === "paste-start")

/** Turning the second and later pages needs no wait. */
const isTurningOn = ({ draft }: Chat, panel: Panel, key: Key) =>
  panel._tag === "Keys" && panel.page > 0 && key.name === "v" && draft.text === ""

export const onKey = (chat: Chat, key: Key, now: number): Step => {
  if (key.ctrl && key.name === "c") return onCtrlC(chat)
  if (chat.isLeaving) return { chat }
  const { panel } = chat
  if (panel === undefined || isForDraft(chat, key)) {
    const isEnd = key.ctrl && key.name === "d" && chat.draft.text === "" && !chat.isBusy
    return isEnd ? leave(chat) : editDraft(chat, key)
  }
  if (now < panel.armedAt && !isTurningOn(chat, panel, key)) {
    return editDraft({ ...chat, panel: { ...panel, armedAt: now + settleMs } }, key)
  }
  const [next, action] = pressPanel(panel, key)
  if (action === undefined) {
    // A page that has just been turned cannot have been read.
    const isTurned = next?._tag === "Keys" && panel._tag === "Keys" && next.page !== panel.page
    return { chat: { ...chat, panel: isTurned ? { ...next, armedAt: now + settleMs } : next } }
  }
  return { chat: withoutRequest(chat, action.requestId, now), action }
}
