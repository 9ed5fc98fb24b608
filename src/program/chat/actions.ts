/** The actions of a person at a chat, and what a typed text means: a prompt, or a command of the program; pure. */
import { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { Answers } from "../../contract/SessionEvent.ts"
import type { PlanAnswer } from "../../types/Rule.ts"

type TypedAction =
  | { readonly _tag: "Send"; readonly text: string; readonly files?: ReadonlyArray<string> }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "Model"; readonly model: string }
  | { readonly _tag: "Mode"; readonly permissionMode: PermissionMode }
  | { readonly _tag: "Leave" }
  /** Does not wait for the session's own end. */
  | { readonly _tag: "Stop" }

/** The answer to a request or to a question; without `answers` the agent uses its defaults. */
export type AnswerAction =
  | { readonly _tag: "Decide"; readonly requestId: string; readonly answer: PlanAnswer }
  | { readonly _tag: "Answer"; readonly requestId: string; readonly answers: Answers | undefined }

/** Done to the session, or to the program. */
export type Action = TypedAction | AnswerAction

/** A message of the program in the transcript. */
export type Message =
  | { readonly _tag: "Prompt"; readonly text: string }
  | { readonly _tag: "Note"; readonly text: string }
  | { readonly _tag: "Help" }

/** A text as it is understood: at most one of them, none for a blank one. */
export interface Parsed {
  readonly action?: TypedAction
  /** The path of a file to go with the next text. */
  readonly file?: string
  readonly message?: Message
}

const note = (text: string): Parsed => ({ message: { _tag: "Note", text } })

export const help: ReadonlyArray<readonly [string, string]> = [
  ["Enter", "sends; Alt-Enter or Ctrl-J begins a new line"],
  ["Ctrl-C", "interrupts the turn; a second one leaves, as at the prompt"],
  ["Ctrl-D", "leaves"],
  ["Up, Down", "earlier texts"],
  ["/attach FILE", "an image or file for the next text"],
  ["/model M", "another model"],
  ["/mode M", PermissionMode.literals.join(", ")],
  ["/quit", "leaves"],
  ["//text", "sends /text"]
]

const isMode = (mode: string): mode is PermissionMode => PermissionMode.literals.some((literal) => literal === mode)

export const parseTyped = (text: string): Parsed => {
  const trimmed = text.trim()
  if (trimmed === "") return {}
  if (!trimmed.startsWith("/")) return { action: { _tag: "Send", text } }
  if (trimmed.startsWith("//")) return { action: { _tag: "Send", text: trimmed.slice(1) } }
  const [name = "", value = "", ...more] = trimmed.split(/\s+/)
  if (name === "/quit" || name === "/exit") return { action: { _tag: "Leave" } }
  if (name === "/help") return { message: { _tag: "Help" } }
  // A path may have blanks.
  if (name === "/attach") {
    return value === "" ? note("write /attach and the path of a file") : { file: trimmed.slice(name.length).trim() }
  }
  if (name === "/model") {
    return value === "" || more.length > 0
      ? note("write /model and its name")
      : { action: { _tag: "Model", model: value } }
  }
  if (name !== "/mode") return note(`${name} is not a command here: /help lists them, /${name} sends it as text`)
  return isMode(value)
    ? { action: { _tag: "Mode", permissionMode: value } }
    : note(`write /mode and one of ${PermissionMode.literals.join(", ")}`)
}
