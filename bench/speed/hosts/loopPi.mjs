/** One run of Pi by a loop written by hand: `spawn`, `split`, `JSON.parse`, the pieces of the text. */
import { spawn } from "node:child_process"
import { StringDecoder } from "node:string_decoder"
import { measure, task, whatWasRead } from "./measure.mjs"

const runLoop = () =>
  new Promise((resolve, reject) => {
    const child = spawn(task.command, ["--mode", "json", "-p"], { stdio: ["pipe", "pipe", "inherit"] })
    const decoder = new StringDecoder("utf8")
    const known = { text: "", toolCalls: 0, outputCharacters: 0, told: "nothing" }
    let rest = ""
    /** @param {string} line */
    const read = (line) => {
      const message = JSON.parse(line)
      if (message.type === "message_update" && message.assistantMessageEvent.type === "text_delta") {
        known.text += message.assistantMessageEvent.delta
      }
      if (message.type === "message_end" && message.message.stopReason === "stop") known.told = "success"
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

await measure(runLoop, whatWasRead)
