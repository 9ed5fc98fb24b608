/** A chat as text, to be read in a note or a failing test. */
import type { TelegramMessage } from "./messages.ts"

const size = (bytes: number) => (bytes < 1_000 ? `${bytes} B` : `${Math.round(bytes / 1_000)} kB`)

const headOf = ({ name, isOurs, replyTo, thread, silent, edited }: TelegramMessage) => {
  const notes = [
    ...(thread === undefined ? [] : [`topic ${thread}`]),
    ...(replyTo === undefined ? [] : [`reply to ${replyTo}`]),
    ...(silent ? ["silent"] : []),
    ...(edited ? ["edited"] : [])
  ]
  return `${isOurs ? "🤖 " : ""}${name}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`
}

const lines = (message: TelegramMessage): ReadonlyArray<string> => [
  `#${message.messageId} ${headOf(message)}`,
  ...message.files.map(({ kind, name = kind, bytes }) => `   📎 ${name}, ${size(bytes)}`),
  ...(message.text === "" ? [] : message.text.split("\n").map((line) => `   ${line}`)),
  ...message.keyboard.map((row) => `   ${row.map(({ label }) => `[${label}]`).join(" ")}`),
  ...(message.reactions.length === 0 ? [] : [`   ${message.reactions.join(" ")}`])
]

export const render = (messages: ReadonlyArray<TelegramMessage>): string =>
  messages.map((message) => lines(message).join("\n")).join("\n")
