/**
 * Writes what many CLIs print, each at its own pace, into pipes that `cat` stands behind: as many Node processes would
 * leave the host no processor. It begins when every pipe has its reader, and spreads the runs over the time between two
 * lines. A text carries the time at which it is written, not at which it was due; how long it took in all is told.
 */
import { closeSync, constants, openSync, writeSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { runOf } from "../lines/claude.ts"
import { makeSay } from "../lines/words.ts"

interface Task {
  readonly pipes: ReadonlyArray<string>
  readonly lines: number
  readonly linesPerSecond: number
}

const { pipes, lines, linesPerSecond }: Task = JSON.parse(process.argv[2] ?? "{}")
const betweenMs = 1000 / linesPerSecond

const hasCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code

const openWhenRead = async (pipe: string): Promise<number> => {
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if (!hasCode(error, "ENXIO")) throw error
      await sleep(5)
    }
  }
}

/** Writes as much as the pipe takes, and keeps the rest. */
const writeSome = (file: number, bytes: Uint8Array): Uint8Array => {
  try {
    return bytes.subarray(writeSync(file, bytes))
  } catch (error) {
    if (hasCode(error, "EAGAIN")) return bytes
    throw error
  }
}

const makeRun = (file: number, offsetMs: number) => {
  const say = makeSay()
  const rest = runOf(lines, () => `@${process.hrtime.bigint()} ${say()}`)
  let due = offsetMs
  let unwritten: Uint8Array = new Uint8Array()
  let isOpen = true
  const advance = (nowMs: number) => {
    while (isOpen) {
      if (unwritten.length > 0) unwritten = writeSome(file, unwritten)
      if (unwritten.length > 0 || due > nowMs) return
      const line = rest.next()
      due += betweenMs
      if (line.done !== true) unwritten = Buffer.from(`${line.value}\n`)
      else {
        closeSync(file)
        isOpen = false
      }
    }
  }
  return { advance, isOpen: () => isOpen }
}

const files = await Promise.all(pipes.map(openWhenRead))
const from = performance.now()
let runs = files.map((file, nth) => makeRun(file, (nth * betweenMs) / files.length))
while (runs.length > 0) {
  const nowMs = performance.now() - from
  for (const run of runs) run.advance(nowMs)
  runs = runs.filter((run) => run.isOpen())
  await sleep(1)
}
process.stdout.write(JSON.stringify({ tookMs: performance.now() - from }))
