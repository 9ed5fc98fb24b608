/** A loop written by hand: `spawn`, `split`, `JSON.parse`, a `switch`. It validates nothing and guards nothing. */
import { spawn } from "node:child_process"
import { StringDecoder } from "node:string_decoder"

/**
 * A message is whatever stood in the line: as one writes it by hand, nothing is known of it.
 * @param {string} command
 * @param {{ onMessage?: (message: any) => void, env?: Record<string, string> }} [options]
 * @returns {Promise<{ text: string, toolCalls: number, outputCharacters: number, told: string }>}
 */
export const runLoop = (command, { onMessage, env = {} } = {}) =>
  new Promise((resolve, reject) => {
    const args = ["-p", "--output-format=stream-json", "--verbose", "--include-partial-messages"]
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } })
    const decoder = new StringDecoder("utf8")
    const openTools = new Map()
    const known = { text: "", toolCalls: 0, outputCharacters: 0, told: "nothing" }
    let rest = ""
    /** @param {string} line */
    const read = (line) => {
      const message = JSON.parse(line)
      switch (message.type) {
        case "stream_event":
          if (message.event.delta?.type === "text_delta") known.text += message.event.delta.text
          break
        case "assistant":
          for (const block of message.message.content) {
            if (block.type === "tool_use") openTools.set(block.id, { name: block.name, input: block.input })
          }
          break
        case "user":
          for (const block of message.message.content) {
            if (block.type !== "tool_result" || !openTools.delete(block.tool_use_id)) continue
            known.toolCalls += 1
            known.outputCharacters += block.content.length
          }
          break
        case "result":
          known.told = message.subtype
      }
      onMessage?.(message)
    }
    child.stdout.on("data", (chunk) => {
      const lines = (rest + decoder.write(chunk)).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (line !== "") read(line)
    })
    child.once("error", reject)
    child.once("close", () => resolve(known))
    child.stdin.on("error", () => {})
    child.stdin.end("hello")
  })
