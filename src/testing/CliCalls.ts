/** The calls of a fake CLI: one file for each start, so that concurrent ones do not conflict. Used by the player. */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The arguments, environment and input of one start of a fake CLI. */
export interface CliCall {
  readonly arguments: ReadonlyArray<string>
  /** All of it; undefined until it has ended. */
  readonly stdin: string | undefined
  /** As the process has it, secrets included (its shell may add `PWD`). On disk, for the owner alone, until removed. */
  readonly environment: Readonly<Record<string, string>>
  readonly workingDirectory: string
  readonly pid: number
  /** Milliseconds since 1970. */
  readonly startedAtMs: number
  /** The pids of its `process` steps, so far. */
  readonly processes: ReadonlyArray<number>
}

const folderOf = (file: string) => join(dirname(file), "calls")

/** Atomic: a reader sees all or nothing. If the folder was removed, reading has ended. */
const write = (file: string, call: CliCall) => {
  try {
    writeFileSync(`${file}.new`, JSON.stringify(call), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch (error) {
    if (existsSync(dirname(file))) throw error
  }
}

/** Records this start and its later facts. `file` has the instructions. */
export const keepCall = (file: string, args: ReadonlyArray<string>) => {
  let call: CliCall = {
    arguments: args,
    stdin: undefined,
    environment: Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""])),
    workingDirectory: process.cwd(),
    pid: process.pid,
    startedAtMs: Date.now(),
    processes: []
  }
  const place = join(folderOf(file), `${call.startedAtMs}-${process.pid}.json`)
  write(place, call)
  const add = ({ stdin, process }: { readonly stdin?: string; readonly process?: number }) => {
    const processes = process === undefined ? call.processes : [...call.processes, process]
    call = { ...call, stdin: stdin ?? call.stdin, processes }
    write(place, call)
  }
  return { add }
}

/** All starts so far, the oldest first. */
export const readCalls = (file: string): ReadonlyArray<CliCall> =>
  readdirSync(folderOf(file))
    .filter((name) => name.endsWith(".json"))
    .map((name): CliCall => {
      const { stdin, ...call } = JSON.parse(readFileSync(join(folderOf(file), name), "utf8"))
      return { ...call, stdin }
    })
    .sort((a, b) => a.startedAtMs - b.startedAtMs || a.pid - b.pid)
