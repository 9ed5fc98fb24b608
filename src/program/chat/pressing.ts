/** A key at a chat → the next chat and the action that follows; pure. Requests come before the prompt. */
import { nextMode } from "./actions.ts"
import type { Chat, Step } from "./chatState.ts"
import { emptyEditor, type Key, press } from "./editor.ts"
import { type Panel, pressPanel, settleMs } from "./panel.ts"
import { leave, submit, unfold, withoutRequest } from "./state.ts"
import { complete, wantsModels } from "./typedCommands.ts"
import { pressView, viewOf } from "./view.ts"

const interrupt = (chat: Chat): Step => ({ chat: { ...chat, isInterrupted: true }, action: { _tag: "Interrupt" } })

const onCtrlC = (chat: Chat): Step => {
  if (chat.isLeaving) return { chat, action: { _tag: "Stop" } }
  if (chat.draft.text !== "") return { chat: { ...chat, draft: { ...emptyEditor, history: chat.draft.history } } }
  return chat.isBusy && !chat.isInterrupted ? interrupt(chat) : leave(chat)
}

const onTab = (chat: Chat): Step => {
  const { draft, known } = chat
  const completed = complete(draft, known)
  if (completed === undefined) return { chat }
  const isAsking = wantsModels(draft) && !known.isAsked
  const next = { ...chat, draft: completed.editor, candidates: completed.candidates }
  if (!isAsking) return { chat: next }
  return { chat: { ...next, known: { ...known, isAsked: true } }, action: { _tag: "Models" } }
}

const editDraft = (chat: Chat, key: Key, now: number): Step => {
  const { draft } = chat
  const isFree = draft.pasted === undefined && !key.ctrl && !key.meta
  if (isFree && key.name === "tab" && draft.text.startsWith("/")) return onTab(chat)
  if (isFree && key.name === "shift-tab") {
    return { chat, action: { _tag: "Mode", permissionMode: nextMode(chat.facts.mode) } }
  }
  if (isFree && key.name === "escape" && draft.text === "" && chat.isBusy && !chat.isInterrupted) return interrupt(chat)
  if (isFree && key.name === "?" && draft.text === "") return { chat, message: { _tag: "Help" } }
  const [next, text] = press(draft, key)
  return text === undefined ? { chat: { ...chat, draft: next } } : submit({ ...chat, draft: next }, text, now)
}

/** A paste never answers a request. */
const isForDraft = ({ draft, panel }: Chat, key: Key) =>
  draft.pasted !== undefined || (panel?._tag === "Keys" && key.name === "paste-start")

/** Keys with the same meaning everywhere; undefined for all others. */
const always = (chat: Chat, key: Key): Step | undefined => {
  if (!key.ctrl || chat.draft.pasted !== undefined) return undefined
  if (key.name === "z") return { chat: { ...chat, suspension: "wiping" } }
  if (key.name === "l") return { chat: { ...chat, redraws: chat.redraws + 1 } }
  if (chat.view !== undefined) return undefined
  if (key.name === "o") return unfold(chat, 1)
  return key.name === "c" ? onCtrlC(chat) : undefined
}

/** A request that has just been seen whole is not answered by a key that was meant for the view. */
const closeView = (chat: Chat, now: number): Chat => {
  const armedAt = now + settleMs
  const panel = chat.panel?._tag === "Keys" ? { ...chat.panel, problem: undefined } : chat.panel
  return { ...chat, view: undefined, panel: panel === undefined ? undefined : { ...panel, armedAt } }
}

const isViewing = (panel: Panel, key: Key) =>
  panel._tag === "Keys" && panel.isFolded && key.name === "v" && !key.ctrl && !key.meta

const onPanel = (chat: Chat, panel: Panel, key: Key, now: number): Step => {
  if (now < panel.armedAt) return editDraft({ ...chat, panel: { ...panel, armedAt: now + settleMs } }, key, now)
  if (isViewing(panel, key)) return { chat: { ...chat, view: viewOf({ _tag: "Request" }) } }
  const [next, action] = pressPanel(panel, key)
  return action === undefined
    ? { chat: { ...chat, panel: next } }
    : { chat: withoutRequest(chat, action.requestId, now), action }
}

export const onKey = (before: Chat, key: Key, now: number): Step => {
  const chat = before.candidates.length === 0 ? before : { ...before, candidates: [] }
  const common = always(chat, key)
  if (common !== undefined) return common
  if (chat.isLeaving) return { chat }
  if (chat.view !== undefined) {
    const view = pressView(chat.view, key, chat.calls.length)
    return { chat: view === undefined ? closeView(chat, now) : { ...chat, view } }
  }
  const { panel } = chat
  if (panel !== undefined && !isForDraft(chat, key)) return onPanel(chat, panel, key, now)
  const isEnd = key.ctrl && key.name === "d" && chat.draft.text === "" && !chat.isBusy
  return isEnd ? leave(chat) : editDraft(chat, key, now)
}
