/** A host with two runs in mid-course, in the directories of a user; and what its runs must have recorded. */
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert } from "vitest"
import { type CliId, clis } from "../../../src/agents/Agents.ts"
import type { Cli } from "../../../src/cli/Cli.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { programPath } from "../../kit/agent.ts"
import { until } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { type Listing, makeUser } from "./processFiles.ts"
import { type Host, startHost } from "./processHost.ts"
import { fullParamsOf } from "./processParams.ts"
import { successOf } from "./processRecordings.ts"

/** A run with a file that says when it has come so far, and one for its recording. */
export const makeRun = Effect.fnUntraced(function* (
  id: CliId,
  args: ReadonlyArray<string>,
  input: Partial<AgentExecuteParams>
) {
  const directory = yield* makeDirectory
  const [pids, record] = [join(directory, "pids"), join(directory, "wire.ndjson")]
  const baseArgs = [programPath("process-tree"), "--trees=", `--pids=${pids}`, ...args]
  const options = { command: process.execPath, baseArgs, killGrace: 500 }
  const params = { ...fullParamsOf(clis[id]), record, ...input }
  return { order: { id, options, params }, isThere: () => existsSync(pids), record }
})

/** The recording is what was printed, for its owner alone. */
const checkRecording = (record: string, printed: string) => {
  assert.strictEqual(readFileSync(record, "utf8"), printed)
  assert.strictEqual(statSync(record).mode & 0o777, 0o600)
}

/** A recording with 12 MiB of what no version knows behind its first line: more than a host holds in memory. */
const makeFlood = Effect.fnUntraced(function* (cli: Cli) {
  const file = join(yield* makeDirectory, "flood.ndjson")
  const [first] = successOf(cli).lines
  const flood = Array.from({ length: 12 }, () => JSON.stringify({ type: "of-tomorrow", padding: "p".repeat(2 ** 20) }))
  writeFileSync(file, [first, ...flood, ""].join("\n"))
  return file
})

/** It holds a file for events open, whether that has a name or not. */
export const hasSpill = (host: Host) =>
  readdirSync(`/proc/${host.pid}/fd`).some((fd) => {
    try {
      return readlinkSync(`/proc/${host.pid}/fd/${fd}`).includes("reins-spill-")
    } catch {
      return false
    }
  })

export const environmentOf = ({ home, tmp }: { readonly home: string; readonly tmp: string }) => ({
  PATH: process.env["PATH"],
  HOME: home,
  TMPDIR: tmp
})

const isDifferent = (prefix: string | undefined, one: Listing, two: Listing) =>
  prefix !== undefined && JSON.stringify(only(prefix, one)) !== JSON.stringify(only(prefix, two))

const only = (prefix: string, files: Listing) =>
  Object.fromEntries(Object.entries(files).filter(([name]) => name.startsWith(prefix)))

/**
 * Two runs in mid-course: one in a directory with settings has not said a word yet, so that the CLI may still have to
 * read what was put there; the consumer of one without settings has paused, and its events fill the disk.
 */
export const makeBusyHost = Effect.fnUntraced(function* (id: CliId) {
  const user = yield* makeUser
  const before = user.listing()
  const flood = yield* makeFlood(clis[id])
  const one = yield* makeRun(id, ["--then=stay"], { workingDirectory: user.configured })
  const two = yield* makeRun(id, [`--file=${flood}`, "--then=stay"], { workingDirectory: user.plain })
  const host = yield* startHost([one.order, two.order], environmentOf(user))
  const printed = readFileSync(flood, "utf8")
  const hasRecorded = () => existsSync(two.record) && statSync(two.record).size >= Buffer.byteLength(printed)
  yield* until(() => one.isThere() && two.isThere() && hasSpill(host) && hasRecorded(), 60_000)
  /** The settings that are lent, by the beginning of their names. */
  const [folder] = clis[id].settingsPath ?? []
  const lent = folder === undefined ? undefined : `configured/${folder}`
  assert.isTrue(
    readdirSync(user.tmp).some((name) => /^reins-.+\./.test(name)),
    "private files"
  )
  assert.strictEqual(isDifferent(lent, before, user.listing()), lent !== undefined)
  const check = () => {
    checkRecording(one.record, "")
    checkRecording(two.record, printed)
  }
  return { user, before, host, check }
})
