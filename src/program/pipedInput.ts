/**
 * Piped input of a prompt: `git diff | reins run "review this"`. A shell's pipe is read to its end. Another program may
 * never close its end: for a socket, which Node makes for child processes, the wait for the first bytes is limited.
 */
import { fstatSync } from "node:fs"
import { Console, Effect, Stdio } from "effect"
import { InvalidParams } from "../contract/AgentError.ts"
import { untraced } from "../contract/untraced.ts"
import { maxBytes, readStdin } from "./readInput.ts"

const patienceOf = { pipe: "3 seconds", socket: "1 second" } as const
export type InputKind = "pipe" | "socket" | "other"

const inputKind: Effect.Effect<InputKind> = Effect.sync(() => {
  try {
    const info = fstatSync(0)
    return info.isFIFO() ? "pipe" : info.isSocket() ? "socket" : "other"
  } catch {
    return "other"
  }
})

const waiting = Console.error("reins: waiting for the end of stdin; < /dev/null gives it none")
const unread = Console.error("reins: nothing came on stdin for 1 s: it is not read; < /dev/null saves the wait")

/** A tag that the text cannot close. */
const tagFor = (text: string): string => {
  let tag = "stdin"
  while (text.includes(`</${tag}>`)) tag += "-"
  return tag
}

export const joinedPrompt = (prompt: string, input: string): string => {
  if (input.trim() === "") return prompt
  const tag = tagFor(input)
  return `${prompt}\n\n<${tag}>\n${input.replace(/\n$/, "")}\n</${tag}>`
}

const read = (option: string, onBegin = () => {}) =>
  Effect.flatMap(readStdin(option, maxBytes.prompt, onBegin), (input) =>
    input.includes("\0")
      ? new InvalidParams({ option, problem: "stdin: is not text. For a file: --attach FILE" })
      : Effect.succeed(input)
  )

const awaited = (kind: InputKind) =>
  Effect.suspend(() => {
    let hasBegun = false
    const reading = read("prompt", () => {
      hasBegun = true
    })
    if (kind === "other") return reading
    const late = Effect.gen(function* () {
      yield* Effect.sleep(patienceOf[kind])
      if (kind === "socket" && !hasBegun) return yield* Effect.as(unread, "")
      yield* waiting
      return yield* Effect.never
    })
    return Effect.raceFirst(reading, late)
  })

/** `-` alone is read from stdin; any other prompt is joined with piped input. */
export const promptOf = Effect.fn(...untraced("PipedInput.promptOf"))(function* (
  prompt: string,
  kindOf: Effect.Effect<InputKind> = inputKind
) {
  if (prompt === "-") {
    const input = yield* read("-")
    return input.trim() === "" ? yield* new InvalidParams({ option: "-", problem: "nothing came on stdin" }) : input
  }
  const { stdinIsTerminal } = yield* Stdio.Stdio
  return (yield* stdinIsTerminal) ? prompt : joinedPrompt(prompt, yield* awaited(yield* kindOf))
})
