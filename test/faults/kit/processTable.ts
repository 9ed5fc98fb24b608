/** Facts about processes that every user of this machine can see, and those that their own user can, from /proc. */
import { readdirSync, readFileSync } from "node:fs"

const read = (pid: string, file: string) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return "" // it has just left
  }
}

const pids = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name))

/** Facts of every process of this machine. */
export const commandLines = (): ReadonlyArray<string> => pids().map((pid) => read(pid, "cmdline"))

/** The processes below one, at any depth. */
export const descendantsOf = (ancestor: number) => {
  const parents = new Map(pids().map((pid) => [pid, /^PPid:\s+(\d+)$/m.exec(read(pid, "status"))?.[1] ?? "0"]))
  const isBelow = (pid: string): boolean => {
    const parent = parents.get(pid) ?? "0"
    return parent === String(ancestor) || (parent !== "0" && isBelow(parent))
  }
  return [...parents.keys()].filter(isBelow).map((pid) => ({
    pid: Number(pid),
    cmdline: read(pid, "cmdline"),
    environ: read(pid, "environ")
  }))
}
