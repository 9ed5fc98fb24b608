/** The temporary folder of the measurement: what the stubs print, the stubs themselves, pipes, and a home for the hosts. */
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Claim, claimOf, nothing, type Part } from "./lines/part.ts"

export const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** A program that prints a prepared run, and what there is to be read of it. */
export interface Stub {
  readonly command: string
  readonly claim: Claim
}

const stubHead = readFileSync(pathOf("stub/cli.sh"), "utf8")

export const openWorkspace = () => {
  const directory = mkdtempSync(join(tmpdir(), "reins-bench-"))
  for (const name of ["home", "tmp", "work"]) mkdirSync(join(directory, name))
  let count = 0
  const newPath = () => join(directory, `${++count}`)
  const write = (content: string, mode = 0o644) => {
    const path = newPath()
    writeFileSync(path, content, { mode })
    return path
  }
  const output = new Map<Part, string>()
  const fileOf = (part: Part) => {
    const path = output.get(part) ?? write(part.lines.map((line) => `${line}\n`).join(""))
    output.set(part, path)
    return path
  }
  // The shell becomes `cat`, so that what is left of the machine is the host's.
  const printing = (what: string) => write(`${stubHead}exec cat ${what}\n`, 0o755)
  return {
    directory,
    stubOf: (parts: ReadonlyArray<Part>): Stub => ({
      command: printing(parts.map(fileOf).join(" ")),
      claim: claimOf(parts)
    }),
    /** Pi, with one answer in so many pieces. */
    piStub: (deltas: ReadonlyArray<string>): Stub => {
      const command = `${newPath()}.mjs`
      copyFileSync(pathOf("stub/pi.mjs"), command)
      chmodSync(command, 0o755)
      writeFileSync(`${command}.deltas`, JSON.stringify(deltas))
      return { command, claim: { ...nothing, lines: deltas.length + 7, text: deltas.join("") } }
    },
    /** The program of live sessions, and what each of its turns says. */
    liveStub: (turn: Part) => {
      const command = `${newPath()}.mjs`
      copyFileSync(pathOf("stub/live.mjs"), command)
      chmodSync(command, 0o755)
      writeFileSync(`${command}.turn`, turn.lines.map((line) => `${line}\n`).join(""))
      return { command, text: turn.text }
    },
    /** The program of live sessions that have no turns. */
    idleStub: () => write(readFileSync(pathOf("stub/live.sh"), "utf8"), 0o755),
    emptyFolder: () => mkdtempSync(join(directory, "empty-")),
    /** The program that prints what comes through the pipe that its environment names. */
    pipeReader: () => printing('"$REINS_BENCH_PIPE"'),
    pipes: (requested: number): ReadonlyArray<string> => {
      const paths = Array.from({ length: requested }, newPath)
      execFileSync("mkfifo", paths)
      return paths
    },
    env: {
      PATH: `${join(process.execPath, "..")}:/usr/local/bin:/usr/bin:/bin`,
      HOME: join(directory, "home"),
      TMPDIR: join(directory, "tmp")
    },
    close: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

export type Workspace = ReturnType<typeof openWorkspace>
