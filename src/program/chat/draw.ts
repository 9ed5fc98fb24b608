/** Events, keys and messages of the program → the next chat and transcript, and the text to write; pure. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Delivery } from "../../contract/PlainSession.ts"
import { formatCost, plural } from "../../contract/text/amounts.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { paragraph, type Transcript } from "../blocks.ts"
import { chosenAgent } from "../chosenAgent.ts"
import { oneLine } from "../format.ts"
import { budgetText } from "../spending/amounts.ts"
import { marks, paint, type Surface } from "../style.ts"
import { draw } from "../transcript.ts"
import { wrap } from "../wrap.ts"
import { type Action, help, type Message } from "./actions.ts"
import type { Chat, Step } from "./chatState.ts"
import type { Key } from "./editor.ts"
import type { FooterScene } from "./footer.ts"
import { onLine } from "./lineAnswers.ts"
import { onKey } from "./pressing.ts"
import { atRest, leave, onDelivery, onEvent, submit, takeUp } from "./state.ts"
import { type Facts, modeText } from "./statusRow.ts"

const widest = 100
const keyWidth = 12

const hanging = (surface: Surface, label: string, text: string): ReadonlyArray<string> => {
  const width = Math.max(8, Math.min(surface.columns - 1, widest) - label.length)
  return text.split("\n").flatMap((line) => wrap(line, width).map((row) => row.trimEnd()))
}

const helpRows = (surface: Surface) =>
  help.flatMap(([key, text]) => {
    const label = `${key.padEnd(keyWidth)} `
    return hanging(surface, label, text).map(
      (row, at) => paint(surface, "bold", at === 0 ? label : " ".repeat(label.length)) + paint(surface, "dim", row)
    )
  })

const messageLines = (surface: Surface, message: Message): ReadonlyArray<string> => {
  if (message._tag === "Help") return helpRows(surface)
  if (message._tag === "Note") {
    const label = `${marks.notice} `
    const text = harmless(message.text)
    const rows = message.isToCopy === true ? [text] : hanging(surface, label, text)
    return rows.map((row, at) => paint(surface, "dim", `${at === 0 ? label : "  "}${row}`))
  }
  const [first = "", ...more] = harmless(message.text).split("\n")
  return [
    `${paint(surface, "cyan", marks.prompt)} ${paint(surface, "bold", first)}`,
    ...more.map((line) => `  ${paint(surface, "bold", line)}`)
  ]
}

const factsText = (what: "status" | "usage", transcript: Transcript, facts: Facts): string => {
  const { agent, session, turns } = transcript
  const spent = facts.costUsd === undefined ? "no cost reported" : formatCost(facts.costUsd)
  const used = [plural(turns, "turn"), spent]
  if (what === "usage") {
    const { budget } = facts
    const budgets = budget === undefined ? ["no budget"] : [`budget ${oneLine(budget.budget)}: ${budgetText(budget)}`]
    return [...used, ...budgets, "of all sessions: reins usage"].join(" · ")
  }
  const known = [
    agent,
    facts.model ?? session?.model ?? "the agent's own model",
    modeText(facts.mode),
    ...used,
    session === undefined ? "not started yet" : `session ${session.sessionId}`,
    ...(session?.workingDirectory === undefined ? [] : [session.workingDirectory])
  ]
  return known.map(oneLine).join(" · ")
}

export type ChatInput =
  | { readonly _tag: "Event"; readonly event: AgentEvent }
  | { readonly _tag: "Key"; readonly key: Key }
  /** From a terminal that reports no keys and echoes what is typed. */
  | { readonly _tag: "Line"; readonly text: string }
  | { readonly _tag: "Message"; readonly message: Message }
  | { readonly _tag: "Submit"; readonly text: string }
  | { readonly _tag: "Delivered"; readonly text: string; readonly delivery: Delivery | "failed" }
  | { readonly _tag: "Facts"; readonly facts: Partial<Facts> }
  | { readonly _tag: "Models"; readonly models: ReadonlyArray<string> }
  | { readonly _tag: "Rest" }
  | { readonly _tag: "Tick" }
  | { readonly _tag: "Resumed" }
  | { readonly _tag: "Gone" }

export interface ChatScene {
  readonly chat: Chat
  readonly transcript: Transcript
}

const stepOf = (chat: Chat, input: Exclude<ChatInput, { readonly _tag: "Event" }>, now: number): Step => {
  switch (input._tag) {
    case "Key":
      return onKey(chat, input.key, now)
    case "Line": {
      const { message, ...step } = onLine(chat, input.text, now)
      return message === undefined || message._tag === "Prompt" ? step : { ...step, message }
    }
    case "Message":
      return { chat, message: input.message }
    case "Submit":
      return submit(chat, input.text, now)
    case "Delivered":
      return onDelivery(chat, input.text, input.delivery)
    case "Facts":
      return { chat: { ...chat, facts: { ...chat.facts, ...input.facts } } }
    case "Models":
      return { chat: { ...chat, known: { ...chat.known, models: input.models } } }
    case "Rest":
      return { chat: atRest(chat) }
    case "Tick":
      // The footer is gone: the frame before this one had none.
      return chat.suspension === "wiping"
        ? { chat: { ...chat, suspension: "suspended" }, action: { _tag: "Suspend" } }
        : { chat }
    case "Resumed":
      return { chat: { ...chat, suspension: undefined, redraws: chat.redraws + 1 } }
    case "Gone":
      return leave(chat)
  }
}

const demoLabel = chosenAgent("demo").label

const resumeNote = ({ agent, turns }: Transcript, event: AgentEvent): Message | undefined => {
  if (event.type !== "done" || event.result.sessionId === undefined || turns === 0) return undefined
  const command = `reins chat --agent ${agent === demoLabel ? "demo" : agent} --resume ${event.result.sessionId}`
  return { _tag: "Note", text: `continue it with: ${command}`, isToCopy: true }
}

export interface Advanced extends ChatScene {
  readonly text: string
  readonly actions: ReadonlyArray<Action>
}

export const advance = (before: ChatScene, inputs: ReadonlyArray<ChatInput>, scene: FooterScene): Advanced => {
  let { chat, transcript } = before
  let text = ""
  const actions: Array<Action> = []
  const say = (message: Message | undefined) => {
    if (message === undefined) return
    const [next, drawn] = paragraph({ ...transcript, lastEventAt: scene.now }, messageLines(scene.surface, message))
    transcript = next
    text += drawn
  }
  for (const input of inputs) {
    if (input._tag === "Event") {
      const taken = takeUp(onEvent(chat, input.event, scene.now), input.event, scene.now)
      chat = taken.chat
      const [next, drawn] = draw(transcript, input.event, scene)
      transcript = next
      text += drawn
      say(resumeNote(transcript, input.event))
      for (const message of taken.messages) say(message)
      continue
    }
    const { action, message, ...step } = stepOf(chat, input, scene.now)
    chat = step.chat
    if (action?._tag === "Tell") say({ _tag: "Note", text: factsText(action.what, transcript, chat.facts) })
    else if (action !== undefined) actions.push(action)
    say(message)
  }
  return { chat, transcript, text, actions }
}
