/** Programs that send turns and wait for their answers. When one dies, the next asks the same turns again. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, openSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Result } from "effect"
import { isFinal } from "./checks.ts"
import type { ClientJob, Question } from "./jobs.ts"
import type { ClientLine } from "./logs.ts"
import type { Site } from "./machines.ts"

const script = fileURLToPath(new URL("client.ts", import.meta.url))

export interface Client {
  /** Resolves when it is known what became of it. */
  readonly ask: (question: Question) => Promise<void>
  readonly kill: () => void
  readonly close: () => Promise<void>
}

/** After an answer that says to ask again. */
const againMs = 700

export const startClient = (
  number: number,
  { room, databasePort, urlBy, problems }: Site,
  onLine: (line: ClientLine) => void
): Client => {
  const home = join(room.root, `client-${number}`)
  mkdirSync(home)
  const stderr = openSync(`${home}.log`, "a")
  const job: ClientJob = { database: urlBy(databasePort) }
  const env = { ...room.env, HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") }
  const open = new Map<string, { readonly question: Question; readonly settle: () => void }>()
  let child: ChildProcess
  let isOver = false
  let gone: Promise<unknown> = Promise.resolve()

  const send = (question: Question) => void child.stdin?.write(`${JSON.stringify(question)}\n`)

  const hear = async (text: string) => {
    const read = Result.try((): ClientLine => JSON.parse(text))
    if (Result.isFailure(read)) return // the last one of a client that was killed
    const line = read.success
    onLine(line)
    if (line.is !== "ended") return
    const request = open.get(line.turn)
    if (request === undefined) return
    if (isFinal(line)) {
      open.delete(line.turn)
      return request.settle()
    }
    await sleep(againMs)
    if (!isOver) send(request.question)
  }

  const start = () => {
    child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, JSON.stringify(job)], {
      cwd: room.work,
      env,
      stdio: ["pipe", "pipe", stderr]
    })
    child.stdin?.on("error", () => {})
    if (child.stdout !== null) createInterface({ input: child.stdout }).on("line", (line) => void hear(line))
    for (const { question } of open.values()) send(question)
    gone = once(child, "close").then(([code, signal]) => {
      if (isOver) return
      if (signal !== "SIGKILL") problems.push(`client ${number} left by itself with ${code ?? signal}`)
      start()
    })
  }
  start()

  return {
    ask: (question) =>
      new Promise((settle) => {
        open.set(question.turn, { question, settle })
        send(question)
      }),
    kill: () => void child.kill("SIGKILL"),
    close: async () => {
      isOver = true
      child.stdin?.end()
      const isGone = await Promise.race([gone.then(() => true), sleep(15_000, false, { ref: false })])
      if (isGone) return
      problems.push(`client ${number} did not leave within 15 s`)
      child.kill("SIGKILL")
    }
  }
}
