/** The state of a chat at a terminal, after each event and text; pure. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Delivery } from "../../contract/PlainSession.ts"
import { plural } from "../../contract/text/amounts.ts"
import { type Message, parseTyped } from "./actions.ts"
import { copied, withPiece } from "./answers.ts"
import { type Chat, type Step, withEvent } from "./chatState.ts"
import { panelOf, type Request } from "./panel.ts"
import type { Facts } from "./statusRow.ts"
import { viewOf } from "./view.ts"
import { delivered, deliveries, takenBy } from "./waiting.ts"

const note = (chat: Chat, text: string): Step => ({ chat, message: { _tag: "Note", text } })

/** `nth`: from the last one. */
export const unfold = (chat: Chat, nth: number): Step => {
  const at = chat.calls.length - nth
  if (chat.calls.length === 0) return note(chat, "no tool call to unfold yet")
  if (at < 0) return note(chat, `there are ${plural(chat.calls.length, "tool call")} to unfold`)
  return { chat: { ...chat, view: viewOf({ _tag: "Call", at }) } }
}

/** Performs the actions of the chat itself: clipboard, and unfolded tool calls. */
const localStep = (chat: Chat, step: Step): Step => {
  const { action } = step
  if (action?._tag === "Show") return unfold(chat, action.nth)
  if (action?._tag !== "Copy") return step
  const found = copied(chat.answer, action.block)
  if ("problem" in found) return note(chat, found.problem)
  const text = `${plural(found.text.length, "character")} to the clipboard, if the terminal allows it`
  return { ...note(chat, text), action: { _tag: "Clipboard", text: found.text } }
}

/** Closes the view of a request that has ended. */
const viewWith = ({ view }: Chat, isShown: boolean) => (view?.of._tag === "Request" && !isShown ? undefined : view)

/** Gives the panel to the oldest request, unless it already has it. */
const withRequests = (chat: Chat, requests: ReadonlyArray<Request>, now: number): Chat => {
  const [first] = requests
  const isShown = first !== undefined && chat.panel?.request.requestId === first.requestId
  const view = viewWith(chat, isShown)
  if (first === undefined) return { ...chat, requests, view, panel: undefined }
  return { ...chat, requests, view, panel: isShown ? chat.panel : panelOf(first, now) }
}

export const withoutRequest = (chat: Chat, requestId: string, now: number): Chat => {
  const others = chat.requests.filter((request) => request.requestId !== requestId)
  return withRequests(chat, others, now)
}

const busy = (chat: Chat, now: number): Chat => (chat.isBusy ? chat : { ...chat, isBusy: true, busySince: now })
export const atRest = (chat: Chat): Chat => ({ ...chat, isBusy: false, busySince: undefined, isInterrupted: false })

const withCost = (facts: Facts, costUsd: number | undefined): Facts =>
  costUsd === undefined ? facts : { ...facts, costUsd: (facts.costUsd ?? 0) + costUsd }

const followed = (chat: Chat, event: AgentEvent, now: number): Chat => {
  switch (event.type) {
    case "permission_request":
    case "question":
      return withRequests(busy(chat, now), [...chat.requests, event], now)
    case "permission_decision":
    case "question_answer":
      return withoutRequest(chat, event.requestId, now)
    case "text":
    case "thinking":
    case "tool_use":
      return busy(chat, now)
    case "session":
      return { ...chat, facts: { ...chat.facts, model: undefined } }
    case "turn_done":
      return { ...atRest(chat), facts: withCost(chat.facts, event.result.totalCostUsd) }
    case "done":
      return { ...atRest(chat), isLeaving: true, requests: [], panel: undefined, view: undefined, waiting: [] }
    default:
      return chat
  }
}

export const onEvent = (chat: Chat, event: AgentEvent, now: number): Chat => ({
  ...followed(chat, event, now),
  answer: withPiece(chat.answer, event),
  calls: withEvent(chat.calls, event)
})

export const takeUp = (chat: Chat, event: AgentEvent, now: number) => {
  const { waiting, taken, isTurn } = takenBy(chat.waiting, event)
  const next = isTurn ? busy(chat, now) : chat
  return { chat: { ...next, waiting }, messages: taken.map((text): Message => ({ _tag: "Prompt", text })) }
}

export const onDelivery = (chat: Chat, text: string, delivery: Delivery | "failed"): Step => {
  const found = delivered(chat.waiting, text, delivery)
  const note = delivery === "failed" ? undefined : deliveries[delivery]
  if (found === undefined) return note === undefined ? { chat } : { chat, message: { _tag: "Note", text: note } }
  const next = { ...chat, waiting: found.waiting }
  return found.isTaken ? { chat: next, message: { _tag: "Prompt", text } } : { chat: next }
}

export const leave = (chat: Chat): Step => ({
  chat: { ...chat, isLeaving: true, view: undefined },
  action: { _tag: "Leave" }
})

export const submit = (chat: Chat, text: string, now: number): Step => {
  const parsed = parseTyped(text)
  const { action, file } = parsed
  if (file !== undefined) {
    const message: Message = { _tag: "Note", text: `${file} goes with the next text` }
    return { chat: { ...chat, files: [...chat.files, file] }, message }
  }
  if (action?._tag === "Leave") return leave(chat)
  if (action?._tag !== "Send") return localStep(chat, { chat, ...parsed })
  const { files } = chat
  const next = { ...busy(chat, now), files: [] }
  const sent = files.length === 0 ? action : { ...action, files }
  if (!chat.isBusy) return { chat: next, action: sent, message: { _tag: "Prompt", text: action.text } }
  return { chat: { ...next, waiting: [...chat.waiting, { text: action.text, delivery: undefined }] }, action: sent }
}
