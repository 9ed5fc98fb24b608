/** What is typed at the prompt → a text for the agent, or a command of the program itself; pure. */
import { PermissionMode } from "../../contract/AgentExecuteParams.ts"

export type Wish =
  | { readonly _tag: "Send"; readonly text: string }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "Model"; readonly model: string }
  | { readonly _tag: "Mode"; readonly permissionMode: PermissionMode }
  | { readonly _tag: "Leave" }
  /** Does not wait for the session's own end. */
  | { readonly _tag: "Stop" }

/** What the program itself says to the person. */
export type Said =
  | { readonly _tag: "Prompt"; readonly text: string }
  | { readonly _tag: "Note"; readonly text: string }
  | { readonly _tag: "Help" }

export type Typed =
  | { readonly _tag: "Wish"; readonly wish: Wish }
  | { readonly _tag: "Said"; readonly said: Said }
  | { readonly _tag: "Nothing" }

const wish = (asked: Wish): Typed => ({ _tag: "Wish", wish: asked })
const note = (text: string): Typed => ({ _tag: "Said", said: { _tag: "Note", text } })

export const help: ReadonlyArray<readonly [string, string]> = [
  ["Enter", "sends; Alt-Enter or Ctrl-J begins a new line"],
  ["Ctrl-C", "interrupts the turn; a second one leaves, as at the prompt"],
  ["Ctrl-D", "leaves"],
  ["Up, Down", "earlier texts"],
  ["/model M", "another model"],
  ["/mode M", PermissionMode.literals.join(", ")],
  ["/quit", "leaves"],
  ["//text", "sends /text"]
]

const isMode = (mode: string): mode is PermissionMode => PermissionMode.literals.some((literal) => literal === mode)

export const typed = (text: string): Typed => {
  const trimmed = text.trim()
  if (trimmed === "") return { _tag: "Nothing" }
  if (!trimmed.startsWith("/")) return wish({ _tag: "Send", text })
  if (trimmed.startsWith("//")) return wish({ _tag: "Send", text: trimmed.slice(1) })
  const [name = "", value = "", ...more] = trimmed.split(/\s+/)
  if (name === "/quit" || name === "/exit") return wish({ _tag: "Leave" })
  if (name === "/help") return { _tag: "Said", said: { _tag: "Help" } }
  if (name === "/model") {
    return value === "" || more.length > 0 ? note("write /model and its name") : wish({ _tag: "Model", model: value })
  }
  if (name !== "/mode")
    return note(`${name} is no command here: /help tells which there are, /${name} sends it as text`)
  return isMode(value)
    ? wish({ _tag: "Mode", permissionMode: value })
    : note(`write /mode and one of ${PermissionMode.literals.join(", ")}`)
}
