/** Performs the instructions of a fake CLI, in a file. Imports only Node and neighbours: it starts for every run. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, existsSync, mkdirSync, readFileSync, write } from "node:fs"
import { dirname, join } from "node:path"
import type { Readable } from "node:stream"
import { buffer, text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { packageFile } from "../system/process/packageFile.ts"
import { keepCall } from "./CliCalls.ts"
import {
  blanks,
  type ExpectStdin,
  fillBlanks,
  type Instruction,
  type Performance,
  type SessionArguments,
  type StartProcess
} from "./instructions.ts"

const writeSome = promisify(write)
const gone = new Set<number>()
const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined)

/** Returns when the pipe has taken everything; never blocks reading. Drops data for a closed reader. */
export const writeAll = async (fd: 1 | 2, data: string): Promise<void> => {
  const bytes = Buffer.from(data)
  for (let at = 0; at < bytes.length && !gone.has(fd); ) {
    try {
      at += (await writeSome(fd, bytes, at)).bytesWritten
    } catch (error) {
      const code = codeOf(error)
      if (code === "EAGAIN") await sleep(1)
      else if (code === "EPIPE" || code === "ECONNRESET" || code === "EBADF") gone.add(fd)
      else throw error
    }
  }
}

/** Reads to the end. A terminal has none, and is not read. */
export const readStdin = async (): Promise<string> => {
  if (process.stdin.isTTY) return ""
  try {
    return await text(process.stdin)
  } catch {
    return "" // closed from the start, or no stream
  }
}

/** Ends the player even if its parent is gone. */
const livesSeconds = 600

/** Starts it; returns its pid once it runs, and is deaf if requested: then it closes descriptor 3. */
export const startProcess = async ({ ownSession, holdsStdout, deaf }: StartProcess): Promise<number> => {
  const script = `${deaf ? "trap '' TERM INT HUP; " : ""}exec 3>&-; exec sleep ${livesSeconds}`
  const stdio = ["ignore", holdsStdout ? "inherit" : "ignore", "ignore", "pipe"] as const
  const child = spawn("/bin/sh", ["-c", script], { detached: ownSession, stdio: [...stdio] })
  await once(child, "spawn")
  await buffer(child.stdio[3] as Readable) // a pipe, as asked for
  child.unref()
  return child.pid ?? 0
}

/** The value of `--name=value` or `--name value`. */
const valueAfter = (args: ReadonlyArray<string>, names: ReadonlyArray<string>): string | undefined => {
  for (const [index, arg] of args.entries()) {
    const name = names.find((candidate) => arg === candidate || arg.startsWith(`${candidate}=`))
    if (name === undefined) continue
    const value = arg === name ? args[index + 1] : arg.slice(name.length + 1)
    if (value !== undefined && value !== "" && !value.startsWith("-")) return value
  }
  return undefined
}

/** Undefined where the CLI chooses the id: for a new session, and for a fork. */
export const sessionOf = (args: ReadonlyArray<string>, rules: SessionArguments): string | undefined => {
  const isFork = args.some((arg) => rules.forked.includes(arg))
  return valueAfter(args, rules.named) ?? (isFork ? undefined : valueAfter(args, rules.resumed))
}

/** In the words of the CLI. */
export const modeOf = (args: ReadonlyArray<string>, modeArgument: string | undefined): string =>
  (modeArgument === undefined ? undefined : valueAfter(args, [modeArgument])) ?? "default"

/** The process that creates the folder of a turn owns it, so that concurrent starts have different turns. */
const take = (folder: string): boolean => {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** Returns the script of this start. `file` has the performances. */
export const takeTurn = <Turn>(file: string, turns: readonly [Turn, ...ReadonlyArray<Turn>]): Turn => {
  const nth = turns.slice(0, -1).findIndex((_, index) => take(join(dirname(file), `turn-${index}`)))
  return turns.at(nth) ?? turns[0]
}

const programs = pathToFileURL(packageFile("fixtures/programs/live/"))

/** Holds a live session by the program that speaks the agent's side of its protocol; never returns. */
export const holdLive = async ({ peer, scripts }: NonNullable<Performance["live"]>): Promise<never> => {
  const { giveScripts } = await import(new URL("steps.mjs", programs).href)
  giveScripts(scripts)
  await import(new URL(`${peer}.mjs`, programs).href)
  return new Promise<never>(() => {})
}

/** Exit code of a start whose stdin is not the expected one. */
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

/** Ends when the folder was removed: its test is over. */
setInterval(() => {
  if (!existsSync(file)) process.kill(process.pid, "SIGKILL")
}, 1_000).unref()

const call = keepCall(file, args)
if (script.live !== undefined) await holdLive(script.live)
const stdin = readStdin()
stdin.then((text) => call.add({ stdin: text }))

/** Longer timers of Node fire at once, so longer times are slept in parts. */
const longestTimer = 2 ** 31 - 1

const sleepUntil = async (ms: number): Promise<void> => {
  for (let left = ms - performance.now(); left > 0; left = ms - performance.now()) {
    await sleep(Math.min(left, longestTimer))
  }
}

const forEver = () => new Promise<never>(() => setInterval(() => {}, 2 ** 30))
const quoted = (text: string) => `${JSON.stringify(text.slice(0, 500))} (${text.length} characters)`

const expectStdin = async ({ text, pattern, flags }: ExpectStdin) => {
  const read = await stdin
  const isFine = (text ?? read) === read && (pattern === undefined || new RegExp(pattern, flags).test(read))
  if (isFine) return
  const expected = text === undefined ? `to match /${pattern}/${flags ?? ""}` : quoted(text)
  await writeAll(2, `fake ${script.command}: stdin was ${quoted(read)}, expected ${expected}\n`)
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
