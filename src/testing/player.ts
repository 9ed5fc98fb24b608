/**
 * The program behind every fake CLI: does what its instructions say, one after the other. `node player.ts FILE …` finds
 * the instructions in FILE and keeps in the folder `calls` beside it what it was given. Imports nothing but Node and what
 * lies beside it, since it is started for every run.
 */
import { closeSync, existsSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { blanks, fillBlanks } from "./blanks.ts"
import { keepCall } from "./callFiles.ts"
import { holdLive } from "./holdLive.ts"
import type { ExpectStdin, Instruction, Performance } from "./instructions.ts"
import { readStdin, writeAll } from "./pipes.ts"
import { modeOf, sessionOf } from "./session.ts"
import { startProcess } from "./startProcess.ts"
import { takeTurn } from "./turns.ts"

/** Of a start whose stdin is not what was expected. */
const unexpected = 97

const [, , file = "", ...args] = process.argv
const performances: readonly [Performance, ...ReadonlyArray<Performance>] = JSON.parse(readFileSync(file, "utf8"))
const script = takeTurn(file, performances)

const has = (name: string) => args.some((arg) => arg === name || arg.startsWith(`${name}=`))

const isLiveStart = script.liveArgument === undefined || has(script.liveArgument)
if (isLiveStart !== (script.live !== undefined)) {
  const [is, takes] = isLiveStart ? ["a live session", "FakeCli.live"] : ["a run", "FakeCli.claude and its like"]
  process.stderr.write(`fake ${script.command}: started for ${is}, which is not in its script; ${takes} can do that\n`)
  process.exit(unexpected)
}

if (script.deaf) for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {})

/** A fake whose folder was removed has no test any more: it does not outlive it. */
setInterval(() => {
  if (!existsSync(file)) process.kill(process.pid, "SIGKILL")
}, 1_000).unref()

const call = keepCall(file, args)
if (script.live !== undefined) await holdLive(script.live)
const stdin = readStdin()
stdin.then((text) => call.add({ stdin: text }))

/** A timer of Node is over at once beyond this: a longer time is slept in parts. */
const longestTimer = 2 ** 31 - 1

const sleepUntil = async (ms: number): Promise<void> => {
  for (let left = ms - performance.now(); left > 0; left = ms - performance.now()) {
    await sleep(Math.min(left, longestTimer))
  }
}

const forEver = () => new Promise<never>(() => setInterval(() => {}, 2 ** 30))

const shown = (text: string) => `${JSON.stringify(text.slice(0, 500))} (${text.length} characters)`

const expectStdin = async ({ text, pattern, flags }: ExpectStdin) => {
  const read = await stdin
  const isFine = (text ?? read) === read && (pattern === undefined || new RegExp(pattern, flags).test(read))
  if (isFine) return
  const expected = text === undefined ? `to match /${pattern}/${flags ?? ""}` : shown(text)
  await writeAll(2, `fake ${script.command}: stdin was ${shown(read)}, expected ${expected}\n`)
  process.exit(unexpected)
}

/** Attachments come with the prompt in one line of JSON (Claude Code). */
const promptIn = (text: string): string => {
  if (!has("--input-format")) return text
  const blocks: ReadonlyArray<{ readonly text?: string }> = JSON.parse(text).message.content
  return blocks.map((block) => block.text ?? "").join("")
}

const print = async (text: string, fill: boolean) => {
  if (!fill) return writeAll(1, text)
  const sessionId = sessionOf(args, script.sessionArguments) ?? script.sessionId
  const prompt = text.includes(blanks.prompt) ? promptIn(await stdin) : ""
  const permissionMode = modeOf(args, script.modeArgument)
  return writeAll(1, fillBlanks(text, { sessionId, workingDirectory: process.cwd(), prompt, permissionMode }))
}

const perform = async (instruction: Instruction): Promise<unknown> => {
  switch (instruction.do) {
    case "print":
      return print(instruction.text, instruction.fill)
    case "warn":
      return writeAll(2, instruction.text)
    case "wait":
      return sleepUntil(performance.now() + instruction.ms)
    case "waitUntil":
      return sleepUntil(instruction.ms)
    case "exit":
      return process.exit(instruction.code)
    case "kill":
      process.kill(process.pid, instruction.signal)
      return forEver()
    case "hang":
      return forEver()
    case "closeStdout":
      return closeSync(1)
    case "startProcess":
      return call.add({ process: await startProcess(instruction) })
    case "expectStdin":
      return expectStdin(instruction)
  }
}

if (script.stdin === "first") await stdin
for (const instruction of script.instructions) await perform(instruction)
process.exit(0)
