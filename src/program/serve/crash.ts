/**
 * An error that nothing has caught ends the host, and its line in the log says where it was, not what it said: messages
 * and fields of an error can have a token in them (grammY's have the address that was asked), or what people wrote.
 */
import { Effect, type Scope } from "effect"
import { printNow } from "../output.ts"
import { logLine } from "./logger.ts"

const mostFrames = 10

/** Such as `    at send (file:///opt/reins/dist/a.js:1:2)`. */
const frame = /^ {4}at (?:[\w.#<>[\] ]{1,200} \()?(?:file:|node:|\/)[^\n()]{1,300}:\d+:\d+\)?$/

const plain = (text: unknown, form: RegExp) => (typeof text === "string" && form.test(text) ? text : undefined)

/** Behind its message, which could have lines of that form; so could its name, which stands before that. */
const framesOf = ({ stack, message }: Error): ReadonlyArray<string> => {
  const text = String(stack)
  const at = message === "" ? 0 : text.lastIndexOf(message)
  if (at < 0) return []
  return text
    .slice(at + message.length)
    .split("\n")
    .filter((line) => frame.test(line))
    .slice(0, mostFrames)
}

/** @param thrown Anything at all. */
export const crashText = (thrown: unknown): string => {
  const known = thrown instanceof Error ? thrown : undefined
  const name = plain(known?.constructor.name, /^[A-Za-z]\w{0,40}$/) ?? "something"
  const code = plain(known === undefined ? undefined : Object(known).code, /^[A-Z][A-Z_]{1,30}$/)
  const what = code === undefined ? name : `${name}, ${code}`
  const ends = `Internal error, which ends the host (${what}); what it says is not shown, since that can be secret`
  return [ends, ...(known === undefined ? [] : framesOf(known))].join("\n")
}

/** Until the scope closes. As with Node's own report, the exit code is 1, and on Linux the reaper ends what was started. */
export const reportCrashes = (secrets: () => ReadonlyArray<string>): Effect.Effect<void, never, Scope.Scope> => {
  const report = (thrown: unknown) => {
    const line = { at: new Date(), level: "fatal", parts: [crashText(thrown)] }
    printNow("stderr", `${logLine(line, process.stderr.isTTY === true, secrets())}\n`)
    process.exit(1)
  }
  return Effect.acquireRelease(
    Effect.sync(() => void process.on("uncaughtException", report)),
    () => Effect.sync(() => void process.off("uncaughtException", report))
  )
}
