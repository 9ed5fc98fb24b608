/**
 * One fault, in the words of whichever format is given. A format says `begin`, `text`, `toolStart`, `toolOutput` and
 * `result` as its CLI prints them; what goes wrong, and when, is the same for all. `write` and `lineOf` are given where
 * the CLI does not speak lines on stdout.
 */
import * as stdout from "./cell.mjs"
import { allowed, note, plan, tellProgress } from "./cell.mjs"
import { startTool } from "./tool.mjs"

const mib = 1024 * 1024
const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"]
const stay = () => setInterval(() => {}, 2 ** 30)

/** Plays the fault of this cell. When it returns, the CLI has said everything and ends as its kind does. */
export const play = (format) => {
  const { write, lineOf } = { write: stdout.write, lineOf: stdout.lineOf, ...format }
  const record = (line) => lineOf(JSON.stringify(line))
  const say = (...lines) => write(lines.map(record).join(""))
  const opening = () => [...format.begin(), ...format.text("ALPHA")]
  const closing = () => [...format.text("OMEGA"), ...format.result("OMEGA")]
  /** A tool's output that makes its line, without the end, as long as asked. */
  const outputOf = (id, bytes) => {
    const bare = JSON.stringify(format.toolOutput(id, "")).length
    return record(format.toolOutput(id, "x".repeat(bytes - bare)))
  }

  const faults = {
    sound: async () => {
      await say(...opening())
      await say(...closing())
    },
    /** A tool runs and does not end. */
    tool: async () => {
      await say(...opening(), ...format.toolStart("tool_1"))
      startTool()
      stay()
    },
    /** In the middle of its answer, deaf to the stop signals and to the end of its stdin. */
    deaf: async () => {
      for (const name of stopSignals) process.removeAllListeners(name).on(name, () => {})
      await say(...opening())
      note("ready", 0)
      stay()
    },
    /** Says all that it has to say, and stays. */
    stays: async () => {
      await say(...opening(), ...format.result("ALPHA"))
      note("ready", 0)
      stay()
    },
    silent: async () => stay(),
    "no-result": async () => {
      await say(...opening())
      process.exit(0)
    },
    killed: async () => {
      await say(...opening())
      process.kill(process.pid, "SIGKILL")
    },
    malformed: async () => {
      await say(...opening())
      await write(lineOf(JSON.stringify(format.text("LOST")[0]).slice(0, 40)))
      await say(...closing())
    },
    "big-line": async () => {
      await say(...opening(), ...format.toolStart("tool_1"))
      note("ready", 0)
      await allowed()
      await write(outputOf("tool_1", 64 * mib))
      await say(...closing())
    },
    /** 2,000 tool calls, each with 100 KB of output: 200 MB. */
    flood: async () => {
      await say(...opening())
      note("ready", 0)
      await allowed()
      for (let call = 1, bytes = 0; call <= 2_000; call++) {
        const data = format.toolStart(`tool_${call}`).map(record).join("") + outputOf(`tool_${call}`, 100_000)
        await write(data)
        bytes += data.length
        if (call % 10 === 0) tellProgress(bytes)
      }
      tellProgress("all")
      await say(...closing())
    }
  }
  return faults[plan.fault]()
}

/** True where the process is to stay, whatever becomes of its stdin. */
export const staysWithoutStdin = ["deaf", "stays", "silent"].includes(plan.fault)
