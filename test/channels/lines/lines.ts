/**
 * A made-up messenger as a channel of one's own: one JSON object a line, each way. The other side keeps what was not
 * `took`, and says it again after a cut.
 */
import { randomUUID } from "node:crypto"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { type Conversation, type Incoming, type PlainChannel, SendError } from "reins/bridge"

/**
 * Lines of the other side: `{"id":"1","from":"ann","text":"hello"}`, `{"id":"2","from":"ann","press":"r:1","on":"m1"}`.
 */
interface Line {
  readonly id: string
  readonly from: string
  readonly text?: string
  readonly press?: string
  readonly on?: string
}

/** A stranger's text: any other line is ignored. */
const readLine = (text: string): Line | undefined => {
  if (text.length > 100_000) return undefined
  try {
    const line: unknown = JSON.parse(text)
    const isLine = typeof line === "object" && line !== null && "id" in line && "from" in line
    if (!isLine || Object.values(line).some((value) => typeof value !== "string")) return undefined
    return line as Line // each member was looked at
  } catch {
    return undefined
  }
}

export const lines = (input: Readable, output: Writable): PlainChannel => {
  const id = "lines"
  const chat = (person: string): Conversation => ({ channel: id, accountId: "default", chatId: person })

  const incomingOf = ({ id: updateId, from, text = "", press, on = "" }: Line): Incoming => {
    const conversation = chat(from)
    const sender = { id: from, isBot: false }
    if (press !== undefined)
      return {
        _tag: "Pressed",
        conversation,
        chat: "direct",
        updateId,
        sender,
        messageId: on,
        data: press,
        press: null
      }
    const message = { conversation, updateId, messageId: updateId, sender, text, attachments: [], addressed: true }
    return { _tag: "Message", message: { ...message, chat: "direct", sentAt: Date.now() } }
  }

  /** A line that was not taken at all is `Unreachable`: it may be retried. The fate of a cut one is unknown. */
  const write = (line: object) =>
    new Promise<void>((resolve, reject) => {
      if (!output.writable) return reject(new SendError({ reason: { _tag: "Unreachable" } }))
      output.write(`${JSON.stringify(line)}\n`, (error) =>
        error ? reject(new SendError({ reason: { _tag: "Unknown" } })) : resolve()
      )
    })

  return {
    id,
    limits: { text: 500, buttons: { most: 10, label: 40, data: 64 }, pace: { directPerMinute: 60 } },
    isPerson: (person) => /^[a-z]{1,20}$/.test(person),
    incoming: async function* (_mark, { signal }) {
      for await (const text of createInterface({ input, signal })) {
        const line = readLine(text)
        if (line !== undefined) yield { incoming: incomingOf(line), confirm: () => write({ took: line.id }) }
      }
    },
    // `key` is the same in each attempt: the other side shows a message with a known key once.
    send: async ({ chatId }, { body }, key) => {
      const message = randomUUID()
      await write({ to: chatId, message, key, ...(body as object) }) // as the default `render` made it
      return message
    },
    edit: ({ messageId }, { body }) => write({ edit: messageId, ...(body as object) }),
    acknowledge: ({ updateId }, text = "") => write({ answered: updateId, text }),
    check: () => [
      output.writable
        ? { level: "ok", message: "The messenger listens." }
        : { level: "failure", message: "The messenger is gone.", help: "Start it again." }
    ]
  }
}
