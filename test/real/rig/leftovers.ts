// Finds and ends what a test run left behind. Takes the run's own temp folder, gives the command lines: a process
// belongs to the run if that folder, whose name occurs once in the world, is in its environment.
import { readdirSync, readFileSync } from "node:fs"

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", " ").trim()
  } catch {
    return ""
  }
}

export const endLeftovers = (folder: string): ReadonlyArray<string> => {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  return pids
    .filter((pid) => read(pid, "environ").includes(`${folder}/`))
    .map((pid) => {
      const command = read(pid, "cmdline").slice(0, 200)
      try {
        process.kill(Number(pid), "SIGKILL")
      } catch {
        return `${pid} ${command} (ended by itself)`
      }
      return `${pid} ${command}`
    })
}
