/** A live session by hand: `spawn`, `split`, `JSON.parse`; a line of JSON in, a turn of lines out. */
import { spawn } from "node:child_process"
import { StringDecoder } from "node:string_decoder"

const args = [
  "-p",
  "--output-format=stream-json",
  "--input-format=stream-json",
  "--verbose",
  "--include-partial-messages"
]

/**
 * @param {string} command
 * @returns {Promise<{ turn: (prompt: string) => Promise<string>, close: () => Promise<unknown> }>}
 */
export const openLoop = (command) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
    const decoder = new StringDecoder("utf8")
    /** @param {object} message */
    const write = (message) => child.stdin.write(`${JSON.stringify(message)}\n`)
    let rest = ""
    let text = ""
    /** @type {(text: string) => void} */
    let resolveTurn = () => {}
    const session = {
      turn: (/** @type {string} */ content) =>
        new Promise((resolve) => {
          text = ""
          resolveTurn = resolve
          write({ type: "user", message: { role: "user", content }, uuid: crypto.randomUUID() })
        }),
      close: () =>
        new Promise((resolve) => {
          child.once("close", resolve)
          child.stdin.end()
        })
    }
    /** @param {string} line */
    const read = (line) => {
      const message = JSON.parse(line)
      switch (message.type) {
        case "control_response":
          resolve(session)
          break
        case "stream_event":
          if (message.event.delta?.type === "text_delta") text += message.event.delta.text
          break
        case "result":
          resolveTurn(text)
      }
    }
    child.stdout.on("data", (chunk) => {
      const lines = (rest + decoder.write(chunk)).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (line !== "") read(line)
    })
    child.once("error", reject)
    child.stdin.on("error", () => {})
    write({ type: "control_request", request_id: "1", request: { subtype: "initialize" } })
  })
