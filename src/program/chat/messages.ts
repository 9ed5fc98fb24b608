/** The messages of the program in the transcript of a chat, as lines; pure. */
import { harmless } from "../../text/harmless.ts"
import { marks, paint, type Surface } from "../style.ts"
import { help, type Message } from "./actions.ts"

export const messageLines = (surface: Surface, message: Message): ReadonlyArray<string> => {
  if (message._tag === "Note") return [paint(surface, "dim", `${marks.notice} ${harmless(message.text)}`)]
  if (message._tag === "Help") {
    return help.map(([key, text]) => `${paint(surface, "bold", key.padEnd(12))} ${paint(surface, "dim", text)}`)
  }
  const [first = "", ...more] = harmless(message.text).split("\n")
  return [
    `${paint(surface, "cyan", marks.prompt)} ${paint(surface, "bold", first)}`,
    ...more.map((line) => `  ${paint(surface, "bold", line)}`)
  ]
}
