/** The messages of the program in the transcript of a chat, as lines; pure. */
import { harmless } from "../../contract/text/harmless.ts"
import { marks, paint, type Surface } from "../style.ts"
import { wrap } from "../wrap.ts"
import { help, type Message } from "./actions.ts"

const widest = 100

/** Rows behind a label, under each other. */
const hanging = (surface: Surface, label: string, text: string): ReadonlyArray<string> => {
  const width = Math.max(8, Math.min(surface.columns - 1, widest) - label.length)
  return text.split("\n").flatMap((line) => wrap(line, width).map((row) => row.trimEnd()))
}

const keyWidth = 12

const helpRows = (surface: Surface) =>
  help.flatMap(([key, text]) => {
    const label = `${key.padEnd(keyWidth)} `
    return hanging(surface, label, text).map(
      (row, at) => paint(surface, "bold", at === 0 ? label : " ".repeat(label.length)) + paint(surface, "dim", row)
    )
  })

export const messageLines = (surface: Surface, message: Message): ReadonlyArray<string> => {
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
