/** One sample: a host process of its own, so that processor time and memory are those of one run and nothing else. */
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { pathOf, type Stub, type Workspace } from "./workspace.ts"

export interface Task {
  readonly cli: "claude" | "codex"
  readonly command: string
}

/** Hosts that are at work. Each leads a group of its own, so that nothing under it outlives the measurement. */
const going = new Set<ChildProcess>()

export const stopAll = () => {
  for (const { pid } of going) {
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL")
    } catch {} // it has just left
  }
}

/** What the host has told, in its own words. */
export const hostTells = async <Told>(workspace: Workspace, host: string, task: object): Promise<Told> => {
  const child = spawn(process.execPath, [pathOf(`hosts/${host}.mjs`), JSON.stringify(task)], {
    cwd: join(workspace.directory, "work"),
    env: workspace.env,
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "pipe"]
  })
  going.add(child)
  const left = new Promise((resolve) => child.once("close", resolve))
  const told = await text(child.stdio[3] as Readable) // a pipe by the line above
  await left
  going.delete(child)
  if (told === "") throw new Error(`the host ${host} left without a word (${child.exitCode ?? child.signalCode})`)
  return JSON.parse(told)
}

export interface Sample {
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMb: number
}

interface Seen extends Sample {
  readonly text: string
  readonly toolCalls: number
  readonly outputCharacters: number
  readonly told: string
}

const digest = (text: string) => `${text.length} ${createHash("sha1").update(text).digest("hex")}`

/** A run that was not read in full is no measurement. */
const check = (host: string, { claim }: Stub, seen: Seen) => {
  const expected = { ...claim, text: digest(claim.text), told: "success" }
  for (const name of ["text", "toolCalls", "outputCharacters", "told"] as const) {
    if (seen[name] !== expected[name]) throw new Error(`${host}: ${name} is ${seen[name]}, not ${expected[name]}`)
  }
}

export const sampleOf = async (workspace: Workspace, host: string, stub: Stub, cli: Task["cli"]): Promise<Sample> => {
  const seen = await hostTells<Seen>(workspace, host, { cli, command: stub.command })
  check(host, stub, seen)
  return seen
}
