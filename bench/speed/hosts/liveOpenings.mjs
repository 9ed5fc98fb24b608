/**
 * Live sessions, opened at once and closed at once, `rounds` times: processor time for each, in milliseconds a session.
 * What is told of every round, since the first one of a process is another thing than those after it.
 */
import { measure, task } from "./measure.mjs"

/** @param {() => Promise<{ close: () => Promise<unknown> }>} open */
export const measureOpenings = (open) =>
  measure(
    async () => {
      const rounds = []
      for (let round = 0; round < task.rounds; round++) {
        const before = process.cpuUsage()
        const sessions = await Promise.all(Array.from({ length: task.sessions }, open))
        const opened = process.cpuUsage(before)
        await Promise.all(sessions.map((session) => session.close()))
        const all = process.cpuUsage(before)
        const opening = (opened.user + opened.system) / 1000 / task.sessions
        rounds.push({ opening, closing: (all.user + all.system) / 1000 / task.sessions - opening })
      }
      return { rounds }
    },
    (known) => known
  )
