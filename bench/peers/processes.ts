/** Processes by /proc. A pid identifies a process only together with its start time. */
import { readdirSync, readFileSync } from "node:fs"

export interface Known {
  readonly role: string
  readonly pid: number
  readonly start: string
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** State, parent and start time; undefined for what is gone or a zombie. The name may hold any character. */
const statOf = (pid: number) => {
  const text = read(`/proc/${pid}/stat`)
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state = "", parent = ""] = fields
  return text === "" || /^[ZX]/.test(state) ? undefined : { parent: Number(parent), start: fields[19] ?? "" }
}

export const identify = (role: string, pid: number): Known => ({ role, pid, start: statOf(pid)?.start ?? "gone" })

export const isAlive = ({ pid, start }: Known) => statOf(pid)?.start === start

export const kill = (known: Known) => {
  if (isAlive(known)) process.kill(known.pid, "SIGKILL")
}

const everyone = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** All that runs under this process, by its name. */
export const descendants = (root: number): ReadonlyArray<Known> => {
  const children = Map.groupBy(everyone(), (pid) => statOf(pid)?.parent)
  const under = (pid: number): ReadonlyArray<number> =>
    (children.get(pid) ?? []).flatMap((child) => [child, ...under(child)])
  return under(root).map((pid) => identify(read(`/proc/${pid}/comm`).trim(), pid))
}

/** All that carry this text in their environment. */
export const carriers = (text: string): ReadonlyArray<Known> =>
  everyone()
    .filter((pid) => read(`/proc/${pid}/environ`).includes(text))
    .map((pid) => identify(read(`/proc/${pid}/comm`).trim(), pid))

/** Resident memory of a process now and at its most, in MB. */
export const memoryOf = (pid: number) => {
  const status = read(`/proc/${pid}/status`)
  const mb = (name: string) => (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024) / 1e6
  return { now: mb("VmRSS"), most: mb("VmHWM") }
}
