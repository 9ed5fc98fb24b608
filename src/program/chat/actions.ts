/** The actions of a person at a chat, and the meaning of a typed text: a prompt, or a command of the program; pure. */
import { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { Answers } from "../../contract/SessionEvent.ts"
import { type ChangeAction, changeActions, typedCommands, unknownCommand } from "./typedCommands.ts"

type TypedAction =
  | { readonly _tag: "Send"; readonly text: string; readonly files?: ReadonlyArray<string> }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "Model"; readonly model: string }
  | { readonly _tag: "Mode"; readonly permissionMode: PermissionMode }
  | { readonly _tag: "Leave" }
  /** Shows facts of the session, or its usage. */
  | { readonly _tag: "Tell"; readonly what: "status" | "usage" }
  /** The changes in the worktree of the conversation, or an action on them. */
  | { readonly _tag: "Changes"; readonly action: ChangeAction | undefined; readonly message: string }
  /** The last answer, or its nth block of code, to the clipboard. */
  | { readonly _tag: "Copy"; readonly block: number | undefined }
  | { readonly _tag: "Show"; readonly nth: number }
  /** Does not wait for the session's own end. */
  | { readonly _tag: "Stop" }

/** The answer to a request or to a question; without `answers` the agent uses its defaults. */
export type AnswerAction =
  | { readonly _tag: "Decide"; readonly requestId: string; readonly answer: PlanAnswer }
  | { readonly _tag: "Answer"; readonly requestId: string; readonly answers: Answers | undefined }

export type Action =
  | TypedAction
  | AnswerAction
  /** Learns the models that `/model` can name. */
  | { readonly _tag: "Models" }
  | { readonly _tag: "Clipboard"; readonly text: string }
  | { readonly _tag: "Suspend" }

export type Message =
  | { readonly _tag: "Prompt"; readonly text: string }
  /** `isToCopy`: has a command to type, and is not wrapped. */
  | { readonly _tag: "Note"; readonly text: string; readonly isToCopy?: boolean }
  | { readonly _tag: "Help" }

/** At most one of the three; none for a blank text. */
export interface Parsed {
  readonly action?: TypedAction
  readonly file?: string
  readonly message?: Message
}

const note = (text: string): Parsed => ({ message: { _tag: "Note", text } })

export const help: ReadonlyArray<readonly [string, string]> = [
  ["Enter", "sends; Alt-Enter, Shift-Enter or Ctrl-J begins a new line"],
  ["Tab", "completes a command; Shift-Tab: the next permission mode"],
  ["Ctrl-O", "unfolds the last tool call"],
  ["Ctrl-C", "empties the prompt, interrupts the turn, leaves at the prompt"],
  ["Ctrl-D", "leaves"],
  ["Ctrl-Z", "back to the shell; fg goes on"],
  ["Up, Down", "earlier texts"],
  ...typedCommands.map(
    ({ name, argument, does }) => [argument === undefined ? name : `${name} ${argument}`, does] as const
  ),
  ["//text", "sends /text"]
]

const isMode = (mode: string): mode is PermissionMode => PermissionMode.literals.some((literal) => literal === mode)

/** The next mode for Shift-Tab: never one that does not ask. */
export const nextMode = (mode: string | undefined): PermissionMode => {
  const modes = PermissionMode.literals.filter((literal) => literal !== "bypass")
  return modes[(modes.findIndex((literal) => literal === (mode ?? "default")) + 1) % modes.length] ?? "default"
}

const whole = (value: string): number | undefined => (/^[1-9]\d{0,5}$/.test(value) ? Number(value) : undefined)

interface Words {
  readonly value: string
  /** All after the name. */
  readonly rest: string
  readonly isMore: boolean
}

const parsers: Readonly<Record<string, (words: Words) => Parsed>> = {
  "/quit": () => ({ action: { _tag: "Leave" } }),
  "/exit": () => ({ action: { _tag: "Leave" } }),
  "/help": () => ({ message: { _tag: "Help" } }),
  "/status": () => ({ action: { _tag: "Tell", what: "status" } }),
  "/usage": () => ({ action: { _tag: "Tell", what: "usage" } }),
  "/changes": ({ value, rest }) => {
    const action = changeActions.find((each) => each === value)
    if (value !== "" && action === undefined)
      return note(`write /changes, or /changes and one of ${changeActions.join(", ")}`)
    return { action: { _tag: "Changes", action, message: rest.slice(value.length).trim() } }
  },
  "/attach": ({ rest }) => (rest === "" ? note("write /attach and the path of a file") : { file: rest }),
  "/model": ({ value, isMore }) =>
    value === "" || isMore ? note("write /model and its name") : { action: { _tag: "Model", model: value } },
  "/mode": ({ value }) =>
    isMode(value)
      ? { action: { _tag: "Mode", permissionMode: value } }
      : note(`write /mode and one of ${PermissionMode.literals.join(", ")}`),
  "/copy": ({ rest }) =>
    rest === "" || whole(rest) !== undefined
      ? { action: { _tag: "Copy", block: whole(rest) } }
      : note("write /copy, or /copy and the number of a block of code"),
  "/show": ({ rest }) =>
    rest === "" || whole(rest) !== undefined
      ? { action: { _tag: "Show", nth: whole(rest) ?? 1 } }
      : note("write /show, or /show and a number: 1 is the last tool call")
}

export const parseTyped = (text: string): Parsed => {
  const trimmed = text.trim()
  if (trimmed === "") return {}
  if (!trimmed.startsWith("/")) return { action: { _tag: "Send", text } }
  if (trimmed.startsWith("//")) return { action: { _tag: "Send", text: trimmed.slice(1) } }
  const [name = "", value = "", ...more] = trimmed.split(/\s+/)
  const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined
  if (parse === undefined) return note(unknownCommand(name))
  return parse({ value, rest: trimmed.slice(name.length).trim(), isMore: more.length > 0 })
}
