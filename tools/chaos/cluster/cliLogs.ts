/** The logs of the CLIs of all machines, read while they grow: a CLI that was killed says nothing of its end. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { CliLine } from "../conversations/logs.ts"
import { clockMs, linesOf } from "../hosts.ts"

const logOf = (directory: string) => join(directory, "log.ndjson")

/** How often it is looked whether they live. */
const lookMs = 25

const lives = (pid: number, directory: string) => {
  try {
    const isOne = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`--directory=${directory}`)
    return isOne && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

export const watchClis = (directories: ReadonlyArray<string>) => {
  const known = new Map<number, number>()
  const places = directories.map((directory) => ({ directory, read: 0, open: new Set<number>() }))

  const look = () => {
    for (const place of places) {
      const file = logOf(place.directory)
      const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
      // The last one may not be whole yet.
      const end = bytes.lastIndexOf("\n") + 1
      for (const text of bytes.toString("utf8", place.read, end).split("\n")) {
        if (text === "") continue
        const line: CliLine = JSON.parse(text)
        if (line.is === "begin") place.open.add(line.pid)
        if (line.is === "end") place.open.delete(line.pid)
      }
      place.read = end
      for (const pid of place.open) {
        if (lives(pid, place.directory)) known.set(pid, clockMs())
        else place.open.delete(pid)
      }
    }
  }
  const timer = setInterval(look, lookMs)
  return {
    seen: known,
    lines: () => directories.flatMap((directory) => linesOf<CliLine>(logOf(directory))),
    close: () => clearInterval(timer)
  }
}
