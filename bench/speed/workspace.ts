/** The temporary folder of the measurement: what the stubs print, the stubs themselves, and a home for the hosts. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Claim, claimOf, type Part } from "./lines/part.ts"

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
  const write = (content: string, mode = 0o644) => {
    const path = join(directory, `${++count}`)
    writeFileSync(path, content, { mode })
    return path
  }
  const written = new Map<Part, string>()
  const fileOf = (part: Part) => {
    const path = written.get(part) ?? write(part.lines.map((line) => `${line}\n`).join(""))
    written.set(part, path)
    return path
  }
  /** The shell becomes `cat`, so that what is left of the machine is the host's. */
  const printing = (paths: ReadonlyArray<string>) => write(`${stubHead}exec cat ${paths.join(" ")}\n`, 0o755)
  return {
    directory,
    printing,
    stubOf: (parts: ReadonlyArray<Part>): Stub => ({ command: printing(parts.map(fileOf)), claim: claimOf(parts) }),
    env: {
      PATH: `${join(process.execPath, "..")}:/usr/local/bin:/usr/bin:/bin`,
      HOME: join(directory, "home"),
      TMPDIR: join(directory, "tmp")
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

export type Workspace = ReturnType<typeof openWorkspace>
