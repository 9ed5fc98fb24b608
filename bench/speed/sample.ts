/** One sample: a host process of its own, so that processor time and memory are those of one run and nothing else. */
import { createHash } from "node:crypto"
import { extname, join } from "node:path"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { startNode } from "./children.ts"
import type { Claim } from "./lines/part.ts"
import { pathOf, type Stub, type Workspace } from "./workspace.ts"

export interface Sample {
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMb: number
}

/** Plain JavaScript, unless its name says otherwise. */
const fileOf = (host: string) => pathOf(`hosts/${extname(host) === "" ? `${host}.mjs` : host}`)

/** The report of a host. */
export const sampleOf = async <Told>(workspace: Workspace, host: string, task: object): Promise<Sample & Told> => {
  const { child, left } = startNode([fileOf(host), JSON.stringify(task)], {
    cwd: join(workspace.directory, "work"),
    env: workspace.env,
    stdio: ["ignore", "ignore", "inherit", "pipe"]
  })
  const reported = await text(child.stdio[3] as Readable) // a pipe by the line above
  await left
  if (reported === "") throw new Error(`the host ${host} left without a word (${child.exitCode ?? child.signalCode})`)
  return JSON.parse(reported)
}

type Read = Omit<Claim, "lines"> & { readonly told: string }

/** A partial read of a run is not a measurement. */
const check = (host: string, { text, toolCalls, outputCharacters }: Claim, known: Read) => {
  const digest = createHash("sha1").update(text).digest("hex")
  const expected: Read = { text: digest, toolCalls, outputCharacters, told: "success" }
  for (const [name, value] of Object.entries(expected)) {
    const read = known[name as keyof Read] // the names of `expected`
    if (read !== value) throw new Error(`${host}: ${name} is ${read}, not ${value}`)
  }
}

/** One run of one CLI (`claude`, if `more` does not say which), read to its end. */
export const runOnce = async (workspace: Workspace, host: string, { command, claim }: Stub, more: object = {}) => {
  const known = await sampleOf<Read>(workspace, host, { cli: "claude", command, ...more })
  check(host, claim, known)
  return known
}

export const cpuOf = (samples: ReadonlyArray<Sample> = []) => samples.map(({ cpuMs }) => cpuMs)
export const wallOf = (samples: ReadonlyArray<Sample> = []) => samples.map(({ wallMs }) => wallMs)
export const peakOf = (samples: ReadonlyArray<Sample> = []) => samples.map(({ peakMb }) => peakMb)
