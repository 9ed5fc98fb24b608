// A made-up agent for main.ts: reads a prompt on stdin, and prints one JSON object a line.
import { text } from "node:stream/consumers"

const print = (line) => console.log(JSON.stringify(line))

print({ kind: "hello", session: process.argv[2]?.replace("--resume=", "") ?? crypto.randomUUID() })
const words = (await text(process.stdin)).split(/\s+/).filter((word) => word !== "")
print({ kind: "says", text: `Your prompt has ${words.length} words.` })
print(words.length === 0 ? { kind: "bye", problem: "the prompt is empty" } : { kind: "bye", tokens: words.length })
