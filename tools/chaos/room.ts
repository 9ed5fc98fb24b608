/** The directories of one step, and what must be in them afterwards. Nothing else of the disk is touched. */
import { createHash } from "node:crypto"
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { UserFile } from "../../test/system/settings/edits.ts"
import { recordingOf, underSession } from "./recordings.ts"
import type { Scenario } from "./scenario.ts"
import { actionsOf } from "./script.ts"
import { settingsTexts } from "./settingsTexts.ts"

/** Variable by which the processes of a step are found, whatever the code under test does with its own mark. */
export const stepMark = "CHAOS_STEP"

export interface Room {
  readonly mark: string
  readonly root: string
  readonly work: string
  readonly home: string
  /** Folder of a child host; the main one has its own for all steps. */
  readonly temp: string
}

export const scriptFile = ({ root }: Room, index: number) => join(root, `script-${index}.json`)
export const pidsFile = ({ root }: Room, index: number) => join(root, `pids-${index}`)
export const recordFile = ({ root }: Room, index: number) => join(root, `record-${index}.ndjson`)

export const settingsFile = ({ cli }: Scenario, { work }: Room) => join(work, ...(clis[cli].settingsPath ?? ["none"]))

const textOf = ({ settings }: Scenario) => settingsTexts.find(({ name }) => name === settings)?.text

/** The user's settings file as it is before the runs; he may change it while they go on. */
export const userFileOf = (scenario: Scenario): UserFile | undefined => {
  const text = scenario.settings === null ? undefined : textOf(scenario)
  return typeof text === "string" ? { text, mode: 0o644 } : undefined
}

const writeSettings = (scenario: Scenario, room: Room) => {
  if (scenario.settings === null || textOf(scenario) === null) return
  const file = settingsFile(scenario, room)
  mkdirSync(dirname(file))
  const user = userFileOf(scenario)
  if (user === undefined) return
  writeFileSync(file, user.text)
  chmodSync(file, user.mode)
}

export const makeEmptyRoom = (root: string): Room => {
  const room: Room = {
    mark: crypto.randomUUID(),
    root,
    work: join(root, "work"),
    home: join(root, "home"),
    temp: join(root, "temp")
  }
  for (const directory of [root, room.work, room.home, room.temp]) mkdirSync(directory)
  writeFileSync(join(room.work, "source.txt"), "the user's work\n")
  writeFileSync(join(room.home, ".profile"), "the user's own\n")
  return room
}

/** Session that a run of the step resumes; in the form that each CLI gives its ids. */
export const sessionOf = (cli: CliId, { mark }: Room): string =>
  cli === "opencode" ? `ses_${mark.replaceAll("-", "")}` : mark

export const makeRoom = (scenario: Scenario, root: string): Room => {
  const room = makeEmptyRoom(root)
  writeSettings(scenario, room)
  for (const [index, { program, resumes }] of scenario.runs.entries()) {
    const sessionId = resumes ? sessionOf(scenario.cli, room) : undefined
    const actions = actionsOf(program, underSession(recordingOf(scenario.cli, program.recording), sessionId))
    writeFileSync(
      scriptFile(room, index),
      JSON.stringify({ pids: pidsFile(room, index), signals: program.signals, actions })
    )
  }
  return room
}

/** Every name below the step's directories with what is there. */
export type Snapshot = Readonly<Record<string, string>>

const describe = (path: string): string => {
  const stat = lstatSync(path)
  const mode = (stat.mode & 0o7777).toString(8)
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  return stat.isFile() ? fileOf(readFileSync(path), mode) : `${mode} directory`
}

const fileOf = (bytes: Uint8Array, mode: string) =>
  `${mode} ${bytes.length} bytes ${createHash("sha256").update(bytes).digest("hex").slice(0, 12)}`

export const snapshot = ({ root, work, home, temp }: Room): Snapshot => {
  const paths = [work, home, temp].flatMap((folder) => [
    folder,
    ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))
  ])
  return Object.fromEntries(paths.sort().map((path) => [path.slice(root.length + 1), describe(path)]))
}

/** `before` with the edits that the user has made to his settings since. */
export const withUserFile = (before: Snapshot, scenario: Scenario, room: Room, user: UserFile | undefined): Snapshot =>
  user === undefined
    ? before
    : {
        ...before,
        [settingsFile(scenario, room).slice(room.root.length + 1)]: fileOf(
          Buffer.from(user.text),
          user.mode.toString(8)
        )
      }

/** The differences from what should be there, in words. */
export const differences = (expected: Snapshot, found: Snapshot): ReadonlyArray<string> =>
  [...new Set([...Object.keys(expected), ...Object.keys(found)])]
    .filter((path) => expected[path] !== found[path])
    .map((path) => `${path}: ${expected[path] ?? "nothing"} has become ${found[path] ?? "nothing"}`)
