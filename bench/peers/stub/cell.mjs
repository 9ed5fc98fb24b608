/**
 * The cell of a stub: its directory (first argument), the fault to play (`plan.json` in it) and the file
 * where the processes of the run are noted, one `role pid` a line.
 */
import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const directory = process.argv[2]

export const plan = JSON.parse(readFileSync(join(directory, "plan.json"), "utf8"))

/** The arguments that the package gives to its CLI. */
export const value = process.argv.slice(3)

export const pidsFile = join(directory, "pids")

export const note = (role, pid = process.pid) => appendFileSync(pidsFile, `${role} ${pid}\n`)

/** Tells the measuring side how much of the flood has been written. */
export const tellProgress = (bytes) => appendFileSync(join(directory, "progress"), `${bytes}\n`)

/** Until the measuring side is ready for what comes. */
export const allowed = async () => {
  while (!existsSync(join(directory, "go"))) await sleep(20)
}

/** To stdout. Returns when the pipe has taken everything, however slow its reader. */
export const write = (data) => {
  const bytes = Buffer.from(data)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if (error.code !== "EAGAIN") throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
    }
  }
}

export const lineOf = (text) => `${text}\n`

export const say = (...lines) => write(lines.map((line) => lineOf(JSON.stringify(line))).join(""))

// Some packages ask for the version before they start a run; that does not count as a run.
if (value[0] === "--version" || value[0] === "-v") {
  process.stdout.write(`${plan.version}\n`)
  process.exit(0)
}
